// Notices without a code, or with a code that says nothing. The words decide. Pure table.
import {
  authentication,
  type BounceRule,
  content,
  disabled,
  expired,
  greylisted,
  loop,
  mailboxFull,
  network,
  noDomain,
  policy,
  relaying,
  reputation,
  restricted,
  senderAddress,
  temporary,
  throttled,
  tooLarge,
  unknownUser,
} from './rule.ts';

/** Rule, class, pattern, an example, and the source unless it is a notice in plain text. */
const rows: readonly (readonly [string, BounceRule['class'], RegExp, example: string, source?: string])[] = [
  ['auth_policy', 'soft', authentication, 'Message failed DMARC and was rejected'],
  ['mailbox_full', 'soft', mailboxFull, 'Das Postfach des Empfängers ist voll.'],
  ['too_large', 'soft', tooLarge, 'Die Nachricht ist zu groß.'],
  ['block', 'soft', reputation, 'Your server 192.0.2.1 is listed at Spamhaus'],
  ['recipient_policy', 'soft', restricted, 'Die Zustellung an diese Adresse ist eingeschränkt.'],
  ['relaying_denied', 'soft', relaying, 'We do not relay for this domain'],
  [
    'loop',
    'soft',
    loop,
    'This message is looping: it already has my Delivered-To line.',
    'notices in plain text, qmail',
  ],
  ['sender_address', 'soft', senderAddress, 'sender address could not be verified'],
  ['throttled', 'soft', throttled, 'Too many connections, slow down'],
  [
    'unknown_domain',
    'hard',
    noDomain,
    "Sorry, I couldn't find any host named nowhere.example: unknown host",
    'qmail',
  ],
  ['unknown_address', 'hard', unknownUser, 'Sorry, no mailbox here by that name.', 'qmail, Exim'],
  ['disabled', 'hard', disabled, 'Dieses Konto wurde gesperrt.'],
  ['content', 'soft', content, 'Ihre Nachricht wurde als Spam eingestuft.'],
  ['policy', 'soft', policy, 'Prohibited by our policy'],
  ['greylisted', 'soft', greylisted, 'Bitte versuchen Sie es später erneut.'],
  ['expired', 'soft', expired, 'retry timeout exceeded'],
  ['network', 'soft', network, 'Connection timed out'],
  ['temporary', 'soft', temporary, 'Temporary lookup failure'],
];

export const wordsAlone: readonly BounceRule[] = rows.map(
  ([rule, bounceClass, text, example, source = 'notices in plain text']) => ({
    rule,
    class: bounceClass,
    text,
    source,
    example,
  }),
);
