// The mails of a form: the one that asks whether the address is that of the one who filled it in, and the receipt once it is. A
// stranger may have typed the address, so neither has a word of what was typed. Pure.
import { legalLines, legalOf } from '#src/accounts/tenants/legal.ts';
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import { formWordsIn } from '#src/inbound/words.ts';
import { type Draft, draftWith } from '#src/intake/draft.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { FormSettings } from './schema.ts';

/** The link can be used for so long; then what was sent is removed. */
export const PROOF_WITHIN_MS = 7 * DAY;

interface About {
  readonly practice: PracticeRow;
  readonly settings: FormSettings;
  readonly address: Address;
}

const senderOf = ({ practice, settings: { language } }: About): string =>
  [
    formWordsIn(language).proof.sender,
    ...legalLines({ name: practice.name, legal: legalOf(practice) }, language, 'short').map(
      ({ text, link }) => (link ? `${link.text}: ${link.url}` : text),
    ),
  ].join('\n');

const draftOf = (about: About, subject: string, paragraphs: readonly string[]): Draft =>
  draftWith({
    to: [{ address: about.address }],
    subject,
    text: [...paragraphs, senderOf(about)].join('\n\n'),
    // Not the default route, which may be one for newsletters.
    route: 'outgoing',
    kind: 'transactional',
    tags: ['website_form'],
    settings: { track_opens: false, track_clicks: false },
  });

export const proofMail = (about: About, link: string): Draft => {
  const { practice, settings } = about;
  const say = formWordsIn(settings.language).proof;
  return draftOf(about, say.subject(settings.title), [
    `${say.greeting}\n\n${say.text(practice.name)}`,
    `${link}\n${say.until(PROOF_WITHIN_MS / DAY)}`,
    say.ignore,
  ]);
};

export const receiptMail = (about: About, receipt: string): Draft =>
  draftOf(about, formWordsIn(about.settings.language).receiptSubject(about.settings.title), [receipt]);
