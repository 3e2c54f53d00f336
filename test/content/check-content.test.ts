import { describe, expect, test } from 'vitest';
import { createContentCheck, type Scanners } from '#src/content/check-content.ts';
import { clamdOff } from '#src/content/scanners/clamd.ts';
import { rspamdOff } from '#src/content/scanners/rspamd.ts';
import type { ScannerReport } from '#src/kernel/scanner-report.ts';
import { scanned } from './scanners/scanned.ts';

const answering = <T>(report: T) => ({ scan: async () => report });
const rspamd = (fields: Partial<ScannerReport['rspamd']> = {}) =>
  answering<ScannerReport['rspamd']>({
    ...rspamdOff,
    state: 'ok',
    action: 'no action',
    score: 0,
    required: 15,
    ...fields,
  });
const clamd = (fields: Partial<ScannerReport['clamd']> = {}) =>
  answering<ScannerReport['clamd']>({ ...clamdOff, state: 'ok', ...fields });
const dnsLists = (fields: Partial<ScannerReport['links']> = {}) =>
  answering<ScannerReport['links']>({ state: 'ok', listed: [], ...fields });
const local = { host: 'evil.example', list: 'local', weight: 100 };
const blockList: Scanners['blockList'] = {
  isConfigured: () => true,
  find: (hosts) => (hosts.includes('evil.example') ? [local] : []),
};

const check = (scanners: Partial<Scanners> = {}) =>
  createContentCheck({
    rspamd: null,
    clamd: null,
    dnsLists: null,
    blockList: null,
    onFailure: () => 'pass',
    ...scanners,
  });
const good = scanned();
const evil = scanned({ body: 'Ihr Termin: https://evil.example/' });

describe('scanners that must be asked', () => {
  test.each<[says: string, scanners: Partial<Scanners>, scans: boolean]>([
    ['nothing configured', {}, false],
    ['rspamd', { rspamd: rspamd() }, true],
    ['clamd', { clamd: clamd() }, true],
    ['a list in the DNS', { dnsLists: dnsLists() }, true],
    ['the operator’s own list, which answers at once', { blockList }, false],
  ])('%s', (_, scanners, scans) => {
    expect(check(scanners).scans()).toBe(scans);
  });
});

describe('the content rules alone', () => {
  test('there is no report if nothing is configured', () => {
    expect(check().rate(evil)).toMatchObject({ block: null, scanner: null });
  });

  test('the operator’s list is asked', () => {
    expect(check({ blockList }).rate(evil)).toMatchObject({
      block: 'listed_host',
      scanner: { links: { state: 'ok', listed: [local] } },
    });
  });

  test('other scanners are not asked', () => {
    const all = { rspamd: rspamd({ action: 'reject' }), clamd: clamd(), dnsLists: dnsLists() };
    expect(check(all).rate(good)).toMatchObject({
      block: null,
      unavailable: [],
      scanner: {
        rspamd: { state: 'skipped' },
        clamd: { state: 'skipped' },
        links: { state: 'skipped', listed: [] },
      },
    });
  });
});

describe('all of them', () => {
  test('are asked, and their answers are combined', async () => {
    const named = { host: 'evil.example', list: 'dbl.spamhaus', weight: 15 };
    const all = check({
      rspamd: rspamd({ score: 5 }),
      clamd: clamd(),
      dnsLists: dnsLists({ listed: [named] }),
      blockList,
    });
    const assessment = await all.scan(evil);
    expect(assessment).toMatchObject({
      block: 'listed_host',
      scanner: { rspamd: { score: 5 }, clamd: { state: 'ok' }, links: { listed: [local, named] } },
    });
    expect(assessment.findings.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['rspamd', 'listed_host']),
    );
  });

  test('a host that the operator lists is named once', async () => {
    expect((await check({ clamd: clamd(), blockList }).scan(evil)).scanner?.links).toEqual({
      state: 'ok',
      listed: [local],
    });
  });

  test('what is not configured is off', async () => {
    expect((await check({ clamd: clamd() }).scan(good)).scanner).toMatchObject({
      rspamd: { state: 'off' },
      links: { state: 'off' },
    });
  });
});

describe('one that failed', () => {
  const failed = { rspamd: answering({ ...rspamdOff, state: 'failed' as const }), clamd: clamd() };
  const refuse = { onFailure: () => 'refuse' as const };

  test('is named, and the content passes', async () => {
    expect(await check(failed).scan(good)).toMatchObject({ block: null, unavailable: ['rspamd'] });
  });

  test('refuses the content if the configuration says so', async () => {
    await expect(check({ ...failed, ...refuse }).scan(good)).rejects.toMatchObject({
      code: 'unavailable',
      extra: { retry_after: 10 },
    });
  });

  test('does not prevent a block', async () => {
    const infected = { ...failed, ...refuse, clamd: clamd({ virus: 'Eicar', attachment: 'a.csv' }) };
    expect(await check(infected).scan(good)).toMatchObject({ block: 'virus', unavailable: ['rspamd'] });
  });

  test('follows a change of the configuration', async () => {
    let onFailure: 'pass' | 'refuse' = 'refuse';
    const changing = check({ ...failed, onFailure: () => onFailure });
    await expect(changing.scan(good)).rejects.toMatchObject({ code: 'unavailable' });
    onFailure = 'pass';
    expect(await changing.scan(good)).toMatchObject({ block: null });
  });
});
