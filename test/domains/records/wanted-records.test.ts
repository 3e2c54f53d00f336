import { describe, expect, test } from 'vitest';
import type { HostFacts } from '#src/domains/records/host-check.ts';
import { apexOf, wantedRecords } from '#src/domains/records/wanted-records.ts';
import { inEnglish } from '#src/kernel/say.ts';

const facts: HostFacts = {
  host: 'news.praxis.co.uk',
  kind: 'custom',
  serviceHost: 'mail.test',
  keys: [
    { selector: 'own', record: 'v=DKIM1; k=rsa; p=AAAA', imported: true },
    { selector: 'token', record: 'v=DKIM1; k=rsa; p=BBBB', imported: false },
  ],
  bimi: { logoUrl: null, certificateUrl: null },
};
const shown = (changed: Partial<HostFacts>) => {
  const { records, inbound } = wantedRecords({ ...facts, ...changed });
  return [...records, ...inbound].map(({ type, name, priority, value, required }) =>
    [required ? '!' : '?', name, type, priority, value].filter((part) => part !== null).join(' '),
  );
};

describe('what a host is to publish', () => {
  test('a host below its organizational domain', () => {
    expect(shown({})).toEqual([
      '! own._domainkey.news.praxis.co.uk TXT v=DKIM1; k=rsa; p=AAAA',
      '! token._domainkey.news.praxis.co.uk CNAME token.dkim.mail.test',
      '! praxis.co.uk TXT v=spf1 include:spf.mail.test ~all',
      '! bounce.news.praxis.co.uk MX 10 mail.test',
      '! bounce.news.praxis.co.uk TXT v=spf1 include:spf.mail.test ~all',
      '! _dmarc.praxis.co.uk TXT v=DMARC1; p=none; adkim=r; aspf=r; rua=mailto:dmarc@mail.test',
      '! _dmarc.news.praxis.co.uk TXT v=DMARC1; p=none; adkim=r; aspf=r; rua=mailto:dmarc@mail.test',
      '? default._bimi.news.praxis.co.uk TXT v=BIMI1; l=https://news.praxis.co.uk/logo.svg;',
      '? in.news.praxis.co.uk MX 10 mail.test',
      '? _mta-sts.in.news.praxis.co.uk CNAME _mta-sts.mail.test',
      '? mta-sts.in.news.praxis.co.uk CNAME mta-sts.mail.test',
      '? _smtp._tls.in.news.praxis.co.uk TXT v=TLSRPTv1; rua=mailto:tls-rpt@mail.test',
      '? _mta-sts.bounce.news.praxis.co.uk CNAME _mta-sts.mail.test',
      '? mta-sts.bounce.news.praxis.co.uk CNAME mta-sts.mail.test',
      '? _smtp._tls.bounce.news.praxis.co.uk TXT v=TLSRPTv1; rua=mailto:tls-rpt@mail.test',
    ]);
  });

  test.each<[string, Partial<HostFacts>]>([
    ['the organizational domain itself', { host: 'praxis.co.uk' }],
    ['a managed host: what is above it is the operator’s', { kind: 'managed' }],
  ])('%s has one DMARC record, and SPF at itself', (_says, changed) => {
    const host = changed.host ?? facts.host;
    const names = wantedRecords({ ...facts, ...changed }).records.map(
      ({ purpose, name }) => `${purpose} ${name}`,
    );
    expect(names).toContain(`spf ${host}`);
    expect(names.filter((name) => name.startsWith('dmarc'))).toEqual([`dmarc _dmarc.${host}`]);
  });

  test('an MX is never asked for at the apex or the host', () => {
    for (const kind of ['managed', 'custom'] as const)
      for (const host of ['praxis.de', 'news.praxis.de']) {
        const { records, inbound } = wantedRecords({ ...facts, host, kind });
        const exchanges = [...records, ...inbound]
          .filter(({ type }) => type === 'MX')
          .map(({ name }) => name);
        expect(exchanges).toEqual([`bounce.${host}`, `in.${host}`]);
      }
  });

  test('of a managed host nothing is to be published by anybody who reads it', () => {
    const { records, inbound } = wantedRecords({ ...facts, kind: 'managed' });
    for (const { hint } of [...records, ...inbound])
      expect(inEnglish(hint)).toContain('nothing for you to do');
  });

  test('a logo and its certificate as set', () => {
    const bimi = { logoUrl: 'https://a.example/l.svg', certificateUrl: 'https://a.example/c.pem' };
    expect(shown({ bimi }).find((line) => line.includes('_bimi'))).toBe(
      '? default._bimi.news.praxis.co.uk TXT v=BIMI1; l=https://a.example/l.svg; a=https://a.example/c.pem;',
    );
  });

  test('a host that is a public suffix is its own apex', () => {
    expect(apexOf({ host: 'co.uk', kind: 'custom' })).toBe('co.uk');
  });
});
