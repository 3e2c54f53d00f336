// `sendwerk tenant move` brings a tenant from this host to another one, both of which run. It only carries: what must not be lost is
// written by the two daemons, so that it can be killed at any moment and run again.
//
// 1. The file is copied while the tenant works, then what has changed since, until that is little.
// 2. The old host ends its work and freezes it. From here on requests are refused.
// 3. The rest is sent, the new host takes it and waits.
// 4. The old host gives it up, durably. After that, and after that alone, the new host begins.
//
// Before 4 a failure leaves the tenant at work on the old host. Where the answer to 4 did not come, the old host is asked: by the same
// command, run again. What waits on the new host is removed by the old host's proof alone that it has not given the tenant up.
//
// Where the old host has given it up and the new one has lost it before it began, the former file is sent again. A note beside that file
// says that the new host has begun: what it no longer has then was erased there, and stays erased.
import { hash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { differing, hashesOf, readBlocks } from '#src/accounts/moving/blocks.ts';
import { leavingFile, lockName, MOVING, movedDirectory } from '#src/accounts/moving/leaving-file.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';
import { lockDirectory } from '#src/kernel/db/storage.ts';
import { Secret } from '#src/kernel/secret.ts';
import { SECOND } from '#src/kernel/time.ts';
import { requireOwner } from '#src/operations/owner.ts';
import { type AdminApi, createAdminApi, readAdminAccess } from './admin-api.ts';
import { record } from './admin-text.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandResult } from './config.ts';
import { createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

export interface MoveValues {
  readonly practice: string;
  readonly to: string;
  readonly 'token-file': string;
  readonly cancel: boolean;
  readonly config: string;
}

/** Blocks in one request: 4 MiB before they are compressed. */
const BLOCKS_PER_REQUEST = 64;
/** So few blocks that differ are sent while the tenant is frozen: it takes tenths of a second. */
const FEW_BLOCKS = 256;
/** A tenant that writes faster than this is copied is frozen after so many rounds all the same. */
const MAX_ROUNDS = 6;
/** A large file takes minutes to be copied, hashed and sealed. Node ends a request after 5 minutes without an answer. */
const LARGE_FILE_MS = 280 * SECOND;
/** The lease of a freeze is half a minute. */
const RENEW_MS = 10 * SECOND;

interface NewHost {
  readonly origin: string;
  readonly host: string;
  readonly mail: { readonly host: string; readonly port: number };
}

interface Moved {
  readonly id: string;
  readonly slug: string;
  readonly new_host: NewHost;
  readonly until: string;
}

interface Arrival {
  readonly state: 'creating' | 'active' | 'arriving' | 'moved' | null;
  /** The freeze by which the practice that waits was taken; null: none waits. */
  readonly freeze: string | null;
  readonly hashes: string;
}

interface Frozen {
  readonly freeze: string;
  readonly key: string;
  readonly at: string;
}

interface Taken extends Omit<NewHost, 'origin'> {
  readonly slug: string;
  readonly managed_host: string;
  readonly notes: readonly string[];
}

interface Practice {
  readonly id: string;
  readonly slug: string;
  readonly domain: string | null;
  readonly managed_host: string;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The operator's token goes there: never in clear over a network. */
const originOf = (text: string): string => {
  const url = URL.parse(text);
  const isPlain = url?.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !isPlain) || url.pathname !== '/' || url.search !== '')
    throw new UsageError(
      'tenant move: --to is the address of the new host, such as https://mail.example.com',
    );
  return url.origin;
};

const readToken = async (file: string): Promise<Secret> => {
  try {
    return new Secret((await readFile(file, 'utf8')).trim());
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
};

interface Hosts {
  readonly old: AdminApi;
  readonly next: AdminApi;
  readonly origin: string;
  readonly dataDirectory: string;
}

const movedFrom = async ({ old }: Hosts, practice: string): Promise<Moved | undefined> => {
  const { data } = await old.call<{ data: readonly Moved[] }>('GET', '/api/admin/moves');
  return data.find(({ id, slug }) => id === practice.toLowerCase() || slug === practice.toLowerCase());
};

/** Throws CommandError where another command moves the practice. The result ends it. */
const lockMove = async (dataDirectory: string, id: string): Promise<() => void> => {
  const directory = join(dataDirectory, MOVING);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    return lockDirectory(directory, lockName(id));
  } catch (error) {
    if ((error as { cause?: { code?: unknown } }).cause?.code !== 'SQLITE_BUSY') throw error;
    throw new CommandError(
      'another `sendwerk tenant move` of this practice is running: wait until it has ended',
    );
  }
};

const arrivalPath = (id: string): string => `/api/admin/arrivals/${id}`;

const lookAt = ({ next }: Hosts, id: string): Promise<Arrival> =>
  next.call<Arrival>('GET', arrivalPath(id), undefined, LARGE_FILE_MS);

/** It works on the old host: what is left of a freeze there is over. `freeze`: proves that this one is. */
const release = async ({ old }: Hosts, id: string, freeze?: string): Promise<string | null> => {
  const query = freeze === undefined ? '' : `?freeze=${freeze}`;
  const path = `/api/practices/${id}/freeze${query}`;
  const { proof } = await old.call<{ proof: string | null }>('DELETE', path, undefined, LARGE_FILE_MS);
  return proof;
};

/** Removes what has arrived on the new host, which works on the old one. */
const removeArrival = async (hosts: Hosts, id: string, { state, freeze }: Arrival): Promise<void> => {
  const named = freeze ?? randomUUID();
  const proof = state === 'arriving' ? await release(hosts, id, named) : null;
  const query = proof === null ? '' : `?freeze=${named}&proof=${proof}`;
  await hosts.next.call('DELETE', `${arrivalPath(id)}${query}`);
};

type Show = (done: number, total: number) => void;

/** Sends the blocks that the new host does not have; resolves with how many those were, and the hashes of all. */
const sendFile = async (
  { next }: Hosts,
  id: string,
  file: string,
  there: Buffer,
  show: Show,
): Promise<{ readonly sent: number; readonly hashes: Buffer }> => {
  const { size } = await stat(file);
  const hashes = await hashesOf(file);
  const wanted = differing(hashes, there);
  const path = arrivalPath(id);
  for (let from = 0; from < wanted.length; from += BLOCKS_PER_REQUEST) {
    const blocks = await readBlocks(file, wanted.slice(from, from + BLOCKS_PER_REQUEST));
    await next.call('PUT', path, { size, blocks });
    show((size * (from + blocks.length)) / wanted.length, size);
  }
  // A file that has become shorter.
  if (wanted.length === 0 && there.length !== hashes.length)
    await next.call('PUT', path, { size, blocks: [] });
  return { sent: wanted.length, hashes };
};

/** Resolves with the hashes of what the new host has then. */
const copyWhileItWorks = async (hosts: Hosts, id: string, show: Show): Promise<Buffer> => {
  const arrival = await lookAt(hosts, id);
  if (arrival.state === 'active')
    throw new CommandError(`a practice with the id ${id} works on ${hosts.origin} already`);
  // One that was taken before the old host went on: it is out of date.
  if (arrival.state === 'arriving') await removeArrival(hosts, id, arrival);
  let there: Buffer = Buffer.from(arrival.hashes, 'base64');
  const from = join(hosts.dataDirectory, 'tenants', id, 'tenant.db');
  const copy = `${leavingFile(hosts.dataDirectory, id)}.round`;
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await rm(copy, { force: true });
    await copyDatabase(from, copy);
    const { sent, hashes } = await sendFile(hosts, id, copy, there, show);
    there = hashes;
    if (sent <= FEW_BLOCKS) break;
  }
  await rm(copy, { force: true });
  return there;
};

