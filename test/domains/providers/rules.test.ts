// What a record to publish meets at a DNS provider, and where its zone may begin.
import { describe, expect, test } from 'vitest';
import { findAtProvider, zoneNames } from '#src/domains/providers/rules.ts';
import { receivingRecords } from '#src/domains/records/wanted-records.ts';

const wanted = receivingRecords({ host: 'praxis.test', kind: 'custom', serviceHost: 'mail.example.com' });
const of = (purpose: string) => {
  const record = wanted.find((one) => one.purpose === purpose);
  if (!record) throw new Error(`no record ${purpose}`);
  return record;
};
const MX = 'MX mail.example.com';
const STS = 'CNAME _mta-sts.mail.example.com';
const TLS = 'TXT v=TLSRPTv1; rua=mailto:tls-rpt@mail.example.com';

describe('at the provider', () => {
  test.each([
    ['inbound_mx', [], 'absent'],
    ['inbound_mx', [MX], 'present'],
    ['inbound_mx', [MX, 'TXT v=spf1 -all', 'A 192.0.2.1'], 'present'],
    ['inbound_mx', ['A 192.0.2.1'], 'absent'],
    ['inbound_mx', ['MX mx.other.example'], 'conflict'],
    ['inbound_mx', [MX, 'MX mx.other.example'], 'conflict'],
    ['inbound_mx', ['CNAME www.praxis.test'], 'conflict'],
    ['inbound_mx', ['NS ns1.other.example'], 'conflict'],
    ['mta_sts', [], 'absent'],
    ['mta_sts', [STS], 'present'],
    ['mta_sts', ['CNAME elsewhere.example'], 'conflict'],
    ['mta_sts', ['TXT v=STSv1; id=1'], 'conflict'],
    ['tls_rpt', [TLS], 'present'],
    ['tls_rpt', ['TXT something else'], 'absent'],
    ['tls_rpt', ['TXT v=TLSRPTv1; rua=mailto:tls@praxis.test'], 'conflict'],
    ['tls_rpt', [TLS, 'TXT v=TLSRPTv1; rua=mailto:tls@praxis.test'], 'conflict'],
    ['tls_rpt', ['CNAME elsewhere.example'], 'conflict'],
  ])('%s beside %j is %s', (purpose, beside, is) => {
    const record = of(purpose);
    const records = beside.map((text) => {
      const [type = '', ...content] = text.split(' ');
      return { type, name: record.name, content: content.join(' ') };
    });
    expect(findAtProvider(record, records).is).toBe(is);
  });
});

test.each([
  ['praxis.test', 'praxis.test', ['praxis.test']],
  ['a.b.praxis.test', 'praxis.test', ['a.b.praxis.test', 'b.praxis.test', 'praxis.test']],
])('the zone of %s below %s is looked for from the host up', (host, organizational, names) => {
  expect(zoneNames(host, organizational)).toEqual(names);
});
