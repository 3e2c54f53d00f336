// Mails that came back, written after the formats of the products whose folder they lie in, byte by byte as they arrive:
// each is taken for what it is, with the words and the class that stand beside it in `expected.json`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readReport } from '#src/feedback/read-report.ts';
import { consequenceOf, type Report } from '#src/feedback/rules.ts';
import { noticeForms } from '#src/mail/bounce-notice-forms.ts';
import { corpus, type Expected, REPORTS, storedReports } from '#test/support/report-corpus.ts';

const FEWEST_MAILS = 150;
const FEWEST_PRODUCTS = 15;

const mails = storedReports.flatMap(({ product, expected }) =>
  Object.entries(expected).map(([name, wanted]) => ({ product, name, wanted })),
);

const sourceOf = (product: string, name: string): Buffer => readFileSync(join(REPORTS, product, name));

/** Who it was about, and what was said to have become of it. */
const saidOf = (report: Report): Pick<Expected, 'action' | 'recipient'> => {
  if (report.kind === 'bounce')
    return { action: report.notice.action, recipient: report.notice.recipient ?? undefined };
  if (report.kind !== 'delivery_status') return {};
  const [first] = report.recipients;
  return { action: first?.action, recipient: first?.originalRecipient ?? first?.finalRecipient ?? undefined };
};

const classOf = (signal: string | undefined): Expected['class'] => {
  if (signal === 'hard_bounced') return 'hard';
  return signal === 'soft_bounced' ? 'soft' : undefined;
};

const whatItIs = (report: Report): Expected => {
  const isBounce = report.kind === 'delivery_status' || report.kind === 'bounce';
  if (!isBounce) return { kind: report.kind };
  const said = saidOf(report);
  const found = consequenceOf(report, { address: said.recipient ?? 'a@b.example', events: [] });
  return {
    kind: report.kind,
    ...said,
    class: classOf(found?.signal),
    rule: found?.rule ?? undefined,
    enhanced: found?.reply?.enhanced ?? undefined,
    code: found?.reply?.code || undefined,
  };
};

test.each(mails)('$product/$name', async ({ product, name, wanted }) => {
  const { kind, mailFrom = '', action, class: verdict, rule, enhanced, code, recipient } = wanted;
  expect(whatItIs(await readReport(sourceOf(product, name), { mailFrom }))).toEqual({
    kind,
    ...(kind === 'delivery_status' || kind === 'bounce'
      ? { action, class: verdict, rule, enhanced, code, recipient }
      : {}),
  });
});

test('every stored mail has an expected result', () => {
  for (const { product, expected } of storedReports) {
    const there = readdirSync(join(REPORTS, product)).filter((name) => name.endsWith('.eml'));
    expect(there.sort(), product).toEqual(Object.keys(expected).sort());
  }
});

test('the corpus has enough mails of enough products', () => {
  expect(mails.length).toBeGreaterThanOrEqual(FEWEST_MAILS);
  expect(storedReports.length).toBeGreaterThanOrEqual(FEWEST_PRODUCTS);
});

test('the mails have the form of SMTP: lines end with CRLF, and none is too long', () => {
  for (const { product, name } of mails) {
    const text = sourceOf(product, name).toString('latin1');
    expect(text.replaceAll('\r\n', ''), `${product}/${name}`).not.toMatch(/[\r\n]/);
    expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
  }
});

describe('each known form of a notice has a mail in the corpus', () => {
  test.each(noticeForms.map(({ product }) => product))('%s', async (product) => {
    const letters = corpus.filter(({ form }) => form === 'free text');
    const found = await Promise.all(letters.map(({ source, mailFrom }) => readReport(source, { mailFrom })));
    expect(found.some((report) => report.kind === 'bounce' && report.notice.product === product)).toBe(true);
  });
});
