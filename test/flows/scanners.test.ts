// Content on its way through scanners, in the whole daemon: Debian's rspamd and clamd, a DNS, a list of hosts, and servers
// that are down, or silent.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import {
  type AppOptions,
  letter,
  type Refusal,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';
import { type Clamd, EICAR, EICAR_NAME, startClamd } from '#test/support/clamd.ts';
import { type ConfigFile, startDaemon } from '#test/support/daemon.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { mailsTo, makeOwner } from '#test/support/people.ts';
import { freePort, until } from '#test/support/process.ts';
import { GTUBE, RSPAMD_START_MS, type Rspamd, startRspamd } from '#test/support/rspamd.ts';
import { createTestClock } from '#test/support/storage.ts';
import { endWithin } from './fixture.ts';

const LOOK = 'look after the scanners';
/** Of a scanner that answers: the longest there is, for a busy machine. */
const PATIENCE = '1m';

interface Health {
  readonly status: string;
  readonly scanners: readonly {
    readonly name: string;
    readonly state: string;
    readonly failures?: number;
    readonly last_failure_at?: string | null;
  }[];
}
interface Scene {
  readonly app: TestApp;
  readonly sender: Sender;
}
interface Accepted {
  readonly id: string;
  readonly content_warnings?: readonly { readonly id: string }[];
}

const startScene = async (scanners: ConfigFile, config: ConfigFile = {}, options: AppOptions = {}) => {
  const app = await startApp({ ...options, config: { ...config, scanners } });
  return { app, sender: await app.createSender() };
};
/** For the running test alone. */
const scene = async (
  scanners: ConfigFile,
  config: ConfigFile = {},
  options: AppOptions = {},
): Promise<Scene> => {
  const started = await startScene(scanners, config, options);
  onTestFinished(() => started.app.remove());
  return started;
};

const send = <Body>({ app, sender }: Scene, fields: object, headers?: Record<string, string>) =>
  app.request<Body>('POST', `${sender.base}/send`, { ...letter, ...fields }, sender.token, headers);
const refusal = async (where: Scene, fields: object, headers?: Record<string, string>): Promise<Refusal> => {
  const { status, body } = await send<Refusal>(where, fields, headers);
  expect(status).toBeGreaterThanOrEqual(400);
  return body;
};
const accepted = async (where: Scene, fields: object = {}): Promise<Accepted> => {
  const { status, body, text } = await send<Accepted>(where, fields);
  expect([status, text]).toEqual([202, expect.any(String)]);
  return body;
};
const contentGate = async ({ app, sender }: Scene, id: string) => {
  const { decisions } = await app.message(sender, id);
  return decisions.find(({ gate }) => gate === 'content');
};
const health = async ({ app }: Scene) => {
  const [known, open] = [
    await app.request<Health>('GET', '/api/admin/health', undefined, app.adminToken),
    await app.request<Health>('GET', '/healthz'),
  ];
  expect([known.status, open.status]).toEqual([200, 200]);
  return { known: known.body, open: open.body };
};
const stateOf = ({ scanners }: Health, name: string) => scanners.find((one) => one.name === name)?.state;

const csv = (content: string) => ({
  filename: 'liste.csv',
  content_type: 'text/csv',
  content: Buffer.from(content).toString('base64'),
});
const infected = { attachments: [csv(`name;wert\nA;1\n${EICAR}\n`)] };
const link = (host: string) => ({ text: `Ihr Termin: https://${host}/termin` });

