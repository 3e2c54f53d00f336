// Health, the log and a mail say when the replica stays behind: with a place that Litestream cannot write to, with Litestream killed,
// and that it has everything again.
// @module-tag slow
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Config } from '#src/kernel/config/config.ts';
import { litestreamConfig } from '#src/operations/replica/litestream-config.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { endProcess, freePort, spawnMortal, until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const LITESTREAM = fileURLToPath(
  new URL('../../node_modules/@flydotio/litestream-linux-x64/litestream', import.meta.url),
);
const MINUTE = 60_000;
const OF_THE_REPLICA = /replica|Litestream/;

let offset = 0;
let app: TestApp;
let sender: Sender;
let receiver: SmtpReceiver;
let litestream: ReturnType<typeof spawnMortal>;
let replica: string;
let metrics: number;
const warnings: { readonly msg: string; readonly practices: readonly string[] }[] = [];

const startLitestream = (): void => {
  const data = path.join(app.home, 'data');
  const file = path.join(app.home, 'litestream.yml');
  const listen = { host: '127.0.0.1', port: metrics };
  const to = { to: `file://${replica}`, keep: 86_400_000, metrics: listen } as NonNullable<Config['replica']>;
  writeFileSync(file, litestreamConfig(data, readdirSync(path.join(data, 'tenants')), to));
  litestream = spawnMortal(LITESTREAM, ['replicate', '-config', file], { stdio: 'ignore' });
};
const killLitestream = async (): Promise<void> => {
  litestream.kill('SIGKILL');
  await endProcess(litestream);
};

/** Where the practice's file is in the replica, as Litestream says. */
const position = async (): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${metrics}/metrics`).catch(() => undefined);
  const text = (await answer?.text()) ?? '';
  const line = new RegExp(`^litestream_replica_wal_(?:index|offset).*${sender.practice.id}.*$`, 'gm');
  return (text.match(line) ?? []).join();
};
/** With its outcome: what is stored after a look began counts from then, and not from the jump of the clock. */
const storeSomething = async (): Promise<void> => {
  await app.untilStatus(sender, await app.send(sender), 'processed');
};
interface Health {
  readonly status: string;
  readonly replica: { readonly state: string; readonly behind: number; readonly practices: string[] };
}
const look = async (): Promise<Health> => {
  await app.runJob('look how far the replica is');
  return (await app.request<Health>('GET', '/api/admin/health', undefined, app.adminToken)).body;
};
/** A minute passes, something is stored, and the replica gets it. */
const livesAMinute = async (): Promise<void> => {
  const before = await position();
  await storeSomething();
  await until('it was copied', async () => (await position()) !== before);
  offset += MINUTE;
};
const untilItIsWell = (): Promise<void> =>
  until('the replica has everything', async () => {
    await livesAMinute();
    return (await look()).replica.state === 'ok';
  });
const told = (): string[] => warnings.filter(({ msg }) => OF_THE_REPLICA.test(msg)).map(({ msg }) => msg);
const untilMailed = (subject: RegExp): Promise<void> =>
  until(`a mail says ${subject}`, () =>
    receiver.messages.some(({ content }) => subject.test(String(content))),
  );

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  metrics = await freePort();
  app = await startApp({
    receiver,
    clock: { now: () => Date.now() + offset },
    config: {
      admin: { mail: 'operator@example.net' },
      replica: { to: 'file:///srv/replica', metrics: `127.0.0.1:${metrics}` },
    },
    onLog: (line) => warnings.push(JSON.parse(line)),
  });
  replica = path.join(app.home, 'replica');
  sender = await app.createSender();
  startLitestream();
  await until('Litestream has begun', async () => (await position()) !== '');
});
afterAll(async () => {
  await killLitestream();
  await app?.remove();
  await receiver?.stop();
});

test('while Litestream copies, nothing is behind, whatever time passes', async () => {
  for (let minute = 0; minute < 4; minute++) {
    await livesAMinute();
    expect(await look()).toMatchObject({ status: 'ok', replica: { state: 'ok', behind: 0, practices: [] } });
  }
  offset += 60 * MINUTE;
  expect((await look()).replica.state).toBe('ok');
  expect(told()).toEqual([]);
});

test('where it cannot write, what has commits and does not move is behind, which is said once and mailed', async () => {
  renameSync(replica, `${replica}-before`);
  writeFileSync(replica, '');
  // What was copied before then is seen by now: from here on the position does not move.
  await look();
  await storeSomething();
  await look();
  offset += 3 * MINUTE;
  const health = await look();
  expect(health.status).toBe('degraded');
  expect(health.replica).toMatchObject({
    state: 'behind',
    practices: expect.arrayContaining(['praxis-am-markt']),
  });
  expect(health.replica.behind).toBe(health.replica.practices.length);
  await look();
  expect(told()).toEqual([expect.stringContaining('the replica lacks what was stored minutes ago')]);
  await untilMailed(/Subject: .*(?:bleibt zur|is behind)/);
  await killLitestream();
  rmSync(replica);
  renameSync(`${replica}-before`, replica);
  startLitestream();
  await untilItIsWell();
  // The next mail comes ten minutes after the last one.
  offset += 10 * MINUTE;
  await look();
  await untilMailed(/Subject: .*(?:wieder auf dem Stand|up to date again)/);
});

test('with Litestream killed, health says that it is silent, until it is back', async () => {
  await killLitestream();
  await storeSomething();
  warnings.length = 0;
  await look();
  expect(told()).toEqual([]);
  offset += 3 * MINUTE;
  const { status, replica } = await look();
  expect(status).toBe('degraded');
  expect(replica.state).toBe('silent');
  expect(replica.behind).toBeGreaterThan(0);
  await look();
  expect(told()).toEqual([expect.stringContaining('Litestream does not answer')]);
  startLitestream();
  await untilItIsWell();
});
