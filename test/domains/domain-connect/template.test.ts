// The template as a provider reads it: the rules that the repository's linter and its reviewers hold templates to, and
// that applying it yields what the host is asked for.

import { describe, expect, test } from 'vitest';
import { templateSchema } from '#src/domains/domain-connect/routes.ts';
import {
  domainConnectTemplate,
  missingGroups,
  type TemplateRecord,
  templateRecords,
  tokenVariables,
} from '#src/domains/domain-connect/template.ts';
import type {
  CheckedRecord,
  HostFacts,
  RecordPurpose,
  RecordStatus,
  WantedRecord,
} from '#src/domains/records/host-check.ts';
import { wantedRecords } from '#src/domains/records/wanted-records.ts';

const SERVICE = 'mail.sendwerk.test';
const settings = {
  providerId: 'sendwerk.test',
  serviceId: 'email',
  serviceName: 'Sendwerk',
  serviceHost: SERVICE,
  publicOrigin: 'https://app.sendwerk.test:8443',
};
const template = domainConnectTemplate(settings);
const { records } = template;

const stringsOf = (record: TemplateRecord): string[] =>
  Object.values(record).filter((value) => typeof value === 'string');
const variablesIn = (text: string): string[] => [...text.matchAll(/%([^%]*)%/g)].map(([, name = '']) => name);
const used = new Set(records.flatMap(stringsOf).flatMap(variablesIn));

describe('the template', () => {
  test('has the fields of the specification, and none besides', () => {
    expect(templateSchema.parse(template)).toEqual(template);
    expect(template).toMatchObject({
      providerId: 'sendwerk.test',
      serviceId: 'email',
      providerName: 'Sendwerk',
      syncPubKeyDomain: SERVICE,
      syncRedirectDomain: 'app.sendwerk.test',
      hostRequired: false,
    });
  });

  test('bears a version that is a positive whole number', () => expect(template.version).toBeGreaterThan(0));

  test('does not warn of phishing beside a key, which providers refuse', () =>
    expect(template).not.toHaveProperty('warnPhishing'));

  test.each(['providerId', 'serviceId'] as const)('has a %s that a file can be named after', (key) =>
    expect(template[key]).toMatch(/^[a-z0-9._-]{1,64}$/),
  );

  test('describes every variable that it uses, and uses every one that it describes', () => {
    const [listed = ''] = template.variableDescription.split(':');
    expect(listed.split(', ').toSorted()).toEqual([...used].toSorted());
    expect([...used].toSorted()).toEqual([...tokenVariables]);
  });

  test.each([
    ['Send%werk% & Söhne', 'Sendwerk & Söhne'],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('names the provider without variables, in 64 characters: %s', (serviceName, providerName) =>
    expect(domainConnectTemplate({ ...settings, serviceName }).providerName).toBe(providerName),
  );
});

describe.each(records.map((record) => [`${record.type} at ${record.host}`, record] as const))(
  'its record %s',
  (_name, record) => {
    test('is of a type that providers know', () =>
      expect(['CNAME', 'MX', 'TXT', 'SPFM']).toContain(record.type));

    test('has a name relative to the host', () => {
      expect(record.host).toMatch(/^(?:@|(?:[%a-z0-9_-]+\.)*[%a-z0-9_-]+)$/);
      expect(record.host).not.toContain('invalid');
      expect(record.host).not.toContain('%host%');
    });

    test('closes its variables, and leaves neither name nor value wholly to them', () => {
      for (const text of stringsOf(record)) {
        expect(text.replace(/%[a-z0-9]+%/g, '')).not.toContain('%');
        expect(text).not.toMatch(/^%[^%]*%$/);
      }
    });

    test('belongs to a group without variables', () => expect(record.groupId).toMatch(/^[a-z_]+$/));

    test('merges SPF and takes the place of no other TXT', () => {
      if (record.type === 'SPFM') {
        expect(record.spfRules).toBe(`include:spf.${SERVICE}`);
        expect(record).not.toHaveProperty('ttl');
      }
      if (record.type === 'TXT') {
        expect(record.data).not.toMatch(/^v=spf1/);
        expect(record.txtConflictMatchingPrefix).toMatch(/^v=[A-Za-z0-9]+$/);
        expect(record.data.startsWith(record.txtConflictMatchingPrefix)).toBe(true);
      }
    });

    test('has a sane TTL and priority', () => {
      if ('ttl' in record) expect(record.ttl).toBe(3_600);
      if (record.type === 'MX') expect(record.priority).toBe(10);
      if (record.type === 'MX' || record.type === 'CNAME') expect(record.pointsTo).not.toMatch(/\.$|^@$/);
    });

    test('exists once, and a CNAME is alone at a name that is not the host', () => {
      const there = records.filter(({ host }) => host === record.host);
      if (record.type === 'CNAME') {
        expect(record.host).not.toBe('@');
        expect(there).toHaveLength(1);
      }
      expect(there.filter(({ type }) => type === record.type)).toHaveLength(1);
    });
  },
);

/** As a provider applies it to an empty zone. */
const applied = (
  host: string,
  tokens: ReadonlyMap<string, string>,
): Pick<WantedRecord, 'type' | 'name' | 'value'>[] =>
  records.map((record) => {
    const fill = (text: string) =>
      text.replace(/%(\w+)%/g, (_, variable: string) => tokens.get(variable) ?? '?');
    const name = record.host === '@' ? host : `${fill(record.host)}.${host}`;
    if (record.type === 'SPFM') return { type: 'TXT', name, value: `v=spf1 ${record.spfRules} ~all` };
    return { type: record.type, name, value: fill('data' in record ? record.data : record.pointsTo) };
  });

const wanted = (host: string, left: readonly string[]) => {
  const keys = tokenVariables.map((variable) => ({
    selector: `token-${variable}`,
    record: '',
    imported: false,
  }));
  const bimi = { logoUrl: null, certificateUrl: null };
  const facts: HostFacts = { host, kind: 'custom', serviceHost: SERVICE, keys, bimi };
  const all = wantedRecords(facts);
  return [...all.records, ...all.inbound]
    .filter(({ purpose }) => !left.includes(purpose))
    .map(({ type, name, value }) => ({ type, name, value }));
};

const tokens = new Map(tokenVariables.map((variable) => [variable as string, `token-${variable}`]));

test('applied to a domain it yields all that is wanted but the logo', () =>
  expect(applied('example.org', tokens)).toEqual(wanted('example.org', ['bimi'])));

test('applied to a name below the domain it yields what is wanted there, and an SPF record that is not asked for', () => {
  const host = 'news.example.org';
  const own = applied(host, tokens).filter(({ name }) => name !== host);
  expect(own).toEqual(wanted(host, ['bimi', 'spf', 'dmarc']));
});

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

describe('groups that a host is missing', () => {
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
      'a name below the domain does not get the records of the domain',
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
    const missing = missingGroups(templateRecords(SERVICE), host, variables, checked(host, statuses));
    expect(missing.groups.map(({ id }) => id)).toEqual(groups);
    expect(missing.byHand.map(({ purpose }) => purpose)).toEqual(byHand);
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
