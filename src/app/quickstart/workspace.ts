// The directory of a playground: data, keys, token and ports of `sendwerk quickstart`. One that is kept is found again by its
// state file, so that the next start goes on with the same practice; one that is not is removed at the end.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { CommandError } from '../cli/command.ts';
import { choosePorts, HOST, type PortName, type Ports, usualPorts } from './ports.ts';

export const OPERATOR = 'operator@example.org';

const STATE = 'playground.json';
const KEY = 'master.key';
const ADMIN_TOKEN = 'admin.token';
const CONFIG = 'service.yaml';

/** What a start leaves for the next one. */
interface State {
  readonly ports: Ports;
  /** Null until the first start has made it. */
  readonly practice: { readonly id: string; readonly token: string } | null;
}

export interface Workspace {
  readonly directory: string;
  /** The configuration of this start; `started` brings it to its place, where another start may use it still. */
  readonly nextConfigFile: string;
  readonly configFile: string;
  readonly origin: string;
  readonly adminToken: string;
  readonly practice: State['practice'];
  /** Ports that are not the usual or the kept ones, because those are taken. */
  readonly moved: readonly { readonly name: PortName; readonly wanted: number; readonly port: number }[];
  /** No other playground runs on this directory. */
  started(): Promise<void>;
  keepPractice(practice: NonNullable<State['practice']>): Promise<void>;
  /** Removes what is not to be kept. */
  close(): Promise<void>;
}

const orNull = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null;
  throw error;
};

const readState = async (directory: string): Promise<State | null> => {
  const text = await readFile(join(directory, STATE), 'utf8').catch(orNull);
  return text === null ? null : (JSON.parse(text) as State);
};

/** A directory of something else is not written to: least of all that of a service. */
const makeKept = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await readdir(directory)).length > 0)
    throw new CommandError(
      `quickstart: ${directory} is not empty and has no ${STATE}: name a directory that is new, or one that \`quickstart --keep\` has made`,
    );
};

const configOf = (directory: string, ports: Ports) => ({
  service: {
    public_origin: `http://${HOST}:${ports.http}`,
    host: 'mail.sendwerk.test',
    managed_suffix: 'send.sendwerk.test',
  },
  data_dir: join(directory, 'data'),
  http: { listen: `${HOST}:${ports.http}` },
  smtp: {
    inbound: { listen: `${HOST}:${ports.inbound}` },
    // It has no certificate, so that only this machine can sign in, and needs no TLS for it.
    submission: { listen: `${HOST}:${ports.submission}` },
  },
  admin: { token_file: join(directory, ADMIN_TOKEN) },
  secrets: { master_key_file: join(directory, KEY) },
  upstreams: [{ name: 'capture', kind: 'capture' }],
  dns: { authoritative: { listen: `${HOST}:${ports.dns}` }, zones: { addresses: [HOST] } },
  // Nothing leaves the machine: the capture upstream delivers nothing.
  safe_mode: { default: false },
  security: { outbound_allow: ['127.0.0.0/8', '::1/128'], outbound_allow_http: true },
  log: { level: 'warn' },
  operators: [OPERATOR],
});

/** `wanted` are the ports of a new playground; those of a kept one are its own. Rejects with CommandError. */
export const openWorkspace = async (
  keep: string | undefined,
  wanted: Ports = usualPorts,
): Promise<Workspace> => {
  const directory =
    keep === undefined ? await mkdtemp(join(tmpdir(), 'sendwerk-quickstart-')) : resolve(keep);
  const found = await readState(directory);
  if (found === null && keep !== undefined) await makeKept(directory);
  const asked = found?.ports ?? wanted;
  const { ports, moved } = await choosePorts(asked);

  const writeState = async (state: State): Promise<void> => {
    const next = join(directory, `${STATE}.new`);
    await writeFile(next, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
    await rename(next, join(directory, STATE));
  };
  const secretAt = async (name: string, make: () => string): Promise<string> => {
    const path = join(directory, name);
    const kept = await readFile(path, 'utf8').catch(orNull);
    if (kept !== null) return kept;
    const made = make();
    await writeFile(path, made, { mode: 0o600 });
    return made;
  };
  await secretAt(KEY, () => randomBytes(32).toString('base64'));
  const adminToken = await secretAt(ADMIN_TOKEN, () => randomBytes(24).toString('base64url'));
  const configFile = join(directory, CONFIG);
  const nextConfigFile = `${configFile}.new`;
  await writeFile(nextConfigFile, stringify(configOf(directory, ports)), { mode: 0o600 });
  // A port that is taken this time is the kept one again when it is free.
  if (found === null) await writeState({ ports, practice: null });

  return {
    directory,
    nextConfigFile,
    configFile,
    origin: `http://${HOST}:${ports.http}`,
    adminToken,
    practice: found?.practice ?? null,
    moved,
    started: () => rename(nextConfigFile, configFile),
    keepPractice: (practice) => writeState({ ports: found?.ports ?? ports, practice }),
    close: async () => {
      if (keep === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
};
