// What a caller is told whose URL the guard refuses.
import { AppError } from '../errors.ts';
import type { Outbound } from './outbound.ts';

/** Throws `invalid_request` for the field `url` of a body where nothing may be sent there. */
export const requireUsable = async (outbound: Pick<Outbound, 'refusalOf'>, url: string): Promise<void> => {
  const refusal = await outbound.refusalOf(url);
  if (refusal === null) return;
  const { message, hint } = refusal;
  throw new AppError('invalid_request', `\`body.url\`: ${message}`, {
    hint,
    extra: { fields: [{ path: 'body.url', message }] },
  });
};
