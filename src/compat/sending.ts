// What the routes of all shapes share by which messages are sent.

import type { Accepted } from '#src/intake/accept.ts';
import { SEND_ERRORS } from '#src/intake/accept.ts';
import { type BatchRequest, sendBatch } from '#src/intake/batch.ts';
import type { ForeignSource } from '#src/intake/evaluate.ts';
import { keyHeaders, keyOf, senderOf, sendOne } from '#src/intake/http-send.ts';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import type { Answered } from '#src/intake/many.ts';
import { sendBody } from '#src/intake/schema.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { validate } from '#src/kernel/validate.ts';

export const sendingRoute = {
  method: 'post',
  access: 'messages.send',
  audit: { none: 'a message is its own record' },
  stability: 'stable',
  headers: keyHeaders,
  bodyLimit: defaultLimits.body_bytes,
  errors: SEND_ERRORS,
} as const;

/** Sends a message that has been translated to the native form. Throws `invalid_request`, and what `accept` throws. */
export const sendTranslated = (
  intake: IntakeContext,
  source: ForeignSource,
  native: unknown,
  context: RequestContext,
): Promise<Accepted> => sendOne(intake, source, validate(sendBody, native, 'body'), context);

/** Sends messages that have been translated, or that `toNative` translates one by one. The answer's body is that of a native batch. */
export const sendTranslatedBatch = (
  intake: IntakeContext,
  source: ForeignSource,
  items: readonly unknown[],
  context: RequestContext,
  how: Pick<BatchRequest, 'isAtomic' | 'isTrial' | 'toNative'> = {},
): Promise<Answered> =>
  sendBatch(intake, {
    ...senderOf(context),
    log: context.log,
    speak: context.speak,
    source,
    items,
    ...how,
    key: how.isTrial ? null : keyOf(undefined, context),
  });
