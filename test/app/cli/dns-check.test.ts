// `sendwerk dns check` against real name servers: the daemon's own, and Knot with the zones that `dns zone` prints, whole
// and spoilt.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { dnsZone } from '#src/app/cli/dns.ts';
import { dnsCheck } from '#src/app/cli/dns-check.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { type ConfigFile, overlay } from '#test/support/daemon.ts';
import { startKnot } from '#test/support/knot.ts';
import { freePort } from '#test/support/process.ts';

const HOST = 'mail.example.com';
const SUFFIX = 'send.example.com';
const OWN = `praxis-am-see.${SUFFIX}`;

interface Checked {
  readonly exitCode: number;
  readonly output: string;
  /** `<status> <type> <name>` of what is not right, in order. */
  readonly bad: string[];
}

/** With these keys over those of the installation, in a file of their own. */
const check = async (app: TestApp, changed: ConfigFile): Promise<Checked> => {
  const file = join(app.home, 'check.yaml');
  const installed: ConfigFile = parse(await readFile(join(app.home, 'service.yaml'), 'utf8'));
  await writeFile(file, stringify(overlay(installed, changed)));
  const { exitCode, output } = await dnsCheck(file, {});
  const bad = output.split('\n').flatMap((line) => {
    const [status = '', type = '', name = ''] = line.split(/\s{2,}/);
    return /^(?:wrong|missing|error)$/.test(status) ? [`${status} ${type} ${name}`] : [];
  });
  return { exitCode, output, bad };
};

const spfOf = (zones: {
  addresses: readonly string[];
  spf_addresses?: readonly string[];
  spf_includes?: readonly string[];
}): string => {
  const addresses = [...zones.addresses, ...(zones.spf_addresses ?? [])];
  const terms = addresses.map((one) => (one.includes(':') ? `ip6:${one}` : `ip4:${one}`));
  const includes = (zones.spf_includes ?? []).map((one) => `include:${one}`);
  return `"${['v=spf1', ...terms, ...includes, '~all'].join(' ')}"`;
};

const start = async (dns: ConfigFile): Promise<TestApp> => {
  const app = await startApp({ config: { dns } });
  await app.createPractice({ name: 'Praxis am See' });
  return app;
};

test('the built-in name server holds all; what it does not serve is told, and not required', async () => {
  const port = await freePort();
  const app = await start({
    authoritative: { listen: `127.0.0.1:${port}` },
    resolvers: [`127.0.0.1:${port}`],
    zones: { addresses: ['192.0.2.10', '2001:DB8:0::10'] },
  });
  onTestFinished(() => app.remove());
  const { exitCode, output, bad } = await check(app, {});
  expect([exitCode, bad]).toEqual([0, ['error PTR 192.0.2.10', 'error PTR 2001:db8::10']]);
  expect(output).toMatch(/\n2 of \d\d are not right, none of them required\n$/);
  expect(output).toMatch(/^ok +NS +send\.example\.com$/m);
  expect(output).toMatch(new RegExp(`^ok +CNAME +[a-z0-9]+\\._domainkey\\.[a-z0-9-]+\\.${SUFFIX}$`, 'm'));
  expect(output).toMatch(new RegExp(`^ok +TXT +[a-z0-9]+\\.dkim\\.${HOST}$`, 'm'));
});

test('before the first start there is nothing to check', async () => {
  const app = await startApp();
  onTestFinished(() => app.remove());
  await expect(check(app, { data_dir: join(app.home, 'elsewhere') })).rejects.toThrow(
    'start the daemon once',
  );
});

test('nobody to ask is no reason to call anything missing', async () => {
  const app = await start({ zones: { addresses: ['192.0.2.10'] } });
  onTestFinished(() => app.remove());
  const { exitCode, bad } = await check(app, { dns: { resolvers: [`127.0.0.1:${await freePort()}`] } });
  expect(exitCode).toBe(1);
  expect(bad.length).toBeGreaterThan(30);
  expect(bad.filter((line) => !line.startsWith('error '))).toEqual([]);
});

