// Finds the receiving server's own reply in a report (RFC 3464). A report has up to four accounts of the refusal, and the
// software in between derives some of them from others. They are in the order of their worth:
// 1. The reply that the diagnostic quotes, where a server passes on another's reply (reply.ts).
// 2. The diagnostic.
// 3. The status, unless the reporting server may have derived it from the basic code: `550` becomes `5.1.1` in Sendmail.
// 4. The comment behind the status, and the words for people near the recipient. They count only where the others say nothing.
//
// Pure; bounce-class.ts classifies the reply.
import { findBounceRule } from './bounce-class.ts';
import type { RecipientStatus } from './dsn.ts';
import { type Reply, replyInWords } from './reply.ts';
import { wordsAbout } from './words-about.ts';

/** Where the reply has no enhanced code, these are a guess from its code (Sendmail), which says no more than the code. */
const GUESSED: Readonly<Record<number, RegExp>> = {
  552: /\.(?:1\.\d+|2\.2)$/,
  554: /\.(?:1\.\d+|6\.0)$/,
};
const GUESSED_OF_ANY = /\.1\.\d+$/;
/** RFC 3463 §3.1 to §3.7: no detail, and "unable to route" without the reason. */
const SAYS_NOTHING = /\.(?:[0-6]\.0|4\.4)$/;
/** Only the reporting server knows that it gave up after all its attempts. */
const EXPIRED = /\.4\.7$/;

/** A refusal in one of these phases is about the sender or the content, unless its words are about the recipient. */
const PHASE = /\b(?:in reply to|after) (?:mail from|(?:the )?end of (?:data|message))\b/i;
/** UTF-16 code units. */
const MAX_JUDGED = 2_000;

const isGuess = ({ status, diagnostic }: RecipientStatus): boolean =>
  status !== null &&
  diagnostic !== null &&
  diagnostic.code !== 0 &&
  diagnostic.enhanced === null &&
  diagnostic.text !== '' &&
  (GUESSED[diagnostic.code] ?? GUESSED_OF_ANY).test(status);

const enhancedOf = ({ status, diagnostic }: RecipientStatus): string | null =>
  status !== null && EXPIRED.test(status) ? status : (diagnostic?.enhanced ?? status);

/** The reply to store. */
export const replyOf = (own: RecipientStatus): Reply => ({
  code: own.diagnostic?.code ?? 0,
  enhanced: enhancedOf(own),
  text: own.diagnostic?.text ?? '',
});

/** The reply to classify. `words` is the report's text for people. */
export const judgedReply = (own: RecipientStatus, words: string): Reply => {
  const near = wordsAbout(words, [own.finalRecipient, own.originalRecipient]);
  const reply = replyOf(own);
  const { code } = reply;
  const text = `${reply.text} ${PHASE.exec(near)?.[0] ?? ''}`.trim();
  const enhanced = isGuess(own) ? null : reply.enhanced;
  if (reply.text !== '') {
    if (enhanced !== null && !SAYS_NOTHING.test(enhanced)) return { code, enhanced, text };
    if (findBounceRule({ code, enhanced: null, text }, own.remoteMta) !== undefined)
      return { code, enhanced, text };
  }
  const quoted = reply.text === '' ? replyInWords(near) : null;
  return {
    code: quoted?.code || code,
    enhanced: quoted?.enhanced ?? enhanced,
    text: [text, isGuess(own) ? '' : (own.comment ?? ''), near].join(' ').trim().slice(0, MAX_JUDGED),
  };
};
