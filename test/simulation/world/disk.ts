// The disk of a simulated machine: the real files, on a memory file system, and what of them a power cut would leave. A WAL is kept as
// far as a completed sync reached; of what was written behind that, a part that the seed draws. The database file is written by
// checkpoints alone, which the maintenance does: a cut in the middle of one leaves some of its pages written and some not.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { type Disk, disk as realDisk } from '#src/kernel/db/disk.ts';
import type { Maintenance } from '#src/kernel/db/maintenance.ts';
import { createMaintenanceWork, type MaintenanceCommand } from '#src/kernel/db/maintenance-worker.ts';
import { forgetMemory } from '#src/kernel/db/memory.ts';
import type { Migrations } from '#src/kernel/db/migrate.ts';
import { type Owner, world } from './world.ts';

const PAGE = 4_096;
const FRAME = PAGE + 24;
const NO_LIMIT = 0xfffffffe;

/** Files of a command of the maintenance that has run, and that the daemon has not heard of. */
interface Before {
  readonly database: Buffer;
  readonly wal: Buffer;
  readonly verb: MaintenanceCommand['verb'];
  /** The file was made anew, by way of a WAL that is gone: of that only the beginning and the end are known. */
  readonly isRewritten: boolean;
}

export interface Faults {
  /** Asked at each sync and each command of the maintenance. */
  readonly syncFails: () => boolean;
}

const connections = new Map<Database.Database, Owner>();

/** Each connection is noted with the process that opened it, by its first command. */
export const followConnections = (): void => {
  const { prototype } = Database as unknown as { prototype: Database.Database };
  for (const name of ['pragma', 'exec'] as const) {
    const real = prototype[name] as (...args: unknown[]) => unknown;
    Object.assign(prototype, {
      [name](this: Database.Database, ...args: unknown[]) {
        if (!connections.has(this)) connections.set(this, world().owner);
        return real.apply(this, args);
      },
    });
  }
};

const readFile = (path: string): Buffer => (fs.existsSync(path) ? fs.readFileSync(path) : Buffer.alloc(0));

const ioError = (): Error => Object.assign(new Error('disk I/O error'), { code: 'EIO' });

