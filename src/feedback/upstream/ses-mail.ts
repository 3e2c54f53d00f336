// Notices of Amazon SES that come by mail, because a topic of Amazon SNS has a subscription by e-mail: the event as text with
// a footer (`email`), or in the envelope of SNS (`email-json`). No secret proves who sent such a mail. Therefore a notice
// leads to a copy only by the copy's return path, which we signed and SES repeats; Message-ID and recipients, which strangers
// may know, count by HTTP only. Pure.
import { decodeText } from '#src/mail/decode-text.ts';
import type { MimePart } from '#src/mail/mime-parts.ts';
import type { Consequence } from '../rules.ts';
import { readSesEvent, type SesEvent, sesEvent } from './ses-events.ts';
import { isSubscribeUrl, snsBody } from './sns.ts';

export interface SesNotice {
  /** The return paths without angle brackets. */
  readonly returnPaths: readonly string[];
  readonly found: Consequence;
}

/** Line ends have no meaning in JSON; some servers break long lines with `!`, and continue them with a blank. */
const BREAKS = /!\r?\n |[\r\n]+/g;

/** The document at the beginning of a text, without the footer. */
const documentIn = (text: string): unknown => {
  if (!/^\s*\{/.test(text)) return null;
  const joined = text.replace(BREAKS, '');
  try {
    return JSON.parse(joined.slice(0, joined.lastIndexOf('}') + 1));
  } catch {
    return null;
  }
};

const bodyIn = (parts: readonly MimePart[]) => {
  const text = parts.find(({ type }) => type === 'text/plain');
  return snsBody.safeParse(text ? documentIn(decodeText(text.content, text.charset)) : null).data ?? null;
};

const eventIn = (parts: readonly MimePart[]): SesEvent | null => {
  const body = bodyIn(parts);
  if (body === null || !('Type' in body)) return body;
  return body.Type === 'Notification' ? (sesEvent.safeParse(documentIn(body.Message)).data ?? null) : null;
};

/** Null if the mail is no such notice, or one without a meaning here. All that a notice says is about one copy. */
export const sesNoticeIn = (parts: readonly MimePart[]): SesNotice | null => {
  const event = eventIn(parts);
  for (const { clues, found } of event ? readSesEvent(event) : [])
    if (found !== null) return { returnPaths: clues.returnPaths ?? [], found };
  return null;
};

/** Where the operator can confirm a subscription (`email-json`). The service itself follows no link of a stranger. */
export const subscriptionLinkIn = (parts: readonly MimePart[]): string | null => {
  const body = bodyIn(parts);
  if (body === null || !('Type' in body) || body.Type !== 'SubscriptionConfirmation') return null;
  return isSubscribeUrl(body.SubscribeURL) ? body.SubscribeURL : null;
};
