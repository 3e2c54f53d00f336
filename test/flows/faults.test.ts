// Disks that are full, fail or lose files, under the whole daemon: nothing that was answered 202 is lost, health, the operator's list,
// the log and a mail say what fails, other practices go on, and all of it ends by itself. One daemon goes through most of it and is
// killed in the end.
// @module-tag debian/gcc
// @module-tag debian/libc6-dev
import { renameSync } from 'node:fs';
import { cp, mkdtemp, open, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  at,
  type HealthBody,
  health,
  newTally,
  numbered,
  openPractice,
  PATIENCE_MS,
  sendTo,
  type Tally,
  type Target,
  untilTestEnds,
} from '#test/flows/fixture.ts';
import { type ConfigFile, type Daemon, startDaemon } from '#test/support/daemon.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { type FailingDisk, makeFailingDisk, mountSmall } from '#test/support/failing-disk.ts';
import { freePort, until } from '#test/support/process.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

const OPERATOR = 'operator@example.net';
const CONFIG: ConfigFile = { admin: { mail: OPERATOR } };
const config = (resolver: string): ConfigFile => ({
  ...CONFIG,
  smtp: { inbound: { listen: `127.0.0.1:${inboundPort}` } },
  dns: { resolvers: [resolver] },
});
const CLIENTS = 4;

interface Listed {
  readonly id: string;
  readonly storage: { readonly state: string; readonly since: string | null };
}

interface InboundState {
  readonly host: string;
  readonly counts: { readonly total: number };
}

/** Of all tests but those in which the whole disk or the service's own practice fails. */
let disk: FailingDisk;
let daemon: Daemon;
let inboundPort: number;
const started = new AsyncDisposableStack();
/** What was answered 202 before the crash in the end. */
const kept: { readonly target: Target; readonly tally: Tally }[] = [];

beforeAll(async () => {
  const dns = await startDnsZone();
  started.defer(() => dns.stop());
  inboundPort = await freePort();
  disk = await makeFailingDisk(started);
  daemon = await startDaemon({ config: config(dns.address), env: disk.env });
  started.defer(daemon.remove);
}, PATIENCE_MS);
afterAll(() => started.disposeAsync(), PATIENCE_MS);

const directoryOf = ({ daemon, practiceId }: Target): string =>
  path.join(daemon.dataDir, 'tenants', practiceId);
const fileOf = (target: Target): string => path.join(directoryOf(target), 'tenant.db');

/** One message; the status of its answer. */
const statusOf = async (target: Target, to: string, tally = newTally()): Promise<number> => {
  await sendTo(target, [to], 1, tally);
  return tally.accepted.has(to) ? 202 : (tally.refused.get(to) ?? 0);
};

const publicHealth = async ({ origin }: Daemon): Promise<{ code: number; status: string }> => {
  const response = await fetch(`${origin}/healthz`);
  const { status } = (await response.json()) as HealthBody;
  return { code: response.status, status };
};

const untilHealth = (daemon: Daemon, code: number, status: string): Promise<void> =>
  until(`health is ${code} ${status}`, async () => {
    const found = await publicHealth(daemon);
    return found.code === code && found.status === status;
  });

const listed = async (daemon: Daemon): Promise<Map<string, string>> => {
  const { body } = await daemon.request<{ data: readonly Listed[] }>(
    'GET',
    '/api/admin/practices?limit=100',
    undefined,
    daemon.adminToken,
  );
  return new Map(body.data.map(({ id, storage }) => [id, storage.state]));
};

/** What was answered 202 and is not there. */
async function lost({ daemon, practiceId, token }: Target, { accepted }: Tally): Promise<string[]> {
  const gone: string[] = [];
  for (const [to, id] of accepted) {
    const { status } = await daemon.request(
      'GET',
      `/api/practices/${practiceId}/messages/${id}`,
      undefined,
      token,
    );
    if (status !== 200) gone.push(`${to}: ${status}`);
  }
  return gone;
}

/** Lines of the log about a change of a file. */
const reported = (daemon: Daemon, practiceId: string): string[] =>
  daemon
    .output()
    .split('\n')
    .filter((line) => line.includes('database file') && line.includes(practiceId))
    .map((line) => JSON.parse(line).state);

/** The mails to the operator. */
async function operatorMails(daemon: Daemon): Promise<string[]> {
  const { body } = await daemon.request<{ data: readonly { id: string }[] }>(
    'GET',
    '/api/admin/practices?purpose=system',
    undefined,
    daemon.adminToken,
  );
  const system = body.data[0]?.id;
  const target = `/api/practices/${system}/messages/search`;
  const found = await daemon.request<{ data: readonly { id: string; subject: string }[] }>(
    'GET',
    `${target}?q=${OPERATOR}`,
    undefined,
    daemon.adminToken,
  );
  return (found.body.data ?? []).map(({ subject }) => subject);
}