/** Sends the frozen copy, and resolves with what the new host makes of it. */
const sendFrozen = async (
  hosts: Hosts,
  { id, slug }: Pick<Practice, 'id' | 'slug'>,
  { freeze, key }: Pick<Frozen, 'freeze' | 'key'>,
  there: Buffer,
  show: Show,
): Promise<Taken> => {
  const { hashes } = await sendFile(hosts, id, leavingFile(hosts.dataDirectory, id), there, show);
  const digest = hash('sha256', hashes, 'base64');
  return hosts.next.call<Taken>('POST', arrivalPath(id), { key, digest, slug, freeze }, LARGE_FILE_MS);
};

/** The new host begins; the note keeps what it erases later from being sent again. */
const begin = async ({ next, dataDirectory }: Hosts, id: string): Promise<void> => {
  await next.call('POST', `${arrivalPath(id)}/begin`);
  await writeFile(begunNote(dataDirectory, id), '').catch((error) => {
    // The former file is gone, and can not be sent again.
    if (error.code !== 'ENOENT') throw error;
  });
};

const begunNote = (dataDirectory: string, id: string): string =>
  join(movedDirectory(dataDirectory, id), 'begun');

/** From the freeze until the old host has given it up. Resolves with how long requests were refused, ms. */
const giveUp = async (hosts: Hosts, practice: Practice, there: Buffer, show: Show) => {
  const { old, origin } = hosts;
  const { id } = practice;
  const path = `/api/practices/${id}/freeze`;
  let frozen: Frozen;
  try {
    frozen = await old.call<Frozen>('POST', path, {}, LARGE_FILE_MS);
  } catch (error) {
    await release(hosts, id).catch(() => undefined);
    throw error;
  }
  const { freeze } = frozen;
  const renewing = setInterval(() => void old.call('PUT', path, { freeze }).catch(() => undefined), RENEW_MS);
  let taken: Taken;
  try {
    taken = await sendFrozen(hosts, practice, frozen, there, show);
  } catch (error) {
    await release(hosts, id).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(renewing);
  }
  const { host, mail } = taken;
  // Whatever the answer to this is, the tenant must not begin there before the old host says that it has given it up.
  const moved = await old.call<Moved>('POST', `/api/practices/${id}/move`, {
    freeze,
    new_host: { origin, host, mail },
  });
  await begin(hosts, id);
  return { taken, moved, took: Date.now() - Date.parse(frozen.at) };
};

