// How many of all mails that come back are understood, by form and by product, against what a person who knows mail would
// make of them. The bounds are those of the project: a false hard bounce suppresses the address of a living patient.
import { expect, test } from 'vitest';
import { readComplaint } from '#src/feedback/read-complaint.ts';
import { readReport } from '#src/feedback/read-report.ts';
import { consequenceOf, type Report } from '#src/feedback/rules.ts';
import { isOptOut } from '#src/mail/arf.ts';
import type { Verdict } from '#test/fixtures/report-forms/write.ts';
import { type CorpusMail, corpus, forms } from '#test/support/report-corpus.ts';

const MIN_RIGHT = 0.92;
const MIN_RIGHT_STANDARD = 0.97;
/** Of the mails where hard is wrong. */
const MAX_FALSE_HARD = 0.01;
const FEWEST_PRODUCTS = 200;

const ANYBODY = 'a@b.example';

const signals: Readonly<Record<string, Verdict>> = {
  hard_bounced: 'hard',
  soft_bounced: 'soft',
  delayed: 'delayed',
  delivered: 'delivered',
  auto_replied: 'auto_reply',
  spam_complaint: 'complaint',
};

const verdictOf = (report: Report, recipient: string | null): Verdict => {
  if (report.kind === 'feedback' && isOptOut(report.feedback)) return 'opt_out';
  const found = consequenceOf(report, { address: recipient ?? ANYBODY, events: [] });
  return found === null ? 'none' : (signals[found.signal] ?? 'none');
};

/** What it is at the address for complaints, which knows no recipient and takes no other reports. */
const atComplaints = async (source: Buffer): Promise<Verdict> => {
  const found = await readComplaint(source);
  return found === null || 'subscriptionLink' in found ? 'none' : verdictOf(found.report, null);
};
const COME_THERE: readonly string[] = ['complaint', 'notice of a relay'];

interface Read extends CorpusMail {
  readonly got: Verdict;
  readonly gotAtComplaints: Verdict;
  readonly isRight: boolean;
}

const read = async (mail: CorpusMail): Promise<Read> => {
  const got = verdictOf(await readReport(mail.source, mail), mail.recipient);
  const gotAtComplaints = await atComplaints(mail.source);
  const wantedThere = COME_THERE.includes(mail.form) ? mail.verdict : 'none';
  return { ...mail, got, gotAtComplaints, isRight: got === mail.verdict && gotAtComplaints === wantedThere };
};

const share = (all: readonly Read[]): string => {
  const right = all.filter(({ isRight }) => isRight).length;
  return `${String(right).padStart(4)} of ${String(all.length).padStart(4)}  ${((100 * right) / all.length).toFixed(1).padStart(5)} %`;
};

/** Columns of the list of products. */
const COLUMNS = 3;
const WIDTH = 42;

const table = (all: readonly Read[]): string => {
  const cells = Object.entries(Object.groupBy(all, ({ product }) => product))
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([product, own = []]) => {
      const right = own.filter(({ isRight }) => isRight).length;
      return `${product.padEnd(WIDTH - 8)} ${right}/${own.length}`.padEnd(WIDTH);
    });
  const rows = Array.from({ length: Math.ceil(cells.length / COLUMNS) }, (_, at) =>
    cells
      .slice(at * COLUMNS, (at + 1) * COLUMNS)
      .join('')
      .trimEnd(),
  );
  const wrong = all.filter(({ isRight }) => !isRight);
  return [
    'form                right           share',
    ...forms.map((form) => `${form.padEnd(19)}${share(all.filter((mail) => mail.form === form))}`),
    `${'all'.padEnd(19)}${share(all)}`,
    '',
    `right of all, by ${cells.length} products`,
    ...rows,
    '',
    ...wrong.map(
      ({ form, product, name, verdict, got, gotAtComplaints }) =>
        `wrong: ${form}, ${product}/${name}: is ${verdict}, read as ${got}${gotAtComplaints === 'none' ? '' : `, as ${gotAtComplaints} at the address for complaints`}`,
    ),
    '',
  ].join('\n');
};

test('mails that come back are understood', async () => {
  const all = await Promise.all(corpus.map(read));
  process.stdout.write(table(all));

  const shareRight = (some: readonly Read[]): number =>
    some.filter(({ isRight }) => isRight).length / some.length;
  const notHard = all.filter(({ verdict }) => verdict !== 'hard');
  const falseHard = notHard.filter(({ got }) => got === 'hard');
  const falseComplaints = all.filter(
    ({ verdict, got, gotAtComplaints }) =>
      verdict !== 'complaint' && (got === 'complaint' || gotAtComplaints === 'complaint'),
  );
  expect(falseComplaints.map(({ product, name }) => `${product}/${name}`)).toEqual([]);
  expect(falseHard.length / notHard.length).toBeLessThanOrEqual(MAX_FALSE_HARD);
  expect(shareRight(all.filter(({ form }) => form === 'RFC 3464'))).toBeGreaterThanOrEqual(
    MIN_RIGHT_STANDARD,
  );
  expect(shareRight(all)).toBeGreaterThanOrEqual(MIN_RIGHT);
});

test('the corpus has enough products, and enough mails where a hard bounce would be wrong', () => {
  expect(new Set(corpus.map(({ product }) => product)).size).toBeGreaterThanOrEqual(FEWEST_PRODUCTS);
  const bounces = corpus.filter(({ form }) => form === 'RFC 3464' || form === 'free text');
  const notHard = bounces.filter(({ verdict }) => verdict !== 'hard');
  expect(notHard.length / bounces.length).toBeGreaterThanOrEqual(1 / 3);
});