describe('the disk', { timeout: PATIENCE_MS }, () => {
  test('is full: 503 for all, nothing answered 202 is lost, and it goes on once there is space', async () => {
    const started = untilTestEnds();
    const home = await mkdtemp(path.join(tmpdir(), 'full-'));
    started.defer(() => rm(home, { recursive: true, force: true }));
    const dataDir = path.join(home, 'disk', 'data');
    const isMounted = await mountSmall(started, path.join(home, 'disk'), 24);
    const env = isMounted ? {} : disk.env;
    const daemon = await startDaemon({ config: CONFIG, env, dataDir });
    started.defer(() => daemon.kill());
    const target = await openPractice(daemon);
    const tally = await sendTo(target, numbered('before', 20), CLIENTS);

    const filler = path.join(home, 'disk', 'filler');
    if (isMounted) {
      const file = await open(filler, 'w');
      const mebibyte = Buffer.alloc(1_024 * 1_024);
      const fill = async (bytes: Buffer) => {
        while ((await file.write(bytes).catch(() => ({ bytesWritten: 0 }))).bytesWritten > 0);
      };
      await fill(mebibyte);
      await fill(mebibyte.subarray(0, 4_096));
      await file.close();
    } else await disk.fail('pwrite', 'ENOSPC', dataDir);
    await sendTo(target, numbered('during', 30), CLIENTS, tally);
    expect(tally.refused.size).toBeGreaterThan(0);
    expect([...new Set(tally.refused.values())]).toEqual([503]);
    await untilHealth(daemon, 503, 'failing');

    if (isMounted) await rm(filler);
    else await disk.mend();
    await until('it goes on', async () => (await statusOf(target, 'after@example.org', tally)) === 202);
    await untilHealth(daemon, 200, 'ok');
    expect(await lost(target, tally)).toEqual([]);
    await daemon.kill();
    const next = await startDaemon({ config: CONFIG, dataDir });
    started.defer(() => next.kill());
    expect(await lost(at(next, target), tally)).toEqual([]);
  });

  test.each([
    { what: 'syncs', calls: 'fsync', states: ['failing'] },
    // SQLite reports what cannot be read as damaged.
    { what: 'reads and writes', calls: 'pread pwrite fsync', states: ['unreadable', 'failing'] },
  ])('fails $what of one practice: the other goes on', async ({ calls, states: possible }) => {
    const [a, b] = [await openPractice(daemon), await openPractice(daemon)];
    const tallies = [
      await sendTo(a, numbered('a', 10), CLIENTS),
      await sendTo(b, numbered('b', 10), CLIENTS),
    ] as const;

    await disk.fail(calls, 'EIO', a.practiceId);
    for (const round of ['one', 'two', 'three']) {
      expect(await statusOf(a, `${round}@example.org`)).toBe(503);
      expect(await statusOf(b, `${round}@example.org`, tallies[1])).toBe(202);
    }
    await untilHealth(daemon, 200, 'degraded');
    expect((await health(daemon)).databases).toMatchObject({ broken: 1 });
    const shown = await listed(daemon);
    expect(possible).toContain(shown.get(a.practiceId));
    expect(shown.get(b.practiceId)).toBe('ok');
    await until('the operator has a mail', async () => (await operatorMails(daemon)).length > 0);

    await disk.mend();
    await until('it goes on', async () => (await statusOf(a, 'after@example.org', tallies[0])) === 202);
    await untilHealth(daemon, 200, 'ok');
    expect(new Set((await listed(daemon)).values())).toEqual(new Set(['ok']));
    await until('the log says so', () => reported(daemon, a.practiceId).includes('ok'));
    const states = reported(daemon, a.practiceId);
    expect(states.pop()).toBe('ok');
    // Each try may meet a read or a write first, so its states may take turns; none is reported twice in a row.
    expect(states.filter((state, at) => !possible.includes(state) || state === states[at - 1])).toEqual([]);
    expect(states).not.toEqual([]);
    expect(await lost(a, tallies[0])).toEqual([]);
    kept.push({ target: a, tally: tallies[0] });
  });
});

