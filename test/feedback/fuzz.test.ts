// Damaged copies of all mails of the corpus, the same ones on every run: none is too much for the reader, and none says
// worse of an address than the mail it was made of.
// @module-tag slow
import { describe, expect, test } from 'vitest';
import { readReport } from '#src/feedback/read-report.ts';
import { consequenceOf, type Report } from '#src/feedback/rules.ts';
import { mutations } from '#test/support/mutations.ts';
import { type CorpusMail, corpus } from '#test/support/report-corpus.ts';

const MUTATED = 10_000;
/** What is kept of a report. */
const MAX_RECIPIENTS = 500;
const MAX_TEXT = 1_000;
const MAX_FIELD = 8_192;

const isHard = (report: Report): boolean =>
  consequenceOf(report, { address: 'a@b.example', events: [] })?.signal === 'hard_bounced';

/** Longest text that a report holds of whom it is about. */
const longestAddress = (report: Report): number => {
  if (report.kind === 'bounce') return report.notice.recipient?.length ?? 0;
  if (report.kind !== 'delivery_status') return 0;
  return Math.max(
    ...report.recipients.flatMap(({ finalRecipient, originalRecipient, remoteMta }) =>
      [finalRecipient, originalRecipient, remoteMta].map((text) => text?.length ?? 0),
    ),
  );
};

const check = (report: Report, name: string): void => {
  const found = consequenceOf(report, { address: 'a@b.example', events: [] });
  expect(found?.reply?.text.length ?? 0, name).toBeLessThanOrEqual(MAX_TEXT);
  expect(longestAddress(report), name).toBeLessThanOrEqual(MAX_FIELD);
  if (report.kind === 'delivery_status')
    expect(report.recipients.length, name).toBeLessThanOrEqual(MAX_RECIPIENTS);
};

/** Nothing in it is about a failure, of another recipient or in a quotation; text that people wrote may quote anything. */
const isHarmless = ({ form, verdict, source }: CorpusMail): boolean =>
  form !== 'other' &&
  verdict !== 'hard' &&
  verdict !== 'soft' &&
  !/^action: fail|\b55\d\b|couldn't be found/im.test(source.toString('latin1'));

/** With the null sender only the words that are damaged distinguish an absence from a notice of failure. */
const envelopeOf = ({ form, mailFrom }: CorpusMail) =>
  form === 'automatic reply' ? { mailFrom: 'erika@example.org' } : { mailFrom };

test(`${MUTATED} damaged mails are read without an exception, and none newly becomes a report of a failure`, async () => {
  const each = Math.ceil(MUTATED / corpus.length);
  for (const [seed, sample] of corpus.entries())
    for (const damaged of mutations(sample.source, each, seed)) {
      const report = await readReport(damaged, envelopeOf(sample));
      check(report, `${sample.product}/${sample.name}`);
      if (isHarmless(sample) && isHard(report))
        expect.fail(`${sample.product}/${sample.name}: ${damaged.toString('latin1')}`);
    }
});

describe('a temporary refusal is never a hard bounce', () => {
  const isReadable = (source: Buffer): boolean => /^status: 5/im.test(source.toString('latin1'));
  const final = corpus.filter(({ form, source }) => form === 'RFC 3464' && isReadable(source));
  test.each(final)('$product/$name with the codes of a passing refusal', async ({ source }) => {
    const passing = source
      .toString('latin1')
      .replace(/\b5(\d\d[ -])/g, '4$1')
      .replace(/\b5(\.\d{1,3}\.\d{1,3})/g, '4$1');
    expect(isHard(await readReport(Buffer.from(passing, 'latin1'), { mailFrom: '' }))).toBe(false);
  });
});
