// The idempotency key of a request: its header, or a field of its body.
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { idempotencyKey } from './schema.ts';

export const keyHeaders = z.object({
  'Idempotency-Key': idempotencyKey
    .optional()
    .describe(
      'a repeated request with the same key is answered as the first one; X-Idempotency-Key is an alias',
    ),
});

const keyNames = ['idempotency-key', 'x-idempotency-key'];

/** The header wins over the field. Throws `invalid_request` for a header that cannot be used. */
export const keyOf = (
  field: string | undefined,
  { header, countOf }: Pick<RequestContext, 'header' | 'countOf'>,
): string | null => {
  // To take a repeated key for none would send the retry again.
  if (keyNames.some((name) => countOf(name) > 1)) {
    throw new AppError('invalid_request', 'The Idempotency-Key stands more than once in the head.', {
      extra: { fields: [{ path: 'header.Idempotency-Key', message: 'expected once' }] },
    });
  }
  const given = header('idempotency-key') ?? header('x-idempotency-key');
  if (given === undefined) return field ?? null;
  const parsed = idempotencyKey.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new AppError('invalid_request', 'The Idempotency-Key is not usable.', {
    extra: { fields: [{ path: 'header.Idempotency-Key', message: 'expected 1 to 256 characters' }] },
  });
};
