// `sendwerk backup` as operators run it: beside a daemon under load, beside one that was killed, and itself killed at each file that it
// makes, in a process of its own. Whatever happens, each backup that has its name is whole, and has what was answered before.
// @module-tag soak
import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { execPath } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  newTally,
  openPractice,
  PATIENCE_MS,
  sendTo,
  type Target,
  temporaryDirectory,
} from '#test/flows/fixture.ts';
import { startApp } from '#test/support/app.ts';
import { commandIn, type Ran } from '#test/support/command.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { spawnMortal, until } from '#test/support/process.ts';
import { randomFrom, seed, soak } from '#test/support/soak.ts';

const ENTRY = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Between two mails to one practice: something is written all the while, and the machine is left to the backup. */
const GAP_MS = 20;
const KILLS = soak(2, 40);
/** More than a backup of these practices makes. */
const EVENTS = 30;

const started = new AsyncDisposableStack();
let daemon: Daemon;
let targets: Target[];
let directory: string;
let sendwerk: (...args: string[]) => Promise<Ran>;
const accepted = newTally();

beforeAll(async () => {
  daemon = await startDaemon();
  started.defer(() => daemon.remove());
  sendwerk = commandIn(path.dirname(daemon.dataDir));
  directory = path.join(await temporaryDirectory(started), 'backups');
  targets = [await openPractice(daemon), await openPractice(daemon)];
}, PATIENCE_MS);
afterAll(() => started.disposeAsync(), PATIENCE_MS);

/** A backup that can be killed. */
const start = () => {
  const child = spawnMortal(execPath, [ENTRY, 'backup', directory, '--config', daemon.configFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, said })),
  );
  return { child, ended };
};

const backUp = async (): Promise<{ id: string; new_bytes: number }> => {
  const { exitCode, printed } = await sendwerk('backup', directory, '--json');
  expect(exitCode, printed).toBe(0);
  return JSON.parse(printed);
};
const idsIn = async (): Promise<string[]> =>
  (await readdir(directory)).filter((name) => /^\d{8}T\d{6}Z$/.test(name)).sort();

/** Ids of the messages of all practices in a backup. */
const messagesIn = (id: string): Set<string> =>
  new Set(
    targets.flatMap(({ practiceId }) => {
      const file = path.join(directory, id, 'tenants', practiceId, 'tenant.db');
      const db = new Database(file, { readonly: true });
      try {
        return db.prepare<[], string>('SELECT id FROM messages').pluck().all();
      } finally {
        db.close();
      }
    }),
  );
const expectAllOf = (sent: readonly string[], id: string): void => {
  const here = messagesIn(id);
  expect(sent.filter((message) => !here.has(message))).toEqual([]);
};

/** Runs `work` while both practices send. */
const underLoad = async (work: () => Promise<void>): Promise<void> => {
  let loading = true;
  const before = accepted.accepted.size;
  const sending = targets.map(async (target) => {
    for (let index = 0; loading; index++) {
      await sendTo(target, [`${target.practiceId}-${before}-${index}@example.org`], 1, accepted);
      await setTimeout(GAP_MS);
    }
  });
  await until('there is load', () => accepted.accepted.size > before + 1);
  await work().finally(() => {
    loading = false;
  });
  await Promise.all(sending);
};

test('beside a daemon under load, each has what was answered before it began, and nothing is refused', {
  timeout: PATIENCE_MS,
}, async () => {
  await underLoad(async () => {
    for (let round = 0; round < soak(1, 5); round++) {
      const before = [...accepted.accepted.values()];
      const { id } = await backUp();
      expectAllOf(before, id);
    }
  });
  expect([accepted.refused, accepted.unknown]).toEqual([new Map(), new Set()]);
  expect(await sendwerk('backup', 'verify', directory)).toEqual({
    exitCode: 0,
    printed: expect.stringMatching(/: all right\n$/),
  });
});

test('a reader and a writer beside it keep nobody from anything', { timeout: PATIENCE_MS }, async () => {
  const file = path.join(daemon.dataDir, 'tenants', targets[0]?.practiceId ?? '', 'tenant.db');
  const [reader, writer] = [new Database(file), new Database(file)];
  try {
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM messages').get();
    writer.exec('BEGIN IMMEDIATE');
    await backUp();
  } finally {
    reader.close();
    writer.close();
  }
});

test('killed at any moment it leaves the whole ones as they were, and the next one clears up', {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  const random = randomFrom(seed);
  await underLoad(async () => {
    for (let round = 0; round < KILLS; round++) {
      const before = await idsIn();
      const last = Math.floor(random() * EVENTS);
      const { child, ended } = start();
      let seen = 0;
      // Each file and directory that comes, grows or gets its name.
      const watched = watch(directory, { recursive: true }, () => {
        seen += 1;
        if (seen > last) child.kill('SIGKILL');
      });
      await ended;
      watched.close();
      expect((await idsIn()).slice(0, before.length)).toEqual(before);
    }
    await backUp();
  });
  expect(await readdir(directory)).toEqual([...(await idsIn()), 'lock']);
  for (const id of (await idsIn()).slice(-soak(1, KILLS))) {
    const { exitCode, printed } = await sendwerk('backup', 'verify', directory, id);
    expect(exitCode, `seed ${seed}: ${printed}`).toBe(0);
  }
});

test('told to end, it ends with one line and leaves nothing', { timeout: PATIENCE_MS }, async () => {
  const before = await idsIn();
  const { child, ended } = start();
  // A second signal would end it at once.
  const watched = watch(directory, { recursive: true }, () => {
    watched.close();
    child.kill('SIGTERM');
  });
  const { code, said } = await ended;
  expect({ code, said }).toEqual({ code: 1, said: 'stopped by SIGTERM: nothing of it was kept\n' });
  expect(await idsIn()).toEqual(before);
});

test('beside a daemon that was killed it has what only the WAL has; an unchanged one costs nothing', {
  timeout: PATIENCE_MS,
}, async () => {
  await underLoad(() => daemon.kill());
  const { id } = await backUp();
  expectAllOf([...accepted.accepted.values()], id);
  const app = await startApp({ home: path.dirname(daemon.dataDir) });
  await app.stop();
  await backUp();
  expect((await backUp()).new_bytes).toBe(0);
  const listed = await sendwerk('backup', 'list', directory);
  expect(listed.printed.split('\n').length).toBe((await idsIn()).length + 2);
});
