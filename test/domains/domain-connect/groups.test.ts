import { describe, expect, test } from 'vitest';
import { missingGroups, templateRecords } from '#src/domains/domain-connect/template.ts';
import type { CheckedRecord, RecordPurpose, RecordStatus } from '#src/domains/records/host-check.ts';
import { wantedRecords } from '#src/domains/records/wanted-records.ts';

const SERVICE = 'mail.sendwerk.test';
const variables = new Map([
  ['t1', 'aaa'],
  ['t2', 'bbb'],
  ['t3', 'ccc'],
]);
const keys = [...variables.values()].map((selector) => ({ selector, record: '', imported: false }));

const checked = (host: string, statuses: Partial<Record<RecordPurpose, RecordStatus>>): CheckedRecord[] => {
  const bimi = { logoUrl: null, certificateUrl: null };
  const imported = { selector: 'own', record: 'v=DKIM1; p=x', imported: true };
  const facts = { host, kind: 'custom' as const, serviceHost: SERVICE, keys: [imported, ...keys], bimi };
  const { records, inbound } = wantedRecords(facts);
  return [...records, ...inbound].map((record) => ({
    ...record,
    status: statuses[record.purpose] ?? 'ok',
    found: [],
  }));
};

describe('groups that a host lacks', () => {
  test.each<[string, string, Partial<Record<RecordPurpose, RecordStatus>>, string[], RecordPurpose[]]>([
    ['none where all is well', 'example.org', {}, [], []],
    ['all tokens together', 'example.org', { dkim: 'missing' }, ['dkim'], []],
    [
      'in the place of wrong aliases and mail servers',
      'example.org',
      { dkim: 'proxied', mail_from_mx: 'multiple' },
      ['dkim', 'mail_from_mx'],
      [],
    ],
    [
      'SPF and DMARC where there is none',
      'example.org',
      { spf: 'missing', dmarc: 'missing' },
      ['spf', 'dmarc'],
      [],
    ],
    [
      'never SPF and DMARC where there is one',
      'example.org',
      { spf: 'mismatch', dmarc: 'multiple' },
      [],
      ['spf', 'dmarc'],
    ],
    [
      'never over what could not be looked up',
      'example.org',
      { dmarc: 'error', dkim: 'error' },
      [],
      ['dkim', 'dkim', 'dkim', 'dmarc'],
    ],
    [
      'not what a template cannot bear',
      'example.org',
      { dkim_imported: 'missing', bimi: 'missing' },
      [],
      ['dkim_imported', 'bimi'],
    ],
    [
      'of a name below the domain not what stands at the domain',
      'news.example.org',
      { spf: 'missing', dmarc: 'missing', mail_from_spf: 'missing' },
      ['mail_from_spf'],
      ['spf', 'dmarc'],
    ],
    [
      'of a name below the domain its own DMARC record',
      'news.example.org',
      { dmarc_subdomain: 'missing' },
      ['dmarc'],
      [],
    ],
    [
      'for incoming mail',
      'example.org',
      { inbound_mx: 'missing', mta_sts: 'mismatch', tls_rpt: 'mismatch' },
      ['inbound_mx', 'mta_sts'],
      ['tls_rpt', 'tls_rpt'],
    ],
  ])('%s', (_sentence, host, statuses, groups, byHand) => {
    const lacking = missingGroups(templateRecords(SERVICE), host, variables, checked(host, statuses));
    expect(lacking.groups.map(({ id }) => id)).toEqual(groups);
    expect(lacking.byHand.map(({ purpose }) => purpose)).toEqual(byHand);
  });

  test('the policy of the domain is copied by hand: that of the template is another', () => {
    const host = 'news.example.org';
    const found = checked(host, { dmarc_subdomain: 'missing' }).map((record) =>
      record.purpose === 'dmarc_subdomain' ? { ...record, value: 'v=DMARC1; p=reject' } : record,
    );
    const { groups, byHand } = missingGroups(templateRecords(SERVICE), host, variables, found);
    expect(groups).toEqual([]);
    expect(byHand).toMatchObject([{ purpose: 'dmarc_subdomain', value: 'v=DMARC1; p=reject' }]);
  });

  test('tell the names of their TXT records', () => {
    const host = 'example.org';
    const found = checked(host, {
      dkim: 'missing',
      spf: 'missing',
      dmarc: 'missing',
      mail_from_spf: 'missing',
    });
    expect(missingGroups(templateRecords(SERVICE), host, variables, found).groups).toEqual([
      { id: 'dkim', texts: [] },
      { id: 'spf', texts: ['example.org'] },
      { id: 'mail_from_spf', texts: ['bounce.example.org'] },
      { id: 'dmarc', texts: ['_dmarc.example.org'] },
    ]);
  });
});
