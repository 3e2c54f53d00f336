// The service as a process of the simulated machine: the real app on its data directory, started, stopped, and crashed.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { stringify } from 'yaml';
import { type App, createApp } from '#src/app/app.ts';
import { loadSchema } from '#src/app/schema.ts';
import type { GenerateKeyPair } from '#src/domains/keys/keys.ts';
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import type { Migrations } from '#src/kernel/db/migrate.ts';
import { beginIds } from '#src/kernel/id.ts';
import { createLog } from '#src/kernel/log.ts';
import { finishBody } from '#src/messages/compose/body.ts';
import type { SignThreads } from '#src/messages/compose/sign-thread.ts';
import { overlay } from '#test/support/daemon.ts';
import keys from './keys.json' with { type: 'json' };
import { type Asked, Cut, type Reply, type Service, type SmtpTalk } from './scene.ts';
import { SimDisk } from './world/disk.ts';
import { createHttpClient, type HttpClient } from './world/http-client.ts';
import type { OwnRecords } from './world/resolver.ts';
import { openSmtpTalk } from './world/smtp-client.ts';
import { presentNetwork } from './world/sockets.ts';
import { OUTSIDE, type Owner, world } from './world/world.ts';

export interface Ports {
  readonly http: number;
  readonly submission: number;
  readonly inbound: number;
}

export interface MachineOptions {
  readonly name: string;
  readonly home: string;
  readonly ports: Ports;
  readonly config: Readonly<Record<string, unknown>>;
  readonly disk: SimDisk;
  /** Each line of the log from `error` on, parsed. */
  readonly onLog: (line: Readonly<Record<string, unknown>>) => void;
  /** The answer 500 is a defect, whatever fails. */
  readonly onDefect: (what: string) => void;
}

/** A service, with what only the simulation does to it. */
export interface Machine extends Service {
  readonly name: string;
  /** Resolves as `work` does; rejects with Cut where the process ends before. */
  inside<T>(work: (app: App) => Promise<T>): Promise<T>;
  fillDisk(isFull: boolean): void;
}

