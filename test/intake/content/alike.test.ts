import { describe, expect, test } from 'vitest';
import { assessAlike } from '#src/intake/content/alike.ts';
import {
  type Assessment,
  type ContentRating,
  combine,
  type ScannerReport,
} from '#src/intake/content/assessment.ts';

const rating: ContentRating = {
  findings: [{ id: 'shouting', weight: 20, detail: null }],
  promotional: ['offer'],
  promotionalScore: 40,
  linkHosts: [],
};
const quiet: ScannerReport = {
  rspamd: { state: 'ok', action: 'no action', score: 0, required: 15, symbols: [] },
  clamd: { state: 'ok', virus: null, attachment: null },
  links: { state: 'ok', listed: [] },
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

describe('for a message like the one that was scanned', () => {
  test('the rules speak of itself', () => {
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

  test('hosts on a list count once each, whoever found them', () => {
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
