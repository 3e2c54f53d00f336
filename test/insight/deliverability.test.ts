import { describe, expect, test } from 'vitest';
import type { RecordStatus } from '#src/domains/records/host-check.ts';
import { mechanismOf } from '#src/insight/deliverability.ts';
import { inEnglish, said } from '#src/kernel/say.ts';
import { checkOf, record } from '#test/insight/facts.ts';

describe('the state of a mechanism', () => {
  const worst: readonly (readonly [statuses: RecordStatus[], of: string])[] = [
    [['ok'], 'ok'],
    [['ok', 'error'], 'error'],
    [['missing', 'error', 'ok'], 'missing'],
    [['ok', 'missing', 'mismatch'], 'mismatch'],
    [['proxied', 'missing'], 'proxied'],
    [['mismatch', 'multiple'], 'multiple'],
  ];
  test.each(worst)('of %j is %s', (statuses, of) => {
    const records = statuses.map((status) => record({ status, hint: said(`is ${status}`) }));
    const state = mechanismOf('custom', checkOf(records), ['spf'], inEnglish);
    expect(state).toMatchObject({ status: of, source: 'dns', hint: `is ${of}` });
    expect(state.records.map(({ status }) => status)).toEqual(statuses);
  });

  test('is that of its own records, including those for receiving', () => {
    const check = checkOf([record({ status: 'missing' }), record({ purpose: 'dmarc', found: ['x'] })], {
      inbound: [record({ purpose: 'inbound_mx', type: 'MX', priority: 10, status: 'proxied' })],
    });
    expect(mechanismOf('custom', check, ['dmarc', 'dmarc_subdomain'], inEnglish)).toMatchObject({
      status: 'ok',
      records: [{ found: ['x'] }],
    });
    expect(mechanismOf('custom', check, ['inbound_mx'], inEnglish)).toMatchObject({
      status: 'proxied',
      records: [{ type: 'MX', priority: 10 }],
    });
  });

  test('is `unchecked` before a check, and `ok` from the service for a managed host', () => {
    expect(mechanismOf('custom', null, ['spf'], inEnglish)).toMatchObject({
      status: 'unchecked',
      records: [],
    });
    expect(mechanismOf('custom', checkOf([]), ['bimi'], inEnglish)).toMatchObject({ status: 'unchecked' });
    const failing = checkOf([record({ status: 'missing' })]);
    expect(mechanismOf('managed', failing, ['spf'], inEnglish)).toEqual({
      status: 'ok',
      source: 'service',
      hint: '',
      records: [],
    });
  });
});
