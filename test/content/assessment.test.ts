import { describe, expect, test } from 'vitest';
import {
  type Assessment,
  assessAlike,
  type ContentFinding,
  type ContentRating,
  combine,
  gradeOf,
  HARD_BLOCK_SCORE,
  inboxRiskOf,
} from '#src/content/assessment.ts';
import { clamdOff } from '#src/content/scanners/clamd.ts';
import { rspamdOff } from '#src/content/scanners/rspamd.ts';
import type { ScannerReport } from '#src/kernel/scanner-report.ts';

type Rspamd = ScannerReport['rspamd'];

const quiet: ScannerReport = {
  rspamd: { ...rspamdOff, state: 'ok', action: 'no action', score: 0, required: 15 },
  clamd: { ...clamdOff, state: 'ok' },
  links: { state: 'ok', listed: [] },
};
const rspamd = (fields: Partial<Rspamd>): ScannerReport => ({
  ...quiet,
  rspamd: { ...quiet.rspamd, ...fields },
});
const virus: ScannerReport = {
  ...quiet,
  clamd: { state: 'ok', virus: 'Eicar-Test', attachment: 'liste.csv' },
};
const listed = (...weights: readonly number[]): ScannerReport => ({
  ...quiet,
  links: {
    state: 'ok',
    listed: weights.map((weight) => ({ host: `w${weight}.example`, list: 'multi.surbl', weight })),
  },
});
const assess = (report: ScannerReport | null, ...weights: readonly number[]): Assessment =>
  combine(
    {
      findings: weights.map((weight): ContentFinding => ({ id: 'a_rule', weight, detail: null })),
      promotional: ['discount'],
      promotionalScore: 45,
      linkHosts: [],
    },
    report,
  );

describe('score and block', () => {
  test.each<[says: string, assessment: Assessment, score: number, block: Assessment['block']]>([
    ['nothing against it', assess(null), 0, null],
    ['rules add up', assess(null, 12, 20), 32, null],
    ['one below the limit passes', assess(null, HARD_BLOCK_SCORE - 1), 69, null],
    ['at the limit it is blocked', assess(null, 50, 20), 70, 'score'],
    ['it ends at 100', assess(null, 80, 80), 100, 'score'],
    ['scanners that say nothing add nothing', assess(quiet, 12), 12, null],
    ['a third of what rspamd rejects at is a third of 70', assess(rspamd({ score: 5 })), 23, null],
    ['the scale is rspamd’s own', assess(rspamd({ score: 5, required: 20 })), 18, null],
    ['a scale of 0 is none', assess(rspamd({ score: 5, required: 0 })), 23, null],
    ['nor is none', assess(rspamd({ score: 5, required: null })), 23, null],
    ['a little is nothing', assess(rspamd({ score: 2 }), 12), 12, null],
    ['a little more is something', assess(rspamd({ score: 2.1 }), 12), 22, null],
    ['below 0 it takes nothing away', assess(rspamd({ score: -9 }), 12), 12, null],
    ['without a rejection rspamd alone does not block', assess(rspamd({ score: 400 })), 69, null],
    ['with a rule beside it it does', assess(rspamd({ score: 400 }), 1), 70, 'score'],
    ['a rejection blocks at any score', assess(rspamd({ action: 'reject', score: 1 })), 90, 'scanner'],
    ['so does a quarantine', assess(rspamd({ action: 'quarantine', score: 1 })), 90, 'scanner'],
    ['so does what is to be discarded', assess(rspamd({ action: 'discard', score: 1 })), 90, 'scanner'],
    ['greylisting counts by its score', assess(rspamd({ action: 'greylist', score: 4.5 })), 21, null],
    ['so does a soft reject', assess(rspamd({ action: 'soft reject', score: 0 })), 0, null],
    ['so does a header', assess(rspamd({ action: 'add header', score: 7.5 })), 35, null],
    ['what rspamd skipped does not count', assess(rspamd({ state: 'skipped', score: 9 })), 0, null],
    ['nor what it failed at', assess(rspamd({ state: 'failed', action: 'reject' })), 0, null],
    ['a virus blocks', assess(virus), 100, 'virus'],
    ['a listed host blocks', assess(listed(100)), 100, 'listed_host'],
    ['one that does not weigh so much adds to the score', assess(listed(15)), 15, null],
    ['of several the worst counts', assess(listed(10, 30, 5), 12), 42, null],
    ['several that block are one', assess(listed(15, 100)), 100, 'listed_host'],
    ['a virus is said before all else', assess({ ...listed(100), clamd: virus.clamd }), 100, 'virus'],
    [
      'a listed host before a rejection',
      assess({ ...listed(100), rspamd: rspamd({ action: 'reject' }).rspamd }),
      100,
      'listed_host',
    ],
    ['a rejection before the score', assess(rspamd({ action: 'reject' }), HARD_BLOCK_SCORE), 100, 'scanner'],
  ])('%s', (_, assessment, score, block) => {
    expect([assessment.score, assessment.block]).toEqual([score, block]);
  });
});

