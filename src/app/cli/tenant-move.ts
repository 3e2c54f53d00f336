// `sendwerk tenant move` brings a tenant from this host to another one, both of which run. It only carries: what must not be lost is
// written by the two daemons, so that it can be killed at any moment and run again.
//
// 1. The file is copied while the tenant works, then what has changed since, until that is little.
// 2. The old host ends its work and freezes it. From here on requests are refused.
// 3. The rest is sent, the new host takes it and waits.
// 4. The old host gives it up, durably. After that, and after that alone, the new host begins.
//
// Before 4 a failure leaves the tenant at work on the old host. Where the answer to 4 did not come, the old host is asked: by the same
// command, run again.
import { hash } from 'node:crypto';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { differing, hashesOf, readBlocks } from '#src/accounts/moving/blocks.ts';
import { leavingFile } from '#src/accounts/moving/leaving-file.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';
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
  readonly hashes: string;
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
  const path = `/api/admin/arrivals/${id}`;
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
  const path = `/api/admin/arrivals/${id}`;
  const arrival = await hosts.next.call<Arrival>('GET', path);
  if (arrival.state === 'active')
    throw new CommandError(`a practice with the id ${id} works on ${hosts.origin} already`);
  // One that was taken before the old host went on: it is out of date.
  if (arrival.state === 'arriving') await hosts.next.call('DELETE', path);
  let there: Buffer = arrival.state === 'arriving' ? Buffer.alloc(0) : Buffer.from(arrival.hashes, 'base64');
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

/** From the freeze until the old host has given it up. Resolves with how long requests were refused, ms. */
const giveUp = async (hosts: Hosts, { id, slug }: Practice, there: Buffer, show: Show) => {
  const { old, next, origin, dataDirectory } = hosts;
  const { freeze, key, at } = await old.call<{ freeze: string; key: string; at: string }>(
    'POST',
    `/api/practices/${id}/freeze`,
    {},
  );
  let taken: Taken;
  try {
    const { hashes } = await sendFile(hosts, id, leavingFile(dataDirectory, id), there, show);
    const digest = hash('sha256', hashes, 'base64');
    taken = await next.call<Taken>('POST', `/api/admin/arrivals/${id}`, { key, digest, slug });
  } catch (error) {
    await old.call('DELETE', `/api/practices/${id}/freeze`).catch(() => undefined);
    throw error;
  }
  const { host, mail } = taken;
  // Whatever the answer to this is, the tenant must not begin there before the old host says that it has given it up.
  const moved = await old.call<Moved>('POST', `/api/practices/${id}/move`, {
    freeze,
    new_host: { origin, host, mail },
  });
  await next.call('POST', `/api/admin/arrivals/${id}/begin`);
  return { taken, moved, took: Date.now() - Date.parse(at) };
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
  const before = await movedFrom(hosts, values.practice);
  if (before !== undefined) {
    if (values.cancel)
      throw new CommandError(
        `${before.slug} has moved to ${before.new_host.origin}: move it back from there`,
      );
    if (before.new_host.origin !== origin)
      throw new CommandError(`${before.slug} has moved to ${before.new_host.origin}`);
    await hosts.next.call('POST', `/api/admin/arrivals/${before.id}/begin`);
    return { exitCode: 0, output: `${before.slug} works on ${origin}.\n` };
  }
  const base = await hosts.old.pathOfPractice(values.practice);
  // A command that was killed may have left it frozen.
  await hosts.old.call('DELETE', `${base}/freeze`);
  const practice = await hosts.old.call<Practice>('GET', base);
  if (values.cancel) {
    await hosts.next.call('DELETE', `/api/admin/arrivals/${practice.id}`);
    return { exitCode: 0, output: `${practice.slug} works here; nothing of it is left on ${origin}.\n` };
  }
  const progress = createProgress(terminal, 'move');
  try {
    const there = await copyWhileItWorks(hosts, practice.id, progress.show);
    const { taken, moved, took } = await giveUp(hosts, practice, there, progress.show);
    progress.end();
    const facts = record([
      ['practice', taken.slug],
      ['works on', origin],
      ['refused for', `${(took / SECOND).toFixed(1)} s`],
      ['handed on here until', moved.until],
    ]);
    const notes = taken.notes.map((note) => `${note}\n`).join('');
    return { exitCode: 0, output: `${facts}${notes}\n${advice(practice, taken, moved)}` };
  } finally {
    progress.end();
  }
};