describe('mail received', { timeout: PATIENCE_MS }, () => {
  /** The last reply, of the RCPT or of the content. */
  const bring = async (port: number, subject: string, to: readonly string[]): Promise<string> => {
    const client = await talkTo(port);
    try {
      await client.hello();
      await client.say('MAIL FROM:<erika@example.org>');
      for (const address of to) {
        const reply = (await client.say(`RCPT TO:<${address}>`)) ?? '';
        if (!reply.startsWith('250')) return reply;
      }
      await client.say('DATA');
      client.write(`From: erika@example.org\r\nSubject: ${subject}\r\n\r\nHello\r\n.\r\n`);
      return (await client.reply()) ?? '';
    } finally {
      client.end();
    }
  };
  const inbound = async ({ daemon, practiceId }: Target, action = ''): Promise<InboundState> => {
    const method = action === '' ? 'GET' : 'POST';
    const target = `/api/practices/${practiceId}/inbound${action}`;
    const { body } = await daemon.request<InboundState>(
      method,
      target,
      action === '' ? undefined : {},
      daemon.adminToken,
    );
    return body;
  };

  test.each([
    { what: 'is full', calls: 'pwrite', error: 'ENOSPC' },
    { what: 'fails to sync', calls: 'fsync', error: 'EIO' },
  ] as const)(
    'one of two disks $what: that one is asked to come again, and leaves nothing; the other has it once',
    async ({ calls, error }) => {
      const [a, b] = [await openPractice(daemon), await openPractice(daemon)];
      const [{ host: hostA }, { host: hostB }] = [await inbound(a, '/enable'), await inbound(b, '/enable')];
      const both = [`info@${hostA}`, `info@${hostB}`];
      expect(await bring(inboundPort, 'before', both)).toMatch(/^250/);

      await disk.fail(calls, error, a.practiceId);
      expect(await bring(inboundPort, 'during', both)).toMatch(/^45[12] 4\.3\./);
      expect(await bring(inboundPort, 'a alone', [`info@${hostA}`])).toMatch(/^45[12] 4\.3\./);
      expect(await bring(inboundPort, 'b alone', [`info@${hostB}`])).toMatch(/^250/);

      await disk.mend();
      await until('it comes again and is taken', async () =>
        (await bring(inboundPort, 'during', both)).startsWith('250'),
      );
      expect((await inbound(a)).counts.total).toBe(2);
      expect((await inbound(b)).counts.total).toBe(3);
      for (const target of [a, b]) {
        const db = new Database(fileOf(target), { readonly: true });
        const left = db
          .prepare('SELECT 1 FROM inbound_pieces WHERE message_seq NOT IN (SELECT seq FROM inbound_messages)')
          .all();
        db.close();
        expect(left).toEqual([]);
      }
    },
  );
});

test('the practice of the service itself fails: the mail to the operator comes when it can be stored', {
  timeout: PATIENCE_MS,
}, async () => {
  const started = untilTestEnds();
  const own = await startDaemon({ config: CONFIG, env: disk.env });
  started.defer(own.remove);
  const a = await openPractice(own);
  await disk.fail('fsync', 'EIO', path.join(own.dataDir, 'tenants'));
  expect(await statusOf(a, 'during@example.org')).toBe(503);
  await until('the mail could not be stored', () => own.output().includes('a notice could not be sent'));
  await disk.mend();
  await until('the operator has the mail', async () => (await operatorMails(own)).length > 0);
});