describe('findings', () => {
  const added = (report: ScannerReport) => assess(report, 3).findings.slice(1);

  test.each<[says: string, report: ScannerReport, expected: readonly ContentFinding[]]>([
    ['of nobody', quiet, []],
    [
      'of rspamd name its symbols',
      rspamd({ score: 3, symbols: ['FORGED_SENDER', 'R_PARTS_DIFFER'] }),
      [{ id: 'rspamd', weight: 14, detail: 'FORGED_SENDER R_PARTS_DIFFER' }],
    ],
    ['of rspamd without any', rspamd({ score: 3 }), [{ id: 'rspamd', weight: 14, detail: null }]],
    ['of clamd name what it found', virus, [{ id: 'virus', weight: 100, detail: 'Eicar-Test' }]],
    [
      'of lists name host and list',
      listed(30, 5),
      [
        {
          id: 'listed_host',
          weight: 30,
          detail: 'w30.example (multi.surbl), w5.example (multi.surbl)',
        },
      ],
    ],
    [
      'name who failed, and weigh nothing',
      { ...rspamd({ state: 'failed' }), clamd: { ...clamdOff, state: 'failed' } },
      [{ id: 'scanner_unavailable', weight: 0, detail: 'rspamd clamd' }],
    ],
  ])('%s', (_, report, expected) => {
    expect(added(report)).toEqual(expected);
  });

  test('failed scanners are named, others are not', () => {
    const report: ScannerReport = {
      rspamd: rspamdOff,
      clamd: { ...clamdOff, state: 'skipped' },
      links: { state: 'failed', listed: [] },
    };
    expect(assess(report).unavailable).toEqual(['links']);
    expect(assess(quiet).unavailable).toEqual([]);
    expect(assess(null)).toMatchObject({ unavailable: [], scanner: null });
  });

  test('the rating of advertising stays', () => {
    expect(assess(virus)).toMatchObject({ promotional: ['discount'], promotionalScore: 45, scanner: virus });
  });
});

test.each([
  [0, 'A', 'low'],
  [9, 'A', 'low'],
  [10, 'B', 'low'],
  [24, 'B', 'low'],
  [25, 'C', 'medium'],
  [39, 'C', 'medium'],
  [40, 'D', 'medium'],
  [54, 'D', 'medium'],
  [55, 'E', 'high'],
  [69, 'E', 'high'],
  [70, 'F', 'high'],
  [100, 'F', 'high'],
])('a score of %i is an %s, and its risk %s', (score, grade, risk) => {
  expect([gradeOf(score), inboxRiskOf(score)]).toEqual([grade, risk]);
});

const rating: ContentRating = {
  findings: [{ id: 'shouting', weight: 20, detail: null }],
  promotional: ['offer'],
  promotionalScore: 40,
  linkHosts: [],
};
const listing = (host: string, weight: number) => ({ host, list: 'local', weight });
const own = (listed = quiet.links.listed): Assessment => {
  const report = {
    ...quiet,
    rspamd: { ...quiet.rspamd, state: 'skipped' as const },
    links: { ...quiet.links, listed },
  };
  return combine(rating, report);
};

describe('a message made from the same template as a scanned one', () => {
  test('is rated by its own content', () => {
    expect(assessAlike(own(), quiet)).toEqual(combine(rating, quiet));
  });

  const blocking: readonly (readonly [block: string, said: Partial<ScannerReport>])[] = [
    ['scanner', { rspamd: { ...quiet.rspamd, action: 'reject', score: 20 } }],
    ['virus', { clamd: { state: 'ok', virus: 'Eicar', attachment: 'a.pdf' } }],
    ['listed_host', { links: { state: 'ok', listed: [listing('bad.example', 100)] } }],
  ];
  test.each(blocking)('a block by %s holds for it, too', (block, said) => {
    expect(assessAlike(own(), { ...quiet, ...said }).block).toBe(block);
  });

  test('a share of the score is added to its own', () => {
    const said = { ...quiet, rspamd: { ...quiet.rspamd, score: 12 } };
    expect(assessAlike(own(), said)).toMatchObject({ score: 76, block: 'score' });
  });

  test('a host on a list counts once', () => {
    const said = { ...quiet, links: { ...quiet.links, listed: [listing('a.example', 10)] } };
    const both = assessAlike(own([listing('a.example', 10), listing('b.example', 100)]), said);
    expect(both.scanner?.links.listed.map(({ host }) => host)).toEqual(['a.example', 'b.example']);
    expect(both).toMatchObject({ block: 'listed_host', score: 100 });
    expect(both.findings.filter(({ id }) => id === 'listed_host')).toHaveLength(1);
  });

  test('a scanner that failed is named', () => {
    const said = { ...quiet, rspamd: { ...quiet.rspamd, state: 'failed' as const } };
    expect(assessAlike(own(), said).unavailable).toEqual(['rspamd']);
  });
});
