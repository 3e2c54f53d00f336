// Each disaster is made real, and what the operator types then is typed: see docs/operate/disasters.md, which has a row for each.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { isSealedUnder } from '#src/accounts/tenants/master-key.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { Secret } from '#src/kernel/secret.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { requireSpace } from '#src/operations/staging.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { commandIn, type Ran } from '#test/support/command.ts';
import { freePort } from '#test/support/process.ts';

let app: TestApp;
let command: (...args: string[]) => Promise<Ran>;
let home: string;
let backups: string;
let backup: string;
let one: Sender;
let other: Sender;
/** Rows of each table of both practices when the backup was made. */
const counts = new Map<string, Record<string, number>>();
let used = 0;

const data = (): string => path.join(home, 'data');
const fileOf = (directory: string, sender = one): string =>
  path.join(directory, 'tenants', sender.practice.id, 'tenant.db');

const inFile = <T>(file: string, work: (db: Database.Database) => T): T => {
  const db = new Database(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
};

/** A directory of the test's own; with `like` a copy of that one. */
const scratch = async (like?: string): Promise<string> => {
  const directory = path.join(home, `scratch-${used++}`);
  if (like === undefined) await mkdir(directory);
  else await cp(like, directory, { recursive: true });
  return directory;
};

/** A backup of its own that can be changed: copies are read-only. */
const ownBackup = async (): Promise<string> => {
  const copy = await scratch(backup);
  for (const name of await readdir(copy, { recursive: true, withFileTypes: true }))
    if (name.isFile()) await chmod(path.join(name.parentPath, name.name), 0o600);
  return copy;
};

/** The file as it was put there is sound and has what it had. */
const expectWhole = (directory: string, senders = [one, other]): void => {
  const check = (file: string) => inFile(file, (db) => db.pragma('integrity_check'));
  expect(check(path.join(directory, 'platform.db'))).toEqual([{ integrity_check: 'ok' }]);
  for (const sender of senders) {
    const file = fileOf(directory, sender);
    expect(check(file)).toEqual([{ integrity_check: 'ok' }]);
    const before = counts.get(sender.practice.id) ?? {};
    for (const table of ['messages', 'recipients', 'events', 'api_tokens', 'members'])
      expect([
        table,
        inFile(file, (db) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
      ]).toEqual([table, before[table]]);
  }
  expect(existsSync(path.join(directory, 'restoring'))).toBe(false);
};

/** Bare files of which one is damaged: that is noticed only once they are being copied. */
const damaged = async (): Promise<string> => {
  const copy = await ownBackup();
  await rm(path.join(copy, 'manifest.json'));
  const bytes = await readFile(fileOf(copy));
  bytes.fill(0xff, 60_000, bytes.length - 4_096);
  await writeFile(fileOf(copy), bytes);
  return copy;
};

const restored = async (...args: string[]): Promise<Ran> => {
  const ran = await command('restore', ...args);
  expect(ran.exitCode, ran.printed).toBe(0);
  return ran;
};
const refused = async (says: RegExp, ...args: string[]): Promise<void> => {
  const { exitCode, printed } = await command('restore', ...args);
  expect({ exitCode, printed }).toEqual({ exitCode: 1, printed: expect.stringMatching(says) });
};
/** Nothing of that was put there. */
const expectUntouched = async (directory: string, before: readonly string[]): Promise<void> => {
  const after = await readdir(directory, { recursive: true });
  const lasting = (names: readonly string[]) =>
    names.filter((name) => !/(^lock|^restoring\.lock|-wal|-shm)$/.test(name)).toSorted();
  expect(lasting(after)).toEqual(lasting(before));
};

beforeAll(async () => {
  app = await startApp();
  home = app.home;
  command = commandIn(home);
  backups = path.join(home, 'backups');
  one = await app.createSender({ name: 'Eins', plan: 'praxis' });
  other = await app.createSender({ name: 'Zwei', plan: 'praxis' });
  const left = await app.send(one, { to: 'success@simulator.mail.example.com' });
  await app.untilStatus(one, left, 'delivered');
  await app.send(one, { to: 'success@simulator.mail.example.com', scheduled_at: toIso(Date.now() + DAY) });
  await app.send(other, { to: 'success@simulator.mail.example.com', scheduled_at: toIso(Date.now() + DAY) });
  await app.stop();
  for (const { practice } of [one, other])
    counts.set(
      practice.id,
      inFile(path.join(data(), 'tenants', practice.id, 'tenant.db'), (db) =>
        Object.fromEntries(
          ['messages', 'recipients', 'events', 'api_tokens', 'members'].map((table) => [
            table,
            Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
          ]),
        ),
      ),
    );
  const made = await command('backup', backups);
  expect(made.exitCode, made.printed).toBe(0);
  const [id = ''] = (await readdir(backups)).filter((name) => /^\d/.test(name));
  backup = path.join(backups, id);
});
afterAll(() => app?.remove());

describe('what is restored', () => {
  test('the host is lost', async () => {
    const to = path.join(await scratch(), 'data');
    const { printed } = await restored(backups, '--to', to);
    expect(printed).toContain('nothing was due');
    expectWhole(to);
    expect(readFileSync(fileOf(backup)).subarray(18, 20)).toEqual(Buffer.of(1, 1));
  });

  test('a backup was killed', async () => {
    const directory = await scratch(backups);
    await cp(backup, path.join(directory, '.partial-20991231T000000Z'), { recursive: true });
    const to = path.join(await scratch(), 'data');
    await restored(directory, '--to', to);
    expectWhole(to);
  });

  test('the disk of the backup is read-only', async () => {
    const directory = await scratch(backup);
    for (const name of await readdir(directory, { recursive: true, withFileTypes: true }))
      await chmod(path.join(name.parentPath, name.name), name.isDirectory() ? 0o500 : 0o400);
    await chmod(directory, 0o500);
    const before = await readdir(directory, { recursive: true });
    const to = path.join(await scratch(), 'data');
    await restored(directory, '--to', to);
    expectWhole(to);
    await expectUntouched(directory, before);
    for (const name of await readdir(directory, { recursive: true, withFileTypes: true }))
      if (name.isDirectory()) await chmod(path.join(name.parentPath, name.name), 0o700);
    await chmod(directory, 0o700);
  });

  test('only bare files are left, as Litestream or a file system snapshot gives them', async () => {
    const files = await scratch(data());
    const to = path.join(await scratch(), 'data');
    await restored(files, '--to', to);
    expectWhole(to);
  });

  test('only files of tenants are left', async () => {
    const files = await scratch(data());
    await rm(path.join(files, 'platform.db'));
    const to = path.join(await scratch(), 'data');
    await refused(/--rebuild-registry/, files, '--to', to);
    await restored(files, '--to', to, '--rebuild-registry');
    expectWhole(to);
  });

  test('the restore was run twice', async () => {
    const to = path.join(await scratch(), 'data');
    await restored(backups, '--to', to);
    await refused(/holds data: --replace/, backups, '--to', to);
    const { printed } = await restored(backups, '--to', to, '--replace');
    expectWhole(to);
    const [, kept = ''] = /rm -r (\S+)/.exec(printed) ?? [];
    expect(existsSync(path.join(kept, 'platform.db'))).toBe(true);
  });

  test('a reader holds a transaction on what is replaced', async () => {
    const to = await scratch(data());
    const reader = new Database(fileOf(to), { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM messages').get();
    await restored(backups, '--to', to, '--replace');
    reader.close();
    expectWhole(to);
  });

  test('the clock was set back', async () => {
    const directory = await scratch();
    await cp(backup, path.join(directory, '20991231T000000Z'), { recursive: true });
    const to = path.join(await scratch(), 'data');
    await refused(/no whole backup of .* or before/, directory, '--to', to, '--at', toIso(Date.now()));
    await restored(directory, '--to', to);
    expectWhole(to);
  });
});

describe('what is refused before anything changes', () => {
  const damages: readonly [name: string, change: (directory: string) => Promise<void>, says: RegExp][] = [
    ['half a copy', (directory) => truncate(fileOf(directory), 40_960), /is damaged: .*bytes/],
    [
      'one byte changed in a backup',
      async (directory) => {
        const bytes = await readFile(fileOf(directory));
        bytes.writeUInt8(bytes.readUInt8(70_000) ^ 1, 70_000);
        await writeFile(fileOf(directory), bytes);
      },
      /checksum is wrong/,
    ],
    [
      'the manifest was changed',
      async (directory) => {
        const file = path.join(directory, 'manifest.json');
        const text = await readFile(file, 'utf8');
        await writeFile(file, text.replace(/"messages": ?\d+/g, '"messages": 7'));
      },
      /messages is \d+, and was 7/,
    ],
    [
      'the manifest was cut off',
      (directory) => truncate(path.join(directory, 'manifest.json'), 100),
      /manifest\.json is damaged/,
    ],
    [
      'the backup is of a newer version',
      async (directory) => {
        const file = path.join(directory, 'manifest.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace(/"format": ?\d+/, '"format": 99'));
      },
      /newer version of the program/,
    ],
    ['a file of the backup is missing', (directory) => rm(fileOf(directory)), /is damaged: .*ENOENT/],
    [
      'a copy was torn by cp',
      async (directory) => {
        await rm(path.join(directory, 'manifest.json'));
        const bytes = await readFile(fileOf(directory));
        bytes.fill(0xff, 60_000, bytes.length - 4_096);
        await writeFile(fileOf(directory), bytes);
      },
      /damaged|malformed/,
    ],
    [
      'bare files are of a newer version',
      async (directory) => {
        await rm(path.join(directory, 'manifest.json'));
        inFile(fileOf(directory), (db) => db.pragma('user_version = 99'));
      },
      /knows up to \d/,
    ],
    [
      'bare files have a trigger of a stranger',
      async (directory) => {
        await rm(path.join(directory, 'manifest.json'));
        const sql = 'CREATE TRIGGER hostile AFTER INSERT ON messages BEGIN SELECT 1; END';
        inFile(fileOf(directory), (db) => db.exec(sql));
      },
      /other tables, indexes or triggers .*trigger hostile/,
    ],
    [
      'the bare registry has a trigger of a stranger',
      async (directory) => {
        await rm(path.join(directory, 'manifest.json'));
        const sql = 'CREATE TRIGGER hostile AFTER INSERT ON audit BEGIN SELECT 1; END';
        inFile(path.join(directory, 'platform.db'), (db) => db.exec(sql));
      },
      /other tables, indexes or triggers .*trigger hostile/,
    ],
  ];
  test.each(damages)('%s', async (_, change, says) => {
    const directory = await ownBackup();
    await change(directory);
    const to = await scratch(data());
    const before = await readdir(to, { recursive: true });
    await refused(says, directory, '--to', to, '--replace');
    await expectUntouched(to, before);
  });

  test('what is right of a damaged backup is restored all the same', async () => {
    const directory = await ownBackup();
    await truncate(fileOf(directory, other), 40_960);
    const to = await scratch(data());
    await rm(path.dirname(fileOf(to)), { recursive: true });
    await restored(directory, '--to', to, '--tenant', one.practice.slug);
    expectWhole(to);
  });

  test('the master key is wrong, or lost', async () => {
    const to = await scratch(data());
    const before = await readdir(to, { recursive: true });
    const file = path.join(home, 'master.key');
    const key = await readFile(file, 'utf8');
    try {
      await writeFile(file, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
      await refused(/was made under the master key [0-9a-f]+/, backups, '--to', to, '--replace');
      await refused(/master key/, await scratch(data()), '--to', to, '--replace');
      await rm(file);
      await refused(/master_key_file/, backups, '--to', to, '--replace');
    } finally {
      await writeFile(file, key, { mode: 0o600 });
    }
    await expectUntouched(to, before);
  });

  test('the master key was changed since the backup', async () => {
    const [file, formerFile] = [path.join(home, 'master.key'), path.join(home, 'former.key')];
    const configFile = path.join(home, 'service.yaml');
    const [key, config] = [await readFile(file, 'utf8'), await readFile(configFile, 'utf8')];
    const aside = await scratch(data());
    const present = Buffer.alloc(32, 9).toString('base64');
    const secrets = { masterKey: new Secret(present), formerMasterKey: null, evidenceKey: null };
    const isUnderPresent = (sender: Sender): boolean =>
      inFile(fileOf(data(), sender), (db) => isSealedUnder(db as TenantDb, secrets, sender.practice.id));
    try {
      await rename(file, formerFile);
      await writeFile(file, `${present}\n`, { mode: 0o600 });
      await refused(
        /configure that key as the former one/,
        backups,
        '--tenant',
        one.practice.slug,
        '--replace',
      );
      const both = { former_master_key_file: formerFile };
      await writeFile(
        configFile,
        stringify({ ...parse(config), secrets: { ...parse(config).secrets, ...both } }),
      );
      const rotated = await command('secrets', 'rotate');
      expect(rotated.exitCode, rotated.printed).toBe(0);
      await restored(backups, '--tenant', one.practice.slug, '--replace');
      expect([one, other].map(isUnderPresent)).toEqual([true, true]);
      await restored(backups, '--replace');
      expect((await command('secrets', 'rotate')).exitCode).toBe(0);
      expect([one, other].map(isUnderPresent)).toEqual([true, true]);
      expectWhole(data());
    } finally {
      await writeFile(file, key, { mode: 0o600 });
      await writeFile(configFile, config);
      await rm(data(), { recursive: true });
      await rename(aside, data());
    }
  });

  test('the directory is empty, is missing, or is not what was meant', async () => {
    const to = path.join(await scratch(), 'data');
    await refused(/holds no whole backup/, await scratch(), '--to', to);
    await refused(/does not exist/, path.join(home, 'nothing'), '--to', to);
    await refused(/holds no backup of drei/, backups, '--to', await scratch(data()), '--tenant', 'drei');
  });

  test('the disk has too little space', async () => {
    await expect(requireSpace(home, 2 ** 60)).rejects.toThrow(/make room, or restore --to another disk/);
  });

  test('the short name was given to another practice since', async () => {
    const to = await scratch(data());
    const registry = path.join(to, 'platform.db');
    await rm(path.dirname(fileOf(to)), { recursive: true });
    inFile(registry, (db) => {
      db.prepare('DELETE FROM tenants WHERE id = ?').run(one.practice.id);
      db.prepare('UPDATE tenants SET slug = ? WHERE id = ?').run(one.practice.slug, other.practice.id);
    });
    await refused(/short name .* belongs to practice/, backup, '--to', to, '--tenant', one.practice.id);
    expect(existsSync(fileOf(to))).toBe(false);
    expect(existsSync(path.join(to, 'restoring'))).toBe(false);
  });
});

describe('where registry and files do not agree', () => {
  test('the registry is lost, and the tenants are there', async () => {
    const to = await scratch(data());
    await rm(path.join(to, 'platform.db'));
    const { printed } = await restored('--rebuild-registry', '--to', to);
    expect(printed).toContain('the registry was made again');
    expectWhole(to);
    const slugs = inFile(path.join(to, 'platform.db'), (db) =>
      db.prepare('SELECT slug FROM tenants ORDER BY number').pluck().all(),
    );
    expect(slugs).toEqual(expect.arrayContaining([one.practice.slug, other.practice.slug]));
    expect(slugs).toHaveLength(3);
  });

  test('the registry is lost, and what it had written last is still in its WAL', async () => {
    const source = new Database(path.join(data(), 'platform.db'));
    const to = await scratch();
    try {
      source.pragma('journal_mode = WAL');
      source.pragma('wal_autocheckpoint = 0');
      // The WAL says that the file is longer than the new registry will be, and has its last pages alone.
      source.exec('CREATE TABLE padding (text)');
      const insert = source.prepare('INSERT INTO padding VALUES (?)');
      source.transaction(() => {
        for (let row = 0; row < 500; row++) insert.run('x'.repeat(1_000));
      })();
      source.pragma('wal_checkpoint(TRUNCATE)');
      for (let row = 0; row < 10; row++) insert.run('x'.repeat(1_000));
      await cp(data(), to, { recursive: true });
    } finally {
      source.exec('DROP TABLE padding');
      source.close();
    }
    await rm(path.join(to, 'platform.db'));
    await rm(path.join(to, 'platform.db-shm'), { force: true });
    expect((await stat(path.join(to, 'platform.db-wal'))).size).toBeGreaterThan(10_000);
    const { printed } = await restored('--rebuild-registry', '--to', to);
    expect(printed).toContain('the registry was made again');
    expectWhole(to);
  });

  test('a practice has moved to another host since the backup', async () => {
    const to = await scratch(data());
    const moved = JSON.stringify({ origin: 'https://new.example', host: 'new.example', mail: {} });
    inFile(path.join(to, 'platform.db'), (db) =>
      db
        .prepare("UPDATE tenants SET state = 'moved', moved_json = ?, moved_until = ? WHERE id = ?")
        .run(moved, Date.now() + DAY, one.practice.id),
    );
    await rm(path.dirname(fileOf(to)), { recursive: true });
    await refused(/has moved to https:\/\/new\.example/, backups, '--to', to, '--tenant', one.practice.slug);
    const { printed } = await restored(backups, '--to', to, '--replace');
    expect(printed).toContain(`MOVED: ${one.practice.slug}`);
    expect(existsSync(fileOf(to))).toBe(false);
    expectWhole(to, [other]);
    const states = inFile(path.join(to, 'platform.db'), (db) =>
      db.prepare('SELECT slug, state, moved_json FROM tenants ORDER BY number').all(),
    );
    expect(states).toContainEqual({ slug: one.practice.slug, state: 'moved', moved_json: moved });
  });

  test('a practice was erased by mistake, and a backup was made since', async () => {
    const to = await scratch(data());
    await rm(path.dirname(fileOf(to)), { recursive: true });
    inFile(path.join(to, 'platform.db'), (db) =>
      db.prepare('DELETE FROM tenants WHERE id = ?').run(one.practice.id),
    );
    const all = await scratch(backups);
    // Of the next day, without the practice.
    const later = path.join(all, '20991124T020000Z');
    await cp(backup, later, { recursive: true });
    const manifest = path.join(later, 'manifest.json');
    const said = JSON.parse(await readFile(manifest, 'utf8'));
    said.tenants = said.tenants.filter(({ id }: { id: string }) => id !== one.practice.id);
    await chmod(manifest, 0o600);
    await writeFile(manifest, JSON.stringify(said));
    const { printed } = await restored(all, '--to', to, '--tenant', one.practice.slug);
    expect(printed).toContain(`of backup ${path.basename(backup)}`);
    expectWhole(to);
  });

  test('the registry is older than the tenants', async () => {
    const to = await scratch(data());
    inFile(path.join(to, 'platform.db'), (db) => {
      db.prepare('DELETE FROM tenants WHERE id = ?').run(other.practice.id);
      db.prepare('DELETE FROM credentials WHERE tenant_id = ?').run(one.practice.id);
    });
    const { printed } = await restored('--rebuild-registry', '--to', to);
    expect(printed).toContain('the registry agrees with the files');
    const tokens = inFile(path.join(to, 'platform.db'), (db) =>
      db.prepare('SELECT count(*) FROM credentials').pluck().get(),
    );
    expect(tokens).toBe(2);
    expectWhole(to);
  });

  test('the registry is newer than the tenants', async () => {
    const to = await scratch(data());
    await cp(fileOf(backup), fileOf(to), { force: true });
    await chmod(fileOf(to), 0o600);
    inFile(path.join(to, 'platform.db'), (db) =>
      db
        .prepare(
          "INSERT INTO credentials (hash, token_id, tenant_id, created_at) VALUES (x'00', 'later', ?, 0)",
        )
        .run(one.practice.id),
    );
    await restored('--rebuild-registry', '--to', to);
    const later = inFile(path.join(to, 'platform.db'), (db) =>
      db.prepare("SELECT revoked_at FROM credentials WHERE token_id = 'later'").pluck().get(),
    );
    expect(later).not.toBeNull();
  });

  test('a tenant is lost, and the registry is there', async () => {
    const to = await scratch(data());
    await rm(path.dirname(fileOf(to)), { recursive: true });
    const { printed } = await restored('--rebuild-registry', '--to', to);
    expect(printed).toContain(`NO FILE: ${one.practice.slug}`);
    await restored(backups, '--to', to, '--tenant', one.practice.slug);
    expectWhole(to);
  });
});

describe('a restore is cut off', () => {
  test('while files were copied', async () => {
    const to = await scratch(data());
    await mkdir(path.join(to, 'restoring', 'partial'), { recursive: true });
    await writeFile(path.join(to, 'restoring', 'partial', 'tenant.db'), 'half');
    await restored(backups, '--to', to, '--replace');
    expectWhole(to);
  });

  test('between the former files and the new ones', async () => {
    const to = await scratch(data());
    await mkdir(path.join(to, 'restoring', 'files'), { recursive: true });
    await mkdir(path.join(to, 'replaced-20261124T020000Z'));
    await rename(path.join(to, 'platform.db'), path.join(to, 'replaced-20261124T020000Z', 'platform.db'));
    await refused(/was cut off: run the same command again/, '--rebuild-registry', '--to', to);
    await refused(/damaged|malformed/, await damaged(), '--to', to);
    // The failure has not made room for a start with an empty registry.
    expect(existsSync(path.join(to, 'restoring'))).toBe(true);
    await restored(backups, '--to', to, '--replace');
    expectWhole(to);
    expect(existsSync(path.join(to, 'replaced-20261124T020000Z', 'platform.db'))).toBe(true);
  });

  test('into an empty directory, between the practices and the registry', async () => {
    const to = await scratch();
    await restored(backups, '--to', to);
    await mkdir(path.join(to, 'restoring'));
    await rename(path.join(to, 'platform.db'), path.join(to, 'restoring', 'platform.db'));
    await restored(backups, '--to', to);
    expectWhole(to);
  });

  test('a practice whose making or erasing was cut off as well does not come to life by it', async () => {
    const to = await scratch(data());
    inFile(path.join(to, 'platform.db'), (db) =>
      db.prepare("UPDATE tenants SET state = 'creating' WHERE id = ?").run(other.practice.id),
    );
    await mkdir(path.join(to, 'restoring'));
    await cp(to, data(), { recursive: true, force: true });
    const started = await startApp({ home });
    await started.stop();
    const slugs = inFile(path.join(data(), 'platform.db'), (db) =>
      db.prepare('SELECT slug FROM tenants').pluck().all(),
    );
    expect(slugs).not.toContain(other.practice.slug);
    expect(existsSync(fileOf(data(), other))).toBe(false);
    await restored(backups, '--replace');
    expectWhole(data());
  });
});

test('beside a running daemon: all is refused, a tenant that was deleted comes back, and a cut is brought to its end', async () => {
  await rename(data(), path.join(home, 'aside'));
  await cp(path.join(home, 'aside'), data(), { recursive: true });
  const config = { http: { listen: `127.0.0.1:${await freePort()}` } };
  let running = await startApp({ home, config });
  try {
    await refused(/is in use by a daemon/, backups, '--replace');
    await refused(/has the practice already: --replace/, backups, '--tenant', one.practice.slug);
    const lost = await running.send(one, { to: 'success@simulator.mail.example.com' });
    await restored(backups, '--tenant', one.practice.slug, '--replace');
    expect((await running.request('GET', `${one.base}/messages/${lost}`, undefined, one.token)).status).toBe(
      404,
    );
    const fresh = await running.send(one, { to: 'success@simulator.mail.example.com' });
    await running.untilStatus(one, fresh, 'delivered');
    const fileThere = () => existsSync(fileOf(data())) && existsSync(fileOf(data(), other));
    const beside = await Promise.all(
      [one, other, one].map(({ practice }) =>
        command('restore', backups, '--tenant', practice.slug, '--replace'),
      ),
    );
    expect(beside.filter(({ exitCode }) => exitCode === 0).length).toBeGreaterThan(0);
    for (const { exitCode, printed } of beside)
      if (exitCode !== 0) expect(printed).toContain('another restore into');
    expect(fileThere()).toBe(true);
    const again = await running.send(one, { to: 'success@simulator.mail.example.com' });
    await running.untilStatus(one, again, 'delivered');
    await running.stop();
    // Cut off between the two moves of a restore.
    await mkdir(path.join(data(), 'restoring'));
    await rename(path.dirname(fileOf(data())), path.join(data(), 'restoring', one.practice.id));
    running = await startApp({ home, config });
    expect((await running.message(one, again)).status).toBe('delivered');
    await running.stop();
    // Cut off while all of it was swapped: an empty registry would hide every practice.
    await mkdir(path.join(data(), 'restoring'));
    await rename(path.join(data(), 'platform.db'), path.join(home, 'platform.aside'));
    await rename(path.join(data(), 'tenants'), path.join(home, 'tenants.aside'));
    const started = await command('serve');
    expect(started).toEqual({ exitCode: 1, printed: expect.stringContaining('run the same command again') });
    await restored(backups);
    expectWhole(data());
  } finally {
    await running.stop();
  }
});

test('the table of disasters says what is seen, lost and typed, and by which test it was made real', async () => {
  const table = await readFile('docs/operate/disasters.md', 'utf8');
  const rows = table
    .split('\n')
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(rows.map(([number]) => Number(number))).toEqual(rows.map((_, index) => index + 1));
  expect(rows.length).toBeGreaterThanOrEqual(30);
  expect(rows.filter((cells) => cells.length !== 6 || cells.includes(''))).toEqual([]);
  const tests = await Promise.all(
    globSync('test/**/*.test.ts').map(async (file) => await readFile(file, 'utf8')),
  );
  const named = rows.flatMap((cells) => {
    const titles = [...(cells[5] ?? '').matchAll(/"([^"]+)"/g)].map(([, title = '']) => title);
    return titles.length > 0 ? titles : [`no test in row ${cells[0]}`];
  });
  expect(named.filter((title) => !tests.some((text) => text.includes(`'${title}'`)))).toEqual([]);
});
