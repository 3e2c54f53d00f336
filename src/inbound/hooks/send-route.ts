// Sending by an inbound hook: no credential but its secret. An unknown hook and a wrong secret are one refusal, found out by the
// same look into the registry; no tenant's file is opened for either. A hook that sends too much is held up alone. Wrong secrets
// are counted for each client address, and hold up nothing but wrong secrets: 256 random bits cannot be guessed, and other hooks
// may be used from the same address.

import { z } from 'zod';
import { SEND_ERRORS } from '#src/intake/accept.ts';
import { toDraft } from '#src/intake/draft.ts';
import { acceptedResult, keyHeaders, keyOf } from '#src/intake/http-send.ts';
import type { Intake } from '#src/intake/open.ts';
import { sendAnswer } from '#src/intake/schema.ts';
import type { Base } from '#src/kernel/base.ts';
import { hashBearer, type LastUsed } from '#src/kernel/credentials.ts';
import { AppError } from '#src/kernel/errors.ts';
import { asItComes, idSchema } from '#src/kernel/fields.ts';
import { clientKey, createRateCheck } from '#src/kernel/rate-limit.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { validate } from '#src/kernel/validate.ts';
import { opens } from './rules.ts';
import { HOOK_MESSAGE_EXAMPLES, hookMessage, SECRET_HEADER } from './schema.ts';
import { type HookKeyRow, hookKeyStore } from './store.ts';

const BODY_BYTES = 256 * 1_024;

const refusal = (message: Text): AppError =>
  new AppError('unauthorized', message, {
    hint: say`Send the secret of the hook in the header ${SECRET_HEADER}, once.`,
  });

export const hookSendRoute = (
  { storage, clock, limits }: Pick<Base, 'storage' | 'clock' | 'limits'>,
  accept: Intake['accept'],
  lastUsed: Pick<LastUsed, 'note'>,
): Route => {
  const countWrong = createRateCheck(
    clock,
    () => limits().signInPerAddress,
    say`Too many wrong secrets from this address.`,
  );
  const countMessage = createRateCheck(
    clock,
    () => limits().messagesPerHook,
    say`Too many messages by this hook.`,
  );

  /** Throws `unauthorized` and `rate_limited`. */
  const admit = (id: string, { header, clientAddress }: RequestContext): HookKeyRow => {
    const secret = header(SECRET_HEADER.toLowerCase());
    if (secret === undefined) throw refusal(say`The request has no secret of a hook.`);
    // The hook is looked up without waiting for a sync in progress, as API tokens are.
    const hash = hashBearer(secret);
    const key = storage.platform.peek((db) => hookKeyStore(db).find(id, hash));
    if (!opens(key, hash, clock.now())) {
      countWrong(clientKey(clientAddress));
      throw refusal(say`The secret is wrong, or there is no such hook.`);
    }
    countMessage(key.id);
    lastUsed.note(key.tenant_id, key.id);
    return key;
  };

  return defineRoute({
    method: 'post',
    path: '/api/public/hooks/{id}/send',
    tag: 'Inbound hooks',
    id: 'sendByHook',
    usedBy: 'programs that can only post to a secret address',
    summary: 'Send a message by an inbound hook',
    description:
      "Passes all that a single send does, with the same defaults, and is answered like it. From the practice's default address. Each hook has a limit of " +
      'messages per second, `limits.hook_rate`.',
    access: 'public',
    audit: { none: 'a message is its own record' },
    stability: 'stable',
    params: z.strictObject({ id: idSchema.describe('the practice, or the hook') }),
    headers: keyHeaders.extend({
      [SECRET_HEADER]: z
        .string()
        .describe('the secret of the hook')
        .meta({ examples: ['hooksec_0000'] }),
    }),
    body: asItComes(hookMessage, { examples: HOOK_MESSAGE_EXAMPLES }),
    bodyLimit: BODY_BYTES,
    responses: { 202: { description: 'It is on the disk and will be sent.', body: sendAnswer } },
    errors: ['unauthorized', ...SEND_ERRORS],
    handle: async ({ params: { id }, body: given }, context) => {
      const { tenant_id, project_id } = admit(id, context);
      const body = validate(hookMessage, given, 'body');
      const key = keyOf(undefined, context);
      const accepted = await accept({
        tenantId: tenant_id,
        projects: null,
        projectId: project_id,
        source: 'hook',
        draft: toDraft(body),
        idempotency: key === null ? null : { key, request: body },
      });
      return acceptedResult(accepted, context.answerLanguage);
    },
  });
};