const pairOf = (jwk: object) => {
  const privateKey = createPrivateKey({ key: jwk as never, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
};
const pairs = { 'rsa-sha256': pairOf(keys.rsa), 'ed25519-sha256': pairOf(keys.ed25519) };
const SIGNATURE_BYTES = { 'rsa-sha256': 256, 'ed25519-sha256': 64 };

const generateKeyPair: GenerateKeyPair = (algorithm) =>
  new Promise((resolve) => {
    world().complete(() => resolve(pairs[algorithm]));
  });

/** The order of answers is what is looked at here, not whether a signature is right: its place holds zeros. */
const signThreads: SignThreads = {
  sign: (_text, { algorithm }) =>
    new Promise((resolve) => {
      world().complete(() => resolve(Buffer.alloc(SIGNATURE_BYTES[algorithm]).toString('base64')));
    }),
  finishBody: (body) =>
    new Promise((resolve) => {
      world().complete(() => resolve({ octets: body.octets, hash: finishBody(body) }));
    }),
  stop: async () => undefined,
};

let schema: Migrations | undefined;
const configs = new Map<string, Config>();

const configOf = (file: string, content: Readonly<Record<string, unknown>>): Config => {
  const text = stringify(content);
  const known = configs.get(text);
  if (known !== undefined) return known;
  fs.writeFileSync(file, text);
  const { config } = loadConfig(file, {});
  configs.set(text, config);
  return config;
};

const KEY_NAME = /^([a-z2-7]+)\.dkim\.mail\.example\.com$/;

/** The DKIM keys that the zone of the service has. */
export const publishedKeys =
  (machines: () => readonly Machine[]): OwnRecords =>
  (name, type) => {
    const token = KEY_NAME.exec(name)?.[1];
    if (token === undefined || type !== 'TXT') return [];
    for (const machine of machines()) {
      if (!machine.isUp()) continue;
      const record = machine.look(null, (db) =>
        db.prepare<[string], string>('SELECT record FROM dkim_tokens WHERE token = ?').pluck().get(token),
      );
      if (record !== undefined) return [[record]];
    }
    return [];
  };

export const createMachine = (options: MachineOptions): Machine => {
  const { home, name, disk, ports, onDefect } = options;
  const dataDir = join(home, 'data');
  const file = join(home, 'service.yaml');
  const adminToken = fs.readFileSync(join(home, 'admin.token'), 'utf8').trim();
  schema ??= loadSchema();
  const migrations = schema;
  let given = options.config;
  let owner: Owner = { name: `${name}-0`, isAlive: false };
  let app: App | null = null;
  let isUp = false;
  let generation = 0;
  let clients: HttpClient[] = [];
  const cuts = new Set<(error: Error) => void>();
  const looks = new Map<string, { readonly db: Database.Database; readonly inode: number | undefined }>();

  const log = createLog('error', {
    write: (line) => {
      const parsed = JSON.parse(line) as Record<string, unknown>;
      options.onLog(parsed);
    },
  });

  const endLooks = (): void => {
    for (const { db } of looks.values()) db.close();
    looks.clear();
  };
  const die = (): void => {
    isUp = false;
    owner.isAlive = false;
    app = null;
    presentNetwork().drop(owner);
    for (const client of clients) client.end();
    clients = [];
    endLooks();
    for (const cut of [...cuts]) cut(new Cut(`${name} has ended`));
    cuts.clear();
  };

  /** Runs in the process as a task of its own; what it resolves with comes out as one too, so that nothing outside runs inside. */
  const run = <T>(work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const cut = (error: Error): void => reject(error);
      cuts.add(cut);
      const out = (end: () => void): void => {
        world().post(OUTSIDE, world().now, () => {
          cuts.delete(cut);
          end();
        });
      };
      world().post(owner, world().now, () => {
        Promise.try(work).then(
          (value) => out(() => resolve(value)),
          (error) => out(() => reject(error)),
        );
      });
    });

  const look: Service['look'] = (practiceId, work) => {
    const path =
      practiceId === null ? join(dataDir, 'platform.db') : join(dataDir, 'tenants', practiceId, 'tenant.db');
    // A restore and a move put another file into the place of the former one, and for a moment none is there.
    const inode = fs.statSync(path, { throwIfNoEntry: false })?.ino;
    let found = looks.get(path);
    if (found !== undefined && inode !== undefined && found.inode !== inode) {
      found.db.close();
      found = undefined;
    }
    if (found === undefined) {
      const mine = world().owner;
      world().owner = OUTSIDE;
      found = { db: new Database(path, { fileMustExist: true }), inode };
      world().owner = mine;
      looks.set(path, found);
    }
    return work(found.db);
  };

  return {
    name,
    dataDir,
    adminToken,
    isUp: () => isUp,
    generation: () => generation,
    ask: async (method, path, { body, token, headers = {}, leaveAfter }: Asked = {}): Promise<Reply> => {
      if (!isUp) throw new Cut(`${name} is down`);
      let client = clients.find((one) => one.isIdle());
      if (client === undefined) {
        client = createHttpClient(ports.http);
        clients.push(client);
      }
      const isPlain = typeof body === 'string' || body instanceof Uint8Array;
      const bytes = body === undefined ? null : Buffer.from(isPlain ? body : JSON.stringify(body));
      const isAdmin = token === adminToken;
      const reply = await client.ask(
        method,
        path,
        {
          ...(bytes === null || isPlain ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined
            ? {}
            : isAdmin
              ? { 'X-Admin-Token': token }
              : { Authorization: `Bearer ${token}` }),
          ...headers,
        },
        bytes,
        leaveAfter,
      );
      if (reply.status === 500) onDefect(`${method} ${path} answered 500: ${reply.text}`);
      return reply;
    },
    smtp: (door, from = '127.0.0.1'): Promise<SmtpTalk> =>
      isUp ? openSmtpTalk(ports[door], from) : Promise.reject(new Cut(`${name} is down`)),
    look,
    runJob: (job) => run(async () => app?.runJob(job)),
    inside: (work) =>
      run(async () => {
        if (app === null) throw new Cut(`${name} is down`);
        return work(app);
      }),
    crash: () => {
      if (!owner.isAlive) return;
      const ending = owner;
      die();
      disk.cut(dataDir, ending);
    },
    stop: async () => {
      if (app === null || !isUp) return;
      isUp = false;
      const running = app;
      await run(() => running.stop());
      const left = SimDisk.release(owner);
      if (left > 0) onDefect(`${left} connections to files were open after the stop`);
      die();
    },
    start: async () => {
      if (owner.isAlive) return;
      generation += 1;
      owner = { name: `${name}-${generation}`, isAlive: true };
      beginIds();
      const config = configOf(file, given);
      await run(async () => {
        app = await createApp(config, log, {
          clock: { now: () => Math.floor(world().now) },
          disk: disk.face(),
          maintenance: disk.maintenance(migrations),
          signThreads,
          generateKeyPair,
          jobsByHand: true,
        });
        await app.start();
      });
      isUp = true;
    },
    reconfigure: (changed) => {
      given = overlay(given, changed);
      const config = configOf(file, given);
      void run(async () => app?.reconfigure(config)).catch(() => undefined);
    },
    holdings: () => ({
      databases: disk.countOpen(owner),
      sockets: [...presentNetwork().sockets].filter((socket) => socket.owner === owner).length,
      tasks: world().pending(owner),
    }),
    fillDisk: (isFull) => disk.fill(isFull, owner),
  };
};
