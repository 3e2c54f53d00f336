// The zone-file export as a practice uses it: from the API into BIND's checker, with what the last check found left out.
// @module-tag debian/bind9-utils
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';

const run = promisify(execFile);

interface Wanted {
  readonly purpose: string;
  readonly type: 'CNAME' | 'MX' | 'TXT';
  readonly name: string;
  readonly value: string;
  readonly priority: number | null;
}
interface Listed {
  readonly host: string;
  readonly records: readonly Wanted[];
  readonly inbound: readonly Wanted[];
}

let dns: DnsZone;
let app: TestApp;
beforeAll(async () => {
  dns = await startDnsZone();
  app = await startApp({ config: { dns: { resolvers: [dns.address] } } });
});
afterAll(async () => {
  await app.remove();
  await dns.stop();
});

const exportOf = ({ base, token }: Sender) =>
  app.request<string>('GET', `${base}/dns-records/cloudflare-zone`, undefined, token);
const recordsOf = async ({ base, token }: Sender): Promise<Listed> =>
  (await app.request<Listed>('GET', `${base}/dns-records`, undefined, token)).body;
const attach = async (domain: string): Promise<Sender> => {
  const sender = await app.createSender();
  const answer = await app.request('POST', `${sender.base}/custom-domain`, { domain }, sender.token);
  expect(answer.status).toBe(200);
  return sender;
};
const checkDns = ({ base, token }: Sender) => app.request('POST', `${base}/check-dns`, undefined, token);

/** Names and types that BIND finds in it besides SOA and NS. */
const readByBind = async (apex: string, text: string): Promise<string[]> => {
  const file = path.join(app.home, 'export.zone');
  await writeFile(file, text);
  const checked = await run('named-checkzone', ['-i', 'local', apex, file]);
  expect(checked.stdout.endsWith('OK\n')).toBe(true);
  const compiled = await run('named-compilezone', ['-q', '-i', 'none', '-s', 'full', '-o', '-', apex, file]);
  return compiled.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s+/))
    .filter(([, , , type]) => type !== 'SOA' && type !== 'NS')
    .map(([name = '', , , type]) => `${name.slice(0, -1)} ${type}`)
    .toSorted();
};
const namesOf = (records: readonly Wanted[]): string[] =>
  records.map(({ name, type }) => `${name} ${type}`).toSorted();

