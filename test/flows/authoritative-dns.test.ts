// The built-in name server of a running application, asked by dig as the world asks it: every record type and kind of
// name over UDP and TCP, and what it must refuse.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { digAt, dnsHealth, HOST, OWN, SUFFIX, startWithDns, zones } from '#test/flows/dns-scene.ts';
import { startApp } from '#test/support/app.ts';

describe('dig', { tags: 'debian/bind9-dnsutils' }, () => {
  let app: Awaited<ReturnType<typeof startWithDns>>;
  let dig: ReturnType<typeof digAt>;
  let tokens: string[];
  beforeAll(async () => {
    app = await startWithDns();
    dig = digAt(app.dnsPort);
    await app.createPractice({ name: 'Praxis am See' });
    const rows = app.sql<{ token: string }>(
      null,
      'SELECT token FROM dkim_tokens WHERE domain = ? ORDER BY position',
      OWN,
    );
    tokens = rows.map(({ token }) => token);
  });
  afterAll(() => app.remove());

  /** Stands in a row for the first token, which is new in each run. */
  const filled = (text: string): string =>
    text.replaceAll('TOKEN', tokens[0] ?? '').replaceAll('THIRD', tokens[2] ?? '');
  const soa = (zone: string, ttl: number): string =>
    `${zone}. ${ttl} IN SOA ns1.${HOST}. dns\\.admin.example.com. SERIAL 3600 600 1209600 300`;
  const plain = (lines: readonly string[]): string[] =>
    lines.map((line) => line.replace(/(?<= SOA \S+ \S+ )\d{10}(?= )/, 'SERIAL'));
  const keyIn = (line: string): string => line.replace(/"v=DKIM1; k=(\w+);[^"]*"( "[^"]*")?/, 'KEY $1');

  const mx = (name: string): string[] => [`${name}. 3600 IN MX 10 ${HOST}.`];
  const spf = (name: string): string[] => [`${name}. 3600 IN TXT "v=spf1 include:spf.${HOST} ~all"`];
  const dmarc = (name: string): string[] => [
    `_dmarc.${name}. 3600 IN TXT "v=DMARC1; p=none; adkim=r; aspf=r; rua=mailto:dmarc@${HOST}"`,
  ];
  const reports = (name: string): string[] => [
    `_smtp._tls.${name}. 3600 IN TXT "v=TLSRPTv1; rua=mailto:tls-rpt@${HOST}"`,
  ];
  const a = (name: string): string[] => [`${name}. 3600 IN A 192.0.2.10`, `${name}. 3600 IN A 192.0.2.11`];
  const aaaa = (name: string): string[] => [`${name}. 3600 IN AAAA 2001:db8::10`];
  const ns = (name: string): string[] => zones.nameservers.map((server) => `${name}. 3600 IN NS ${server}.`);
  const policy = expect.stringMatching(
    /^_mta-sts\.mail\.example\.com\. 3600 IN TXT "v=STSv1; id=[0-9a-f]{32}"$/,
  );

  describe.each([
    ['UDP', '+notcp'],
    ['TCP', '+tcp'],
  ])('by %s', (_transport, transport) => {
    type Found = [name: string, type: string, answer: unknown[]];
    const rows: Found[] = [
      ...[HOST, SUFFIX].flatMap((zone): Found[] => [
        [zone, 'SOA', [soa(zone, 3_600)]],
        [zone, 'NS', ns(zone)],
        [`_dmarc.${zone}`, 'TXT', dmarc(zone)],
      ]),
      ...[HOST, `ns1.${HOST}`, `ns2.${HOST}`, `mta-sts.${HOST}`].flatMap((name): Found[] => [
        [name, 'A', a(name)],
        [name, 'AAAA', aaaa(name)],
      ]),
      [HOST, 'MX', mx(HOST)],
      [HOST, 'TXT', spf(HOST)],
      [
        `spf.${HOST}`,
        'TXT',
        [`spf.${HOST}. 3600 IN TXT "v=spf1 ip4:192.0.2.10 ip4:192.0.2.11 ip6:2001:db8::10 ~all"`],
      ],
      [`bounce.${HOST}`, 'MX', mx(`bounce.${HOST}`)],
      [`bounce.${HOST}`, 'TXT', spf(`bounce.${HOST}`)],
      [`simulator.${HOST}`, 'MX', mx(`simulator.${HOST}`)],
      [`_mta-sts.${HOST}`, 'TXT', [policy]],
      [`_smtp._tls.${HOST}`, 'TXT', reports(HOST)],
      [`see.de._report._dmarc.${HOST}`, 'TXT', [`see.de._report._dmarc.${HOST}. 3600 IN TXT "v=DMARC1"`]],
      [`*._report._dmarc.${HOST}`, 'TXT', [`*._report._dmarc.${HOST}. 3600 IN TXT "v=DMARC1"`]],
      [`TOKEN.dkim.${HOST}`, 'TXT', [`TOKEN.dkim.${HOST}. 300 IN TXT KEY rsa`]],
      [`THIRD.dkim.${HOST}`, 'TXT', [`THIRD.dkim.${HOST}. 300 IN TXT KEY ed25519`]],
      [OWN, 'A', a(OWN)],
      [OWN, 'AAAA', aaaa(OWN)],
      [OWN, 'TXT', spf(OWN)],
      [`_dmarc.${OWN}`, 'TXT', dmarc(OWN)],
      [`bounce.${OWN}`, 'MX', mx(`bounce.${OWN}`)],
      [`bounce.${OWN}`, 'TXT', spf(`bounce.${OWN}`)],
      [`in.${OWN}`, 'MX', mx(`in.${OWN}`)],
      [`TOKEN._domainkey.${OWN}`, 'CNAME', [`TOKEN._domainkey.${OWN}. 3600 IN CNAME TOKEN.dkim.${HOST}.`]],
      [
        `TOKEN._domainkey.${OWN}`,
        'TXT',
        [
          `TOKEN._domainkey.${OWN}. 3600 IN CNAME TOKEN.dkim.${HOST}.`,
          `TOKEN.dkim.${HOST}. 300 IN TXT KEY rsa`,
        ],
      ],
      ...[`in.${OWN}`, `bounce.${OWN}`].flatMap((name): Found[] => [
        [`_mta-sts.${name}`, 'TXT', [`_mta-sts.${name}. 3600 IN CNAME _mta-sts.${HOST}.`, policy]],
        [
          `mta-sts.${name}`,
          'A',
          [`mta-sts.${name}. 3600 IN CNAME mta-sts.${HOST}.`, ...a(`mta-sts.${HOST}`)],
        ],
        [
          `mta-sts.${name}`,
          'AAAA',
          [`mta-sts.${name}. 3600 IN CNAME mta-sts.${HOST}.`, ...aaaa(`mta-sts.${HOST}`)],
        ],
        [`_smtp._tls.${name}`, 'TXT', reports(name)],
      ]),
      // One RRset is enough for ANY (RFC 8482 §4.1).
      [HOST, 'ANY', [soa(HOST, 3_600)]],
      [OWN, 'ANY', a(OWN)],
    ];
    test.each(rows)('%s %s', async (name, type, answer) => {
      const said = await dig(transport, filled(name), type);
      expect(said.head).toBe('NOERROR qr aa');
      expect(plain(said.answer).map(keyIn)).toEqual(
        answer.map((line) => (typeof line === 'string' ? filled(line) : line)),
      );
      expect([said.authority, said.additional]).toEqual([[], []]);
      expect(said.text).toContain('EDNS: version: 0, flags:; udp: 1232');
    });

    test.each<[code: string, name: string, type: string, zone: string]>([
      ['NXDOMAIN', `www.${HOST}`, 'A', HOST],
      ['NXDOMAIN', `x.dkim.${HOST}`, 'TXT', HOST],
      ['NXDOMAIN', `x.TOKEN.dkim.${HOST}`, 'TXT', HOST],
      ['NXDOMAIN', `niemand.${SUFFIX}`, 'MX', SUFFIX],
      ['NXDOMAIN', `_mta-sts.in.niemand.${SUFFIX}`, 'TXT', SUFFIX],
      ['NXDOMAIN', `www.${OWN}`, 'A', SUFFIX],
      ['NXDOMAIN', `www.${HOST}`, 'ANY', HOST],
      ['NOERROR', HOST, 'CNAME', HOST],
      ['NOERROR', HOST, 'HTTPS', HOST],
      ['NOERROR', HOST, 'TYPE65280', HOST],
      ['NOERROR', SUFFIX, 'A', SUFFIX],
      ['NOERROR', SUFFIX, 'MX', SUFFIX],
      ['NOERROR', SUFFIX, 'DS', SUFFIX],
      ['NOERROR', SUFFIX, 'DNSKEY', SUFFIX],
      ['NOERROR', OWN, 'MX', SUFFIX],
      ['NOERROR', `dkim.${HOST}`, 'TXT', HOST],
      ['NOERROR', `_tls.${HOST}`, 'ANY', HOST],
      ['NOERROR', `_domainkey.${OWN}`, 'TXT', SUFFIX],
      ['NOERROR', `_tls.in.${OWN}`, 'TXT', SUFFIX],
      ['NOERROR', `see.de._report._dmarc.${HOST}`, 'A', HOST],
    ])('%s of %s %s, with the SOA of its zone', async (code, name, type, zone) => {
      const said = await dig(transport, filled(name), type);
      expect(said.head).toBe(`${code} qr aa`);
      expect(said.answer).toEqual([]);
      expect(plain(said.authority)).toEqual([soa(zone, 300)]);
    });

    test('an alias without the type asked for comes with the SOA of where it ends', async () => {
      const said = await dig(transport, filled(`TOKEN._domainkey.${OWN}`), 'A');
      expect(said.head).toBe('NOERROR qr aa');
      expect(said.answer).toHaveLength(1);
      expect(plain(said.authority)).toEqual([soa(HOST, 300)]);
    });

    test.each<[sentence: string, args: string[], head: string]>([
      ['a name in no zone of ours', ['example.org', 'A'], 'REFUSED qr'],
      ['a name that only ends alike', [`x${HOST}`, 'A'], 'REFUSED qr'],
      ['the zone above', ['example.com', 'NS'], 'REFUSED qr'],
      ['the root', ['.', 'NS'], 'REFUSED qr'],
      ['recursion, which is not offered', ['+rec', 'example.org', 'A'], 'REFUSED qr rd'],
      ['another class', ['-c', 'CH', 'version.bind', 'TXT'], 'REFUSED qr'],
      ['an update', ['+opcode=UPDATE', HOST, 'SOA'], 'NOTIMP qr'],
      ['a later EDNS', ['+edns=1', '+noednsnegotiation', HOST, 'A'], 'BADVERS qr'],
      ['no question', ['+header-only'], 'FORMERR qr'],
    ])('refused: %s', async (_sentence, args, head) => {
      const said = await dig(transport, ...args);
      expect(said.head).toBe(head);
      expect([said.answer, said.authority]).toEqual([[], []]);
    });

    test.each(['AXFR', 'IXFR=1'])('%s transfers nothing', async (type) => {
      const { text } = await dig(transport, HOST, type);
      expect(text.split('\n').filter((line) => line !== '' && !line.startsWith(';'))).toEqual([]);
    });

    test('recursion asked for changes nothing, and is not offered', async () => {
      expect((await dig(transport, '+rec', HOST, 'A')).head).toBe('NOERROR qr aa rd');
    });

    test('the question comes back in the case it was asked in', async () => {
      const said = await dig(transport, 'MaIl.ExAmPlE.cOm', 'AAAA');
      expect(said.answer).toEqual(['MaIl.ExAmPlE.cOm. 3600 IN AAAA 2001:db8::10']);
      expect(said.text).toContain(';MaIl.ExAmPlE.cOm.');
    });

    test('DNSSEC asked for gets no signatures, and no promise of any', async () => {
      const said = await dig(transport, '+dnssec', HOST, 'A');
      expect([said.head, said.answer]).toEqual(['NOERROR qr aa', a(HOST)]);
      expect(said.text).toContain('flags: do;');
    });

    test('without EDNS there is none in the answer', async () => {
      const said = await dig(transport, '+noedns', HOST, 'A');
      expect([said.head, said.answer]).toEqual(['NOERROR qr aa', a(HOST)]);
      expect(said.text).not.toContain('EDNS');
    });
  });

  describe('what is longer than the asker takes by UDP', () => {
    // An RSA key through its alias: some 560 octets.
    test.each<[option: string, head: string]>([
      ['+noedns', 'NOERROR qr aa tc'],
      ['+bufsize=512', 'NOERROR qr aa tc'],
      ['+bufsize=1', 'NOERROR qr aa tc'],
      ['+bufsize=1232', 'NOERROR qr aa'],
      ['+bufsize=65535', 'NOERROR qr aa'],
    ])('%s: %s', async (option, head) => {
      const said = await dig(option, filled(`TOKEN._domainkey.${OWN}`), 'TXT');
      expect([said.head, said.answer.length]).toEqual([head, head.includes('tc') ? 0 : 2]);
      expect((await dig('+tcp', option, filled(`TOKEN._domainkey.${OWN}`), 'TXT')).answer).toHaveLength(2);
    });
  });

  test('the operator sees it in health', async () => {
    const before = await dnsHealth(app);
    await dig(HOST, 'A');
    await dig('+tcp', HOST, 'A');
    expect(await dnsHealth(app)).toEqual({
      listening: true,
      queries: (before?.queries ?? 0) + 2,
      limited: 0,
      failed: 0,
    });
  });
});

test('where it is off, health says so', async () => {
  const app = await startApp();
  onTestFinished(() => app.remove());
  expect([app.dnsPort, await dnsHealth(app)]).toEqual([null, null]);
});
