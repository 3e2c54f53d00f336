// An event that a relay reports by HTTP, in one form for all relays. Pure.
import { parseReply, type Reply } from '#src/mail/reply.ts';
import type { Clues } from '../locate.ts';
import type { Consequence } from '../rules.ts';

/** What a relay reports of one recipient of one mail. */
export interface RelayEvent {
  /** The clues that lead to the copy. */
  readonly clues: Clues;
  /** Null where the event has no meaning here. */
  readonly found: Consequence | null;
}

/** Events in one request. */
export const MAX_EVENTS = 1_000;

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3}$/;
/** `smtp; 550 5.1.1 ...`, as in the field of a delivery status notification (RFC 3464 §2.3.6). */
const TYPED = /^[a-z0-9-]{1,20};[ \t]*/i;

/** Null without any information. Codes that the relay gives by themselves win over codes in the receiver's text. */
export const replyFrom = (
  words: string | null | undefined,
  enhanced: string | null | undefined,
  code: number | null | undefined = null,
): Reply | null => {
  const said = parseReply([(words ?? '').replace(TYPED, '')]);
  const detail = ENHANCED.test(enhanced ?? '') ? (enhanced ?? null) : null;
  const isVague = detail === null || detail.endsWith('.0.0');
  const reply = {
    code: code ?? said.code,
    enhanced: isVague ? (said.enhanced ?? detail) : detail,
    text: said.text,
  };
  return reply.code === 0 && reply.enhanced === null && reply.text === '' ? null : reply;
};