/** One for each machine; it outlives the processes. */
export class SimDisk {
  /** How far each WAL is known to be on the disk, bytes. */
  readonly #synced = new Map<string, number>();
  /** Beyond this a failed sync has left it unknown, until the maintenance has written it again. */
  readonly #unknownFrom = new Map<string, number>();
  readonly #before = new Map<string, Before>();
  readonly #descriptors = new Map<number, string>();
  readonly #busyUntil = new Map<string, number>();
  #isFull = false;
  readonly #faults: Faults;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  /** What the process is given in the place of the real disk. */
  face(): Disk {
    return {
      ...realDisk,
      open: (path) => this.#later(() => this.#open(path)),
      close: (descriptor) =>
        this.#later(() => {
          fs.closeSync(descriptor);
          this.#descriptors.delete(descriptor);
        }),
      syncData: (descriptor) => this.#sync(descriptor),
      syncDirectory: () => this.#later(() => undefined),
    };
  }
  #later<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      world().complete(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }
  #open(path: string): number {
    const descriptor = fs.openSync(path, 'r+');
    this.#descriptors.set(descriptor, path);
    return descriptor;
  }
  #sync(descriptor: number): Promise<void> {
    const path = this.#descriptors.get(descriptor) ?? '';
    // What is written while the sync runs need not be on the disk when it ends.
    const size = fs.fstatSync(descriptor).size;
    const fails = this.#faults.syncFails();
    return this.#later(() => {
      if (fails) {
        this.#unknownFrom.set(
          path,
          Math.min(this.#synced.get(path) ?? 0, this.#unknownFrom.get(path) ?? size),
        );
        throw ioError();
      }
      // After a failed sync the kernel reports success for pages that it never wrote.
      this.#synced.set(path, Math.min(size, this.#unknownFrom.get(path) ?? size));
    });
  }

  /** The commands of the maintenance, done in this thread, one after the other for each file, when the seed lets them. */
  maintenance(migrations: Migrations): Maintenance {
    const run = createMaintenanceWork({ migrations, keepsWal: false });
    const { owner } = world();
    return {
      run: (command) =>
        new Promise((resolve, reject) => {
          const at = Math.max(world().now + world().latency(), this.#busyUntil.get(command.path) ?? 0);
          this.#busyUntil.set(command.path, at);
          world().post(owner, at, () => {
            const answer = this.#work(command, run);
            world().complete(() => {
              this.#before.delete(command.path);
              if (answer instanceof Error) reject(answer);
              else resolve(answer);
            }, owner);
          });
        }),
      stop: async () => undefined,
    };
  }
  #work(command: MaintenanceCommand, run: (command: MaintenanceCommand) => number): number | Error {
    const { path, verb } = command;
    if (verb !== 'opened' && this.#faults.syncFails()) {
      // What fails gives its connection back all the same.
      run({ verb: 'opened', path });
      return ioError();
    }
    if (verb !== 'opened')
      this.#before.set(path, {
        database: readFile(path),
        wal: readFile(`${path}-wal`),
        verb,
        isRewritten: verb === 'restart' && command.rewrites,
      });
    try {
      const held = run(command);
      // SQLite has synced what it wrote, and the WAL before it copied it.
      if (verb !== 'opened' && verb !== 'close') this.#allSynced(`${path}-wal`);
      return held;
    } catch (error) {
      return error as Error;
    }
  }
  #allSynced(wal: string): void {
    this.#synced.set(wal, fs.existsSync(wal) ? fs.statSync(wal).size : 0);
    this.#unknownFrom.delete(wal);
  }

  /** Writes that make a file of the process larger fail (SQLITE_FULL) until it ends. */
  fill(isFull: boolean, owner: Owner): void {
    this.#isFull = isFull;
    for (const [db, of] of connections) {
      if (of !== owner || !db.open || db.memory || db.inTransaction) continue;
      const pages = isFull ? db.pragma('page_count', { simple: true }) : NO_LIMIT;
      db.pragma(`max_page_count = ${pages}`);
    }
  }
  get isFull(): boolean {
    return this.#isFull;
  }

  countOpen(owner: Owner): number {
    return [...connections].filter(([db, of]) => of === owner && db.open).length;
  }

  /** The process is gone without a power cut or after a stop: its connections are closed. Returns how many were open. */
  static release(owner: Owner): number {
    let count = 0;
    for (const [db, of] of [...connections]) {
      if (of !== owner) continue;
      connections.delete(db);
      if (!db.open) continue;
      count += 1;
      forgetMemory(db as never);
      db.close();
    }
    return count;
  }

  /** A power cut under the process: each database becomes what the disk has of it. */
  cut(directory: string, owner: Owner): void {
    const paths = databasesIn(directory);
    const images = paths.map((path) => this.#survivor(path));
    for (const descriptor of this.#descriptors.keys()) fs.closeSync(descriptor);
    this.#descriptors.clear();
    SimDisk.release(owner);
    paths.forEach((path, index) => {
      const { database, wal } = images[index] as { database: Buffer; wal: Buffer };
      for (const end of ['', '-wal', '-shm']) fs.rmSync(path + end, { force: true });
      if (database.length > 0 || fs.existsSync(dirname(path))) fs.writeFileSync(path, database);
      if (wal.length > 0) fs.writeFileSync(`${path}-wal`, wal);
      this.#synced.set(`${path}-wal`, wal.length);
    });
    this.#before.clear();
    this.#unknownFrom.clear();
    this.#busyUntil.clear();
    this.#isFull = false;
  }
  #survivor(path: string): { database: Buffer; wal: Buffer } {
    const { dice } = world();
    const before = this.#before.get(path);
    const database = readFile(path);
    const wal = readFile(`${path}-wal`);
    const synced = Math.min(this.#synced.get(`${path}-wal`) ?? 0, wal.length);
    const left = { database, wal: Buffer.concat([wal.subarray(0, synced), tornTail(wal.subarray(synced))]) };
    // In the middle of a checkpoint: some pages are written, and the WAL is there until all of them are.
    if (before === undefined || before.database.length === 0 || dice.chance(0.5)) return left;
    if (before.isRewritten) return before;
    if (before.verb === 'checkpoint') return { ...left, database: mixed(before.database, database) };
    if (before.verb === 'restart' || before.verb === 'closed')
      return { database: mixed(before.database, database), wal: before.wal };
    return left;
  }
}

const databasesIn = (directory: string): string[] => {
  const tenants = join(directory, 'tenants');
  const each = fs.existsSync(tenants) ? fs.readdirSync(tenants).sort() : [];
  return [join(directory, 'platform.db'), ...each.map((id) => join(tenants, id, 'tenant.db'))].filter(
    (path) => fs.existsSync(path),
  );
};

/** What was written and not synced: nothing of it, all, a beginning cut anywhere, or some frames and zeros for the others. */
const tornTail = (tail: Buffer): Buffer => {
  const { dice } = world();
  const kind = dice.int(0, 3);
  if (kind === 0 || tail.length === 0) return Buffer.alloc(0);
  if (kind === 1) return tail;
  if (kind === 2) return tail.subarray(0, dice.int(0, tail.length));
  const torn = Buffer.from(tail);
  for (let at = 0; at < torn.length; at += FRAME) if (dice.chance(0.5)) torn.fill(0, at, at + FRAME);
  return torn;
};

const mixed = (former: Buffer, written: Buffer): Buffer => {
  const { dice } = world();
  const bytes = Buffer.from(written);
  for (let at = 0; at < former.length && at < bytes.length; at += PAGE)
    if (dice.chance(0.5)) former.copy(bytes, at, at, Math.min(at + PAGE, former.length));
  return bytes;
};