/** The old host has given it up. */
const goOn = async (hosts: Hosts, { id, slug }: Moved, show: Show): Promise<void> => {
  const { old, origin, dataDirectory } = hosts;
  const arrival = await lookAt(hosts, id);
  if (arrival.state === 'moved') throw new CommandError(`${slug} has moved on from ${origin}`);
  if (arrival.state === null || arrival.state === 'creating') {
    if (existsSync(begunNote(dataDirectory, id)))
      throw new CommandError(
        `${slug} worked on ${origin}, which does not have it any more: it was erased there, or has to be restored there from a backup`,
      );
    const path = `/api/admin/moves/${id}/copy`;
    const { key } = await old.call<{ key: string }>('POST', path, undefined, LARGE_FILE_MS);
    const there = Buffer.from(arrival.hashes, 'base64');
    await sendFrozen(hosts, { id, slug }, { key, freeze: randomUUID() }, there, show);
    await rm(dirname(leavingFile(dataDirectory, id)), { recursive: true, force: true });
  }
  await begin(hosts, id);
};

const advice = (
  { domain, managed_host: former }: Practice,
  { managed_host }: Taken,
  { until }: Moved,
): string =>
  [
    domain === former || domain === null
      ? `It sends from ${managed_host} now: mail from an address at ${former} is refused.`
      : `It goes on sending from ${domain}; ${former} is replaced by ${managed_host}.`,
    `Nothing needs to be changed in the DNS or in programs before ${until.slice(0, 10)}: this host answers for it until then.`,
    'By then: programs use the new address, and the records of the domain are those that the new host shows.',
    'Members sign in at the new host, by a code.',
  ]
    .map((line) => `${line}\n`)
    .join('');

/** Resolves with what is to be said. */
const move = async (
  hosts: Hosts,
  id: string,
  cancels: boolean,
  progress: ReturnType<typeof createProgress>,
): Promise<string> => {
  const { origin } = hosts;
  const before = await movedFrom(hosts, id);
  if (before !== undefined) {
    if (cancels)
      throw new CommandError(
        `${before.slug} has moved to ${before.new_host.origin}: move it back from there`,
      );
    if (before.new_host.origin !== origin)
      throw new CommandError(`${before.slug} has moved to ${before.new_host.origin}`);
    await goOn(hosts, before, progress.show);
    return `${before.slug} works on ${origin}.\n`;
  }
  // A command that was killed may have left it frozen.
  await release(hosts, id);
  const practice = await hosts.old.call<Practice>('GET', `/api/practices/${id}`);
  if (cancels) {
    await removeArrival(hosts, id, await lookAt(hosts, id));
    return `${practice.slug} works here; nothing of it is left on ${origin}.\n`;
  }
  const there = await copyWhileItWorks(hosts, id, progress.show);
  const { taken, moved, took } = await giveUp(hosts, practice, there, progress.show);
  progress.end();
  const facts = record([
    ['practice', taken.slug],
    ['works on', origin],
    ['refused for', `${(took / SECOND).toFixed(1)} s`],
    ['handed on here until', moved.until],
  ]);
  const notes = taken.notes.map((note) => `${note}\n`).join('');
  return `${facts}${notes}\n${advice(practice, taken, moved)}`;
};

export const moveTenant = async (
  values: MoveValues,
  environment: Environment,
  terminal: Pick<Terminal, 'printError' | 'isTerminal'>,
): Promise<CommandResult> => {
  const access = readAdminAccess(values.config, environment);
  const origin = originOf(values.to);
  const token = await readToken(values['token-file']);
  const { dataDirectory } = access;
  const hosts: Hosts = {
    old: createAdminApi(access),
    next: createAdminApi({ origin, token }),
    origin,
    dataDirectory,
  };
  requireOwner(dataDirectory);
  const id = (await movedFrom(hosts, values.practice))?.id ?? (await hosts.old.idOfPractice(values.practice));
  const unlock = await lockMove(dataDirectory, id);
  const progress = createProgress(terminal, 'move');
  try {
    return { exitCode: 0, output: await move(hosts, id, values.cancel, progress) };
  } finally {
    progress.end();
    unlock();
  }
};