describe('with rspamd and clamd', { tags: ['debian/rspamd', 'debian/clamav-daemon'] }, () => {
  let rspamd: Rspamd;
  let clamd: Clamd;
  let here: Scene;
  beforeAll(async () => {
    [rspamd, clamd] = await Promise.all([startRspamd(), startClamd()]);
    here = await startScene({
      rspamd: { url: rspamd.url, timeout: PATIENCE },
      clamd: { address: clamd.address, timeout: PATIENCE },
    });
  }, RSPAMD_START_MS);
  afterAll(async () => {
    await here?.app.remove();
    await Promise.all([rspamd?.stop(), clamd?.stop()]);
  });

  test('an ordinary mail leaves, and its decisions tell that they looked', async () => {
    const { id } = await accepted(here, { attachments: [csv('name;wert\nA;1\n')] });
    await here.app.untilStatus(here.sender, id, 'processed');
    expect(await contentGate(here, id)).toMatchObject({
      facts: {
        block: null,
        unavailable: [],
        scanner: {
          rspamd: { state: 'ok', action: 'no action' },
          clamd: { state: 'ok', virus: null },
          links: { state: 'off', listed: [] },
        },
      },
    });
  });

  test('a virus is blocked: kept as failed, told by both events, and never sent', async () => {
    const before = here.app.rowCounts(here.sender.practice.id);
    const { code, content_reasons, scanner, message_id } = await refusal(here, infected);
    expect({ code, content_reasons, scanner }).toMatchObject({
      code: 'content_blocked',
      content_reasons: expect.arrayContaining(['virus']),
      scanner: { clamd: { state: 'ok', virus: EICAR_NAME, attachment: 'liste.csv' } },
    });
    const message = await here.app.message(here.sender, String(message_id));
    expect(message).toMatchObject({ status: 'failed', score: 100, recipients: [{ status: 'failed' }] });
    expect(message.attachments).toMatchObject([{ filename: 'liste.csv' }]);
    expect(await contentGate(here, String(message_id))).toMatchObject({
      verdict: 'blocked',
      facts: { block: 'virus', scanner: { clamd: { virus: EICAR_NAME } } },
    });
    const events = here.app.sql<{ type: string }>(
      here.sender.practice.id,
      'SELECT type FROM events WHERE message_seq = (SELECT seq FROM messages WHERE id = ?) ORDER BY seq',
      message_id,
    );
    expect(events.map(({ type }) => type)).toEqual(['message.failed', 'message.content_blocked']);
    const after = here.app.rowCounts(here.sender.practice.id);
    expect(after.messages).toBe((before.messages ?? 0) + 1);
    expect(after.queue).toBe(before.queue);
  });

  test('a virus in the text is blocked as well', async () => {
    expect(await refusal(here, { text: EICAR })).toMatchObject({
      scanner: { clamd: { virus: EICAR_NAME, attachment: null } },
    });
  });

  test('what rspamd rejects is blocked', async () => {
    expect(await refusal(here, { text: GTUBE })).toMatchObject({
      code: 'content_blocked',
      content_reasons: expect.arrayContaining(['rspamd']),
      scanner: { rspamd: { state: 'ok', action: 'reject' } },
    });
  });

  test('the same key gives the same answer, and is looked at once', async () => {
    const key = { 'Idempotency-Key': 'termin-1' };
    const first = await refusal(here, infected, key);
    const before = here.app.rowCounts(here.sender.practice.id);
    const again = await send<Refusal>(here, infected, key);
    expect([again.status, again.body]).toEqual([422, first]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(here.app.rowCounts(here.sender.practice.id)).toEqual(before);
  });

  test('a dry run says the same and keeps nothing', async () => {
    const { app, sender } = here;
    const before = app.rowCounts(sender.practice.id);
    const body = { ...letter, ...infected };
    const answer = await app.request('POST', `${sender.base}/send/score`, body, sender.token);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { would_block: true, grade: 'F', scanner: { clamd: { virus: EICAR_NAME } } },
    ]);
    expect(app.rowCounts(sender.practice.id)).toEqual(before);
  });

  test('thirty at once are all looked at', async () => {
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, index) => send<Refusal>(here, index % 3 === 0 ? infected : {})),
    );
    expect(sent.filter(({ status }) => status === 202)).toHaveLength(20);
    expect(sent.filter(({ status }) => status === 422)).toHaveLength(10);
  });

  test('health and meta show them', async () => {
    await here.app.runJob(LOOK);
    const { known, open } = await health(here);
    const expected = [
      { name: 'rspamd', state: 'ok' },
      { name: 'clamd', state: 'ok' },
      { name: 'dnsbl', state: 'off' },
      { name: 'link_blocklist', state: 'off' },
    ];
    expect(open).toMatchObject({ status: 'ok', scanners: expected });
    expect(known.scanners).toEqual(expected.map((one) => ({ ...one, failures: 0, last_failure_at: null })));
    const meta = await here.app.request('GET', '/api/meta', undefined, here.sender.token);
    expect(meta.body).toMatchObject({ features: { scanners: true } });
  });

  test('one that goes and comes back', async () => {
    const port = Number(clamd.address.split(':')[1]);
    await clamd.stop();
    const { content_warnings } = await accepted(here, infected);
    expect(content_warnings).toMatchObject([{ id: 'scanner_unavailable' }]);
    for (let look = 0; look < 2; look += 1) await here.app.runJob(LOOK);
    expect(stateOf((await health(here)).open, 'clamd')).toBe('failing');
    clamd = await startClamd({ port });
    await expect
      .poll(async () => {
        await here.app.runJob(LOOK);
        return (await health(here)).known.status;
      })
      .toBe('ok');
    expect((await refusal(here, infected)).code).toBe('content_blocked');
  });
});

