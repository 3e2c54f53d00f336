// All mails that come back which the tests have: the files under fixtures/reports and those that fixtures/report-forms
// writes, each with what a person who knows mail would make of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { automaticReplies } from '#test/fixtures/report-forms/automatic-replies.ts';
import { complaints } from '#test/fixtures/report-forms/complaints.ts';
import { letters } from '#test/fixtures/report-forms/letters.ts';
import { otherMail } from '#test/fixtures/report-forms/other-mail.ts';
import { relayNotices } from '#test/fixtures/report-forms/relay-notices.ts';
import { standardReports } from '#test/fixtures/report-forms/standard-reports.ts';
import { type Row, type Verdict, write } from '#test/fixtures/report-forms/write.ts';

export const forms = [
  'RFC 3464',
  'free text',
  'automatic reply',
  'complaint',
  'notice of a relay',
  'other',
] as const;
export type Form = (typeof forms)[number];

export interface CorpusMail {
  readonly product: string;
  readonly name: string;
  readonly form: Form;
  readonly verdict: Verdict;
  /** The recipient of our copy; null where the mail does not name it. */
  readonly recipient: string | null;
  /** MAIL FROM of the mail; empty is the null sender. */
  readonly mailFrom: string;
  readonly source: Buffer;
}

/** What is expected of a file, beside it in `expected.json`. */
export interface Expected {
  readonly kind: 'delivery_status' | 'bounce' | 'feedback' | 'auto_reply' | 'other' | 'relay_event';
  readonly action?: string | undefined;
  readonly class?: 'hard' | 'soft' | undefined;
  readonly rule?: string | undefined;
  readonly enhanced?: string | undefined;
  readonly code?: number | undefined;
  readonly recipient?: string | undefined;
  /** MAIL FROM; the null sender if absent. */
  readonly mailFrom?: string;
  /** Where it does not follow from the others. */
  readonly verdict?: Verdict;
}

export const REPORTS = join(import.meta.dirname, '../fixtures/reports');

export const storedReports = readdirSync(REPORTS)
  .sort()
  .map((product) => ({
    product,
    expected: JSON.parse(readFileSync(join(REPORTS, product, 'expected.json'), 'utf8')) as Record<
      string,
      Expected
    >,
  }));

const formOf: Readonly<Record<Expected['kind'], Form>> = {
  delivery_status: 'RFC 3464',
  bounce: 'free text',
  auto_reply: 'automatic reply',
  feedback: 'complaint',
  relay_event: 'notice of a relay',
  other: 'other',
};

const verdictOf = ({ kind, action, class: verdict, verdict: given }: Expected): Verdict => {
  if (given) return given;
  if (verdict) return verdict;
  if (kind === 'auto_reply') return 'auto_reply';
  if (kind === 'feedback') return 'complaint';
  return action === 'delayed' || action === 'delivered' ? action : 'none';
};

const stored: readonly CorpusMail[] = storedReports.flatMap(({ product, expected }) =>
  Object.entries(expected).map(([name, wanted]) => {
    const source = readFileSync(join(REPORTS, product, name));
    return {
      product,
      name,
      form: formOf[wanted.kind],
      verdict: verdictOf(wanted),
      recipient: wanted.recipient ?? null,
      mailFrom: wanted.mailFrom ?? '',
      source,
    };
  }),
);

const written = (form: Form, rows: readonly Row[]): readonly CorpusMail[] =>
  rows.map((row) => ({
    product: row.product,
    name: row.name,
    form,
    verdict: row.verdict,
    ...write(row),
  }));

export const corpus: readonly CorpusMail[] = [
  ...stored,
  ...written('RFC 3464', standardReports),
  ...written('free text', letters),
  ...written('automatic reply', automaticReplies),
  ...written('complaint', complaints),
  ...written('notice of a relay', relayNotices),
  ...written('other', otherMail),
];