describe('zones that Knot serves', { tags: 'debian/knot' }, () => {
  let app: TestApp;
  const texts = new Map<string, string>();
  const reverse = [
    '2.0.192.in-addr.arpa. 60 IN SOA ns1.mail.example.com. x.example. 1 60 60 60 60',
    '2.0.192.in-addr.arpa. 60 IN NS ns1.mail.example.com.',
    `10.2.0.192.in-addr.arpa. 60 IN PTR ${HOST}.`,
    '',
  ].join('\n');
  const REVERSE_V6 = '8.b.d.0.1.0.0.2.ip6.arpa';
  const reverseV6 = [
    `${REVERSE_V6}. 60 IN SOA ns1.mail.example.com. x.example. 1 60 60 60 60`,
    `${REVERSE_V6}. 60 IN NS ns1.mail.example.com.`,
    `0.1.0.0.${'0.'.repeat(20)}${REVERSE_V6}. 60 IN PTR ${HOST}.`,
    '',
  ].join('\n');
  const REVERSE = '2.0.192.in-addr.arpa';
  beforeAll(async () => {
    app = await start({ zones: { addresses: ['192.0.2.10', '2001:DB8:0::10'] } });
    for (const zone of [HOST, SUFFIX]) {
      let text = '';
      const print = async (pieces: Iterable<string>): Promise<void> => {
        for (const piece of pieces) text += piece;
      };
      await dnsZone(join(app.home, 'service.yaml'), {}, { zone, print });
      texts.set(zone, text);
    }
    texts.set(REVERSE, reverse);
    texts.set(REVERSE_V6, reverseV6);
  });
  afterAll(() => app.remove());

  /** Checks with each zone's text spoilt by its function; null: not served. */
  const checkSpoilt = async (
    spoil: Readonly<Record<string, ((text: string) => string) | null>>,
  ): Promise<Checked> => {
    const zones = [...texts].flatMap(([name, text]) =>
      spoil[name] === null ? [] : [{ name, text: spoil[name]?.(text) ?? text }],
    );
    const knot = await startKnot(zones);
    onTestFinished(() => knot.stop());
    return check(app, { dns: { resolvers: [knot.server] } });
  };
  const without = (start: string) => (text: string) =>
    text
      .split('\n')
      .filter((line) => !line.startsWith(start))
      .join('\n');
  const replaced = (from: string, to: string) => (text: string) => {
    if (!text.includes(from)) throw new Error(`nothing to spoil: ${from}`);
    return text.replaceAll(from, to);
  };

  test('as they were printed, all is right', async () => {
    const { exitCode, output, bad } = await checkSpoilt({});
    expect([exitCode, bad]).toEqual([0, []]);
    expect(output).toMatch(/\nall \d\d are right\n$/);
  });

  test.each<
    [sentence: string, zone: string, spoil: ((text: string) => string) | null, bad: string[], says: RegExp]
  >([
    [
      'no sender policy',
      HOST,
      without(`spf.${HOST}. `),
      [`missing TXT spf.${HOST}`],
      /expected: v=spf1 ip4:192\.0\.2\.10 ip6:\S+ ~all\n {2}found: {4}nothing\n {2}Load the zone again/,
    ],
    [
      'another address',
      HOST,
      replaced(`${HOST}. 3600 IN A 192.0.2.10`, `${HOST}. 3600 IN A 192.0.2.99`),
      [`wrong A/AAAA ${HOST}`, `wrong A/AAAA mta-sts.${HOST}`, `wrong A/AAAA ns1.${HOST}`],
      /expected: 192\.0\.2\.10 \| 2001:db8::10\n {2}found: {4}192\.0\.2\.99 \| 2001:db8::10\n {2}Compare dns\.zones\.addresses/,
    ],
    [
      'a second SPF record',
      HOST,
      (text) => `${text}${HOST}. 60 IN TXT "v=spf1 -all"\n`,
      [`wrong TXT ${HOST}`],
      /\| v=spf1 -all|v=spf1 -all \|/,
    ],
    [
      'an old policy of transport security',
      HOST,
      (text) => text.replace(/id=[0-9a-f]{32}/, 'id=20200101'),
      [`wrong TXT _mta-sts.${HOST}`],
      /wrong TXT _mta-sts\.mail\.example\.com \(not required\)/,
    ],
    [
      'other name servers',
      SUFFIX,
      replaced(`${SUFFIX}. 3600 IN NS ns1.${HOST}.`, `${SUFFIX}. 3600 IN NS ns.elsewhere.example.`),
      [`wrong NS ${SUFFIX}`],
      /expected: ns1\.mail\.example\.com\n {2}found: {4}ns\.elsewhere\.example\n {2}In the zone above, delegate send/,
    ],
    [
      'another primary',
      SUFFIX,
      replaced(`IN SOA ns1.${HOST}.`, 'IN SOA ns.elsewhere.example.'),
      [`wrong SOA ${SUFFIX}`],
      /found: {4}ns\.elsewhere\.example/,
    ],
    [
      'the return path elsewhere',
      SUFFIX,
      replaced(`bounce.${OWN}. 3600 IN MX 10 ${HOST}.`, `bounce.${OWN}. 3600 IN MX 10 mx.elsewhere.example.`),
      [`wrong MX bounce.${OWN}`],
      /found: {4}10 mx\.elsewhere\.example/,
    ],
    [
      'another reverse name, which is not required',
      REVERSE,
      replaced(`PTR ${HOST}.`, 'PTR server7.hoster.example.'),
      ['wrong PTR 192.0.2.10'],
      /provider of 192\.0\.2\.10[\s\S]*1 of \d\d are not right, none of them required/,
    ],
  ])('%s', async (_sentence, zone, spoil, bad, says) => {
    const checked = await checkSpoilt({ [zone]: spoil });
    expect(checked.bad).toEqual(bad);
    expect(checked.output).toMatch(says);
    const isRequired = !/none of them required/.test(checked.output);
    expect(checked.exitCode).toBe(isRequired ? 1 : 0);
  });

  const relayZone = [
    'relay.test. 60 IN SOA ns.relay.test. x.relay.test. 1 60 60 60 60',
    'relay.test. 60 IN NS ns.relay.test.',
    'smtp.relay.test. 60 IN A 198.51.100.7',
    'smtp.relay.test. 60 IN AAAA 2001:db8:7::7',
    '_spf.relay.test. 60 IN TXT "v=spf1 ip4:198.51.100.0/24 ip6:2001:db8:7::/48 -all"',
    '_spf.elsewhere.relay.test. 60 IN TXT "v=spf1 ip4:203.0.113.0/24 -all"',
    '',
  ].join('\n');

  test.each<[sentence: string, host: string, named: object, row: string, exitCode: number, says: RegExp]>([
    [
      'no relay named',
      'smtp.relay.test',
      {},
      'wrong',
      1,
      /198\.51\.100\.7 softfail[\s\S]*Set dns\.zones\.spf_includes/,
    ],
    ['the include of its provider', 'smtp.relay.test', { spf_includes: ['_spf.relay.test'] }, 'ok', 0, /^/],
    [
      'its addresses',
      'smtp.relay.test',
      { spf_addresses: ['198.51.100.7', '2001:db8:7::/64'] },
      'ok',
      0,
      /^/,
    ],
    [
      'one of its addresses',
      'smtp.relay.test',
      { spf_addresses: ['198.51.100.7'] },
      'wrong',
      1,
      /pass \| 2001\S+ softfail/,
    ],
    [
      'the include of another',
      'smtp.relay.test',
      { spf_includes: ['_spf.elsewhere.relay.test'] },
      'wrong',
      0,
      /\(not required\)[\s\S]*sends from other machines/,
    ],
    [
      'an include that does not exist',
      'smtp.relay.test',
      { spf_includes: ['_spf.gone.relay.test'] },
      'wrong',
      1,
      /198\.51\.100\.7 permerror/,
    ],
    ['a relay without address', 'gone.relay.test', {}, 'missing', 1, /The name has no address/],
    ['a relay on this machine', '127.0.0.1', {}, 'ok', 0, /^/],
    [
      'a relay by its address',
      '198.51.100.9',
      { spf_addresses: ['198.51.100.7'] },
      'wrong',
      1,
      /100\.9 softfail/,
    ],
  ])('SPF of a relay, with %s', async (_sentence, host, named, status, exitCode, says) => {
    const policy = { addresses: ['192.0.2.10', '2001:DB8:0::10'], ...named };
    const knot = await startKnot([
      // The zone as it would be printed with this configuration.
      ...[...texts].map(([name, text]) => ({
        name,
        text: text.replaceAll(/"v=spf1 ip4[^"]*"/g, spfOf(policy)),
      })),
      { name: 'relay.test', text: relayZone },
    ]);
    onTestFinished(() => knot.stop());
    const checked = await check(app, {
      dns: { resolvers: [knot.server], zones: policy },
      upstreams: [{ name: 'relay', kind: 'smtp', host }],
    });
    expect(checked.output).toMatch(new RegExp(`^${status} +SPF +relay \\(${host}\\)$`, 'm'));
    expect(checked.output).toMatch(says);
    expect(checked.exitCode).toBe(exitCode);
  });

  test.each<[sentence: string, spoil: ((text: string) => string) | null, says: RegExp]>([
    ['that cannot be loaded', () => 'nonsense', /SERVFAIL/],
    ['that nobody serves', null, /does not serve this zone/],
  ])('of a zone %s nothing is known', async (_sentence, spoil, says) => {
    const { exitCode, bad, output } = await checkSpoilt({ [SUFFIX]: spoil });
    expect(exitCode).toBe(1);
    expect(bad.length).toBeGreaterThan(15);
    expect(bad.filter((line) => !/^error \S+ (?:\S+\.)?send\.example\.com$/.test(line))).toEqual([]);
    expect(output).toMatch(says);
  });
});