describe('a scanner that is down', () => {
  const down = async () => ({ clamd: { address: `127.0.0.1:${await freePort()}` } });

  test('mail passes with a warning, and health says so', async () => {
    const here = await scene(await down());
    for (let mail = 0; mail < 3; mail += 1) {
      const { id, content_warnings } = await accepted(here, infected);
      expect(content_warnings).toMatchObject([{ id: 'scanner_unavailable' }]);
      expect(await contentGate(here, id)).toMatchObject({
        verdict: 'warned',
        facts: { unavailable: ['clamd'], scanner: { clamd: { state: 'failed' } } },
      });
    }
    const { known, open } = await health(here);
    expect(open).toMatchObject({ status: 'degraded' });
    expect(open.scanners.find(({ name }) => name === 'clamd')).toEqual({ name: 'clamd', state: 'failing' });
    expect(known.scanners).toContainEqual({
      name: 'clamd',
      state: 'failing',
      failures: expect.any(Number),
      last_failure_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test('where it must not, it is refused for now, and nothing is kept', async () => {
    const here = await scene({ ...(await down()), on_failure: 'refuse' });
    const before = here.app.rowCounts(here.sender.practice.id);
    const key = { 'Idempotency-Key': 'a' };
    for (let mail = 0; mail < 4; mail += 1) {
      const { status, body, headers } = await send<Refusal>(here, {}, key);
      expect([status, body.code, body.retry_after]).toEqual([503, 'unavailable', 10]);
      expect(headers.get('retry-after')).toBe('10');
    }
    expect(here.app.rowCounts(here.sender.practice.id)).toEqual(before);
  });

  test('what is blocked without it is not refused for now, but for good', async () => {
    const here = await scene({ ...(await down()), on_failure: 'refuse' });
    expect((await refusal(here, { text: GTUBE })).code).toBe('content_blocked');
  });

  test('the service’s own mail asks nobody', async () => {
    const here = await scene({ ...(await down()), on_failure: 'refuse' });
    const owner = 'erika@example.org';
    await makeOwner(here.app, here.sender.practice.id, owner);
    await here.app.request('POST', '/api/auth/request-otp', { email: owner });
    await until('the code is mailed', async () => (await mailsTo(here.app, owner)).length > 0);
  });
});

/** Takes connections and never answers. For the running test alone. */
const startSilence = async () => {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as net.AddressInfo).port, sockets };
};

test('one that never answers costs its time, then none', async () => {
  const { port, sockets } = await startSilence();
  const rspamd = { url: `http://127.0.0.1:${port}`, timeout: '300ms', concurrency: 3 };
  // The clock stands still: none is asked again to find out whether it is back.
  const here = await scene({ rspamd }, {}, { clock: createTestClock() });
  const all = await Promise.all(Array.from({ length: 12 }, () => accepted(here)));
  for (const { content_warnings } of all)
    expect(content_warnings).toMatchObject([{ id: 'scanner_unavailable' }]);
  // Three at a time, and after three failures none; two of them let others have their turn before.
  expect(sockets.length).toBeGreaterThanOrEqual(3);
  expect(sockets.length).toBeLessThanOrEqual(5);
});

describe('lists of hosts', () => {
  let dns: DnsZone;
  let directory: string;
  beforeAll(async () => {
    dns = await startDnsZone();
    directory = await mkdtemp(path.join(tmpdir(), 'lists-'));
  });
  afterAll(async () => {
    await dns.stop();
    await rm(directory, { recursive: true });
  });
  const listed = { code: 'content_blocked', content_reasons: expect.arrayContaining(['listed_host']) };

  test('of the operator’s own file', async () => {
    const file = path.join(directory, 'hosts.txt');
    await writeFile(file, '# since May\nevil.example\nböse.example\n');
    const here = await scene({ link_blocklist_file: file });
    expect(await refusal(here, link('www.evil.example'))).toMatchObject({
      ...listed,
      scanner: {
        rspamd: { state: 'off' },
        clamd: { state: 'off' },
        links: { state: 'ok', listed: [{ host: 'www.evil.example', list: 'local' }] },
      },
    });
    expect(await refusal(here, { html: '<a href="https://böse.example/">Termin</a>' })).toMatchObject(listed);
    await accepted(here, link('notevil.example'));
    const meta = await here.app.request('GET', '/api/meta', undefined, here.sender.token);
    expect(meta.body).toMatchObject({ features: { scanners: true } });

    await writeFile(file, 'other.example\n');
    await utimes(file, 1, 1);
    await here.app.runJob(LOOK);
    await accepted(here, link('www.evil.example'));
    expect(await refusal(here, link('other.example'))).toMatchObject(listed);

    await writeFile(file, '<html>\n');
    await utimes(file, 2, 2);
    await here.app.runJob(LOOK);
    expect(await refusal(here, link('other.example'))).toMatchObject(listed);
    expect(stateOf((await health(here)).open, 'link_blocklist')).toBe('failing');
  });

  test('in the DNS', async () => {
    dns.set('evil.example.dbl.spamhaus.org', 'A', '127.0.1.4');
    dns.set('abused.example.dbl.spamhaus.org', 'A', '127.0.1.102');
    dns.set('refused.example.dbl.spamhaus.org', 'A', '127.255.255.254');
    const here = await scene(
      { dnsbl: ['dbl.spamhaus.org'], dnsbl_timeout: PATIENCE },
      { dns: { resolvers: [dns.address] } },
    );
    expect(await refusal(here, link('www.evil.example'))).toMatchObject({
      ...listed,
      scanner: { links: { state: 'ok', listed: [{ host: 'www.evil.example', list: 'dbl.spamhaus' }] } },
    });
    const abused = await accepted(here, link('abused.example'));
    expect(abused.content_warnings).toContainEqual(expect.objectContaining({ id: 'listed_host' }));
    const unknown = await accepted(here, link('refused.example'));
    expect(unknown.content_warnings).toContainEqual(expect.objectContaining({ id: 'scanner_unavailable' }));
    await accepted(here, link('good.example'));
  });
});

test('a daemon that ends does not wait for them', async () => {
  const { port, sockets } = await startSilence();
  const scanners = {
    rspamd: { url: `http://127.0.0.1:${port}`, timeout: '60s' },
    clamd: { address: `127.0.0.1:${port}`, timeout: '60s' },
  };
  const daemon = await startDaemon({ config: { scanners, shutdown: { drain: '200ms' } } });
  onTestFinished(() => daemon.remove());
  const { id } = await daemon.createPractice();
  const token = await daemon.createToken(id);
  const sent = daemon.request('POST', `/api/practices/${id}/send`, letter, token).catch(() => null);
  await until('both are asked', () => sockets.length === 2);
  await endWithin(45_000, daemon);
  expect((await sent)?.status ?? 503).toBe(503);
});

test('a reload applies the list and what becomes of mail that nobody has looked at', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const daemon = await startDaemon({ config: { scanners: { clamd: { address } }, log: { level: 'info' } } });
  onTestFinished(() => daemon.remove());
  const { id } = await daemon.createPractice();
  const token = await daemon.createToken(id);
  const answer = async (fields: object) => {
    const body = { ...letter, ...fields };
    const { status } = await daemon.request('POST', `/api/practices/${id}/send`, body, token);
    return status;
  };
  expect(await answer(link('evil.example'))).toBe(202);
  const file = path.join(path.dirname(daemon.configFile), 'hosts.txt');
  await writeFile(file, 'evil.example\n');
  const before = parse(await readFile(daemon.configFile, 'utf8'));
  const scanners = { ...before.scanners, on_failure: 'refuse', link_blocklist_file: file };
  await writeFile(daemon.configFile, stringify({ ...before, scanners }));
  daemon.child.kill('SIGHUP');
  await until('the list is read', () => daemon.output().includes('link block list read'));
  expect(await answer(link('evil.example'))).toBe(422);
  expect(await answer({})).toBe(503);
});

test('without any, nothing is asked and nothing shown', async () => {
  const here = await scene({});
  const { id } = await accepted(here, infected);
  expect(await contentGate(here, id)).toMatchObject({ facts: { scanner: null, unavailable: [] } });
  const { open } = await health(here);
  expect(new Set(open.scanners.map(({ state }) => state))).toEqual(new Set(['off']));
  const meta = await here.app.request('GET', '/api/meta', undefined, here.sender.token);
  expect(meta.body).toMatchObject({ features: { scanners: false } });
});
