// Debian's Knot DNS as the public DNS: an authoritative server of one's own on a free loopback port, with
// configuration, zones and database in a directory under the system's temporary one. Zones it cannot load are
// answered with SERVFAIL, names in no zone with REFUSED, as on the internet. The system's own instance is not touched.
import { execFileSync } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { endProcess, freePort, spawnMortal, untilListening } from '#test/support/process.ts';

const PROGRAM = '/usr/sbin/knotd';
/** Debian's user for it. */
const USER = 'knot';

export interface KnotZone {
  readonly name: string;
  /** The zone file, SOA and NS too. */
  readonly text: string;
}

export interface Knot {
  readonly port: number;
  /** As `dns.resolvers` and `createDnsLookup` take it. */
  readonly server: string;
  stop(): Promise<void>;
}

export async function startKnot(zones: readonly KnotZone[]): Promise<Knot> {
  const directory = await mkdtemp(path.join(tmpdir(), 'knot-'));
  const port = await freePort();
  const folders = ['', 'run', 'db', 'zones'].map((name) => path.join(directory, name));
  for (const folder of folders.slice(1)) await mkdir(folder);
  for (const { name, text } of zones) await writeFile(path.join(directory, 'zones', `${name}.zone`), text);
  const configFile = path.join(directory, 'knot.conf');
  const isRoot = userInfo().uid === 0;
  await writeFile(configFile, configuration(directory, port, isRoot, zones));
  if (isRoot) {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, USER], { encoding: 'utf8' })),
    );
    for (const folder of folders) await chown(folder, uid ?? 0, gid ?? 0);
  }
  const child = spawnMortal(PROGRAM, ['-c', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.on('error', (error) => {
    said += error.message;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await untilListening({ host: '127.0.0.1', port }, child, () => said);
  return {
    port,
    server: `127.0.0.1:${port}`,
    stop: async () => {
      await endProcess(child);
      await rm(directory, { recursive: true });
    },
  };
}

/** It answers only once all zones are loaded or have failed to (`async-start` is off by default). */
function configuration(directory: string, port: number, isRoot: boolean, zones: readonly KnotZone[]): string {
  return `server:
  rundir: "${directory}/run"
  listen: 127.0.0.1@${port}
  ${isRoot ? `user: ${USER}:${USER}` : ''}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
log:
  - target: stderr
    any: error
database:
  storage: "${directory}/db"
template:
  - id: default
    storage: "${directory}/zones"
    zonefile-sync: -1
    journal-content: none
zone:
${zones.map(({ name }) => `  - domain: ${name}\n    file: "${name}.zone"\n`).join('')}`;
}