describe('the export', () => {
  test('is a zone file of the domain, to be downloaded under its name', async () => {
    const sender = await attach('praxis-nord.example');
    const answer = await exportOf(sender);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/dns');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="praxis-nord.example.zone"');
    const { records, inbound } = await recordsOf(sender);
    const all = [...records, ...inbound].filter(({ purpose }) => purpose !== 'bimi');
    expect(await readByBind('praxis-nord.example', answer.text)).toEqual(namesOf(all));
  });

  test('is accepted by named-checkzone as it is', async () => {
    const { text } = await exportOf(await attach('praxis-sued.example'));
    const file = path.join(app.home, 'as-it-is.zone');
    await writeFile(file, text);
    const { stdout } = await run('named-checkzone', ['praxis-sued.example', file]);
    expect(stdout).toMatch(/^zone praxis-sued\.example\/IN: loaded serial \d{10}\nOK\n$/m);
  });

  test('of an IDN below a domain is a zone of that domain, in A-labels', async () => {
    const sender = await attach('post.Müller-Praxis.example');
    const { text, headers } = await exportOf(sender);
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="xn--mller-praxis-dlb.example.zone"',
    );
    const { records, inbound } = await recordsOf(sender);
    const all = [...records, ...inbound].filter(({ purpose }) => purpose !== 'bimi');
    expect(await readByBind('xn--mller-praxis-dlb.example', text)).toEqual(namesOf(all));
  });

  test('names the servers of the zone, and placeholders where the DNS knows none', async () => {
    const sender = await attach('praxis-west.example');
    dns.set('praxis-west.example', 'NS', 'kate.ns.dns.test', 'lars.ns.dns.test');
    expect((await exportOf(sender)).text).toContain('\npraxis-west.example. 3600 IN NS kate.ns.dns.test.\n');
    dns.remove('praxis-west.example');
    expect((await exportOf(sender)).text).toContain(
      '\npraxis-west.example. 3600 IN NS ns1.name-server.invalid.\n',
    );
  });

  test('does not wait long for a DNS that says nothing', async () => {
    const silent = createSocket('udp4');
    silent.bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address();
    const stopping = new AbortController();
    const other = await startApp({ config: { dns: { resolvers: [`127.0.0.1:${port}`] } } });
    try {
      const sender = await other.createSender({ domain: 'praxis-still.example' });
      const path = `${sender.base}/dns-records/cloudflare-zone`;
      const lookup = createDnsLookup([`127.0.0.1:${port}`], { stopping: stopping.signal });
      let hasGivenUp = false;
      const lookedUp = lookup.ns('praxis-still.example').then(() => {
        hasGivenUp = true;
      });
      const { text } = await other.request('GET', path, undefined, sender.token);
      expect(text).toContain('\npraxis-still.example. 3600 IN NS ns1.name-server.invalid.\n');
      expect(hasGivenUp).toBe(false);
      stopping.abort();
      await lookedUp;
    } finally {
      await other.remove();
      silent.close();
    }
  });

  test('leaves out SPF and DMARC records that stand, and says what to make of them', async () => {
    const sender = await attach('praxis-ost.example');
    dns.set('old.example', 'TXT', 'v=spf1 ip4:192.0.2.1 -all');
    dns.set('praxis-ost.example', 'TXT', 'v=spf1 include:old.example -all');
    dns.set(
      '_dmarc.praxis-ost.example',
      'TXT',
      'v=DMARC1; p=reject; aspf=r; rua=mailto:d@praxis-ost.example',
    );
    await checkDns(sender);
    const { text } = await exportOf(sender);
    const { records, inbound } = await recordsOf(sender);
    const left = ['bimi', 'spf', 'dmarc'];
    const all = [...records, ...inbound].filter(({ purpose }) => !left.includes(purpose));
    expect(await readByBind('praxis-ost.example', text)).toEqual(namesOf(all));
    expect(text).toMatch(
      /^; praxis-ost\.example\. 3600 IN TXT "v=spf1 include:old\.example include:spf\.mail\.example\.com -all"$/m,
    );
    expect(text).toMatch(/^; _dmarc\.praxis-ost\.example\. 3600 IN TXT "v=DMARC1; p=reject;/m);
  });

  test('has the logo that the practice names', async () => {
    const sender = await attach('praxis-mitte.example');
    const logo = { logo_url: 'https://praxis-mitte.example/logo.svg', certificate_url: null };
    expect((await app.request('PUT', `${sender.base}/bimi`, logo, sender.token)).status).toBe(200);
    const { text } = await exportOf(sender);
    const { records, inbound } = await recordsOf(sender);
    expect(await readByBind('praxis-mitte.example', text)).toEqual(namesOf([...records, ...inbound]));
    expect(text).toContain('TXT "v=BIMI1; l=https://praxis-mitte.example/logo.svg;"\n');
  });

  test('has no line that an address in the practice could bring', async () => {
    const sender = await attach('praxis-rand.example');
    const { records, inbound } = await recordsOf(sender);
    const hostile = 'https://x.example/"a;b\\c(d)\n@ 60 IN A 192.0.2.66\r\n$INCLUDE /etc/passwd\n.svg';
    app.sql(sender.practice.id, 'UPDATE practice SET bimi_logo_url = ?', hostile);
    const { text } = await exportOf(sender);
    expect(text).not.toMatch(/^(?:@|\$INCLUDE)/m);
    expect(await readByBind('praxis-rand.example', text)).toEqual(namesOf([...records, ...inbound]));
  });

  test('of a managed host says that there is nothing to import', async () => {
    const sender = await app.createSender();
    const { text } = await exportOf(sender);
    const { host, records, inbound } = await recordsOf(sender);
    expect(text).toContain('The service serves them itself');
    const all = [...records, ...inbound].filter(({ purpose }) => purpose !== 'bimi');
    expect(await readByBind(host, text)).toEqual(namesOf(all));
  });
});