describe('files of practices', { timeout: PATIENCE_MS }, () => {
  const backupOf = (target: Target): string => `${directoryOf(target)}.backup`;
  test.each([
    {
      what: 'with their directory',
      replace: async (target: Target) => {
        // At once: the daemon must not look while nothing is there.
        renameSync(directoryOf(target), `${directoryOf(target)}.aside`);
        renameSync(backupOf(target), directoryOf(target));
      },
    },
    {
      what: 'without their write-ahead log',
      replace: async (target: Target) => {
        const db = new Database(path.join(backupOf(target), 'tenant.db'));
        db.pragma('wal_checkpoint(TRUNCATE)');
        db.close();
        await rename(path.join(backupOf(target), 'tenant.db'), fileOf(target));
      },
    },
  ])(
    'are replaced by a backup under the daemon, $what: what is answered 202 is kept there',
    async ({ replace }) => {
      const [a, b] = [await openPractice(daemon), await openPractice(daemon)];
      const tally = await sendTo(a, numbered('before', 3), 1);
      await cp(directoryOf(a), backupOf(a), { recursive: true });
      const later = await sendTo(a, ['not-in-the-backup@example.org'], 1);
      await replace(a);

      const noticed = async () => {
        await statusOf(a, 'unknown@example.org');
        return reported(daemon, a.practiceId).includes('ok');
      };
      await until('it has been opened again', noticed);
      expect(await statusOf(b, 'other@example.org')).toBe(202);
      await sendTo(a, numbered('after', 3), 1, tally);
      expect([...tally.refused]).toEqual([]);
      expect(reported(daemon, a.practiceId)).toEqual(['replaced', 'ok']);
      expect(await lost(a, later)).toHaveLength(1);
      expect(await lost(a, tally)).toEqual([]);
      kept.push({ target: a, tally });
    },
  );

  test.each([
    { what: 'the directory', target: directoryOf, state: 'unreadable' },
    { what: 'the write-ahead log', target: (of: Target) => `${fileOf(of)}-wal`, state: undefined },
  ])(
    'lose $what under the daemon: it is noticed, and nothing is answered 202 that is gone',
    async ({ target, state }) => {
      const a = await openPractice(daemon);
      const tally = await sendTo(a, numbered('before', 3), 1);
      await rm(target(a), { recursive: true });
      const noticed = async () => {
        await statusOf(a, 'unknown@example.org');
        return reported(daemon, a.practiceId)[0] === 'replaced';
      };
      await until('it is noticed', noticed);
      if (state === undefined) {
        // The connection still held it: all of it is in the database file now.
        await sendTo(a, ['after@example.org'], 1, tally);
        expect([...tally.refused]).toEqual([]);
        expect(await lost(a, tally)).toEqual([]);
        kept.push({ target: a, tally });
      } else {
        expect(await statusOf(a, 'again@example.org')).toBe(503);
        expect(await listed(daemon)).toContainEqual([a.practiceId, state]);
      }
    },
  );

  test('that no one uses are gone, damaged or empty after a crash: it is seen, others go on, and nothing else is lost', async () => {
    const before = (await health(daemon)).databases;
    const [gone, cut, overwritten, hollow, emptied, damaged, whole] = [
      await openPractice(daemon),
      await openPractice(daemon),
      await openPractice(daemon),
      await openPractice(daemon),
      await openPractice(daemon),
      await openPractice(daemon),
      await openPractice(daemon),
    ];
    const tally = await sendTo(gone, numbered('before', 3), 1);
    await sendTo(damaged, numbered('before', 10), 1);
    await daemon.kill();
    await rename(directoryOf(gone), `${directoryOf(gone)}.backup`);
    await truncate(fileOf(cut), 8_192);
    // What is short beside a write-ahead log may be whole with it.
    await rm(`${fileOf(cut)}-wal`);
    await writeFile(fileOf(overwritten), 'no database'.repeat(1_000));
    await writeFile(fileOf(hollow), '');
    const db = new Database(fileOf(emptied));
    db.exec('DELETE FROM practice');
    db.close();
    const wal = await open(`${fileOf(damaged)}-wal`, 'r+');
    await wal.write(Buffer.alloc(4_096, 0x5a), 0, 4_096, Math.floor((await wal.stat()).size / 3));
    await wal.close();

    const next = await startDaemon({ config: CONFIG, dataDir: daemon.dataDir });
    started.defer(() => next.kill());
    await until('what shows from outside is found', async () => {
      const { databases } = await health(next);
      return databases.broken >= before.broken + 4;
    });
    await untilHealth(next, 200, 'degraded');

    for (const one of [gone, cut, overwritten, hollow, emptied, damaged])
      expect(await statusOf(at(next, one), 'during@example.org')).toBe(503);
    expect(await statusOf(at(next, whole), 'during@example.org')).toBe(202);
    const search = `/api/practices/${damaged.practiceId}/messages/search`;
    expect((await next.request('GET', search, undefined, damaged.token)).status).toBe(503);
    const shown = await listed(next);
    expect(
      [gone, cut, overwritten, hollow, emptied, damaged, whole].map(({ practiceId }) =>
        shown.get(practiceId),
      ),
    ).toEqual([...['unreadable', 'unreadable', 'unreadable', 'empty', 'empty', 'unreadable'], 'ok']);
    expect((await health(next)).databases).toMatchObject({
      broken: before.broken + 6,
      states: { unreadable: before.broken + 4, empty: 2 },
    });
    // What can be read of it is still there for the operator.
    const reason = () => next.output().includes('later transactions cannot be read');
    await until('the log says why', reason);
    expect((await stat(`${fileOf(damaged)}-wal`)).size).toBeGreaterThan(0);

    await rename(`${directoryOf(gone)}.backup`, directoryOf(gone));
    expect(await statusOf(at(next, gone), 'after@example.org', tally)).toBe(202);
    expect((await health(next)).databases.broken).toBe(before.broken + 5);
    kept.push({ target: gone, tally });
    for (const { target, tally: answered } of kept)
      expect(await lost(at(next, target), answered)).toEqual([]);
  });
});
