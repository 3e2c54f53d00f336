// Debian's rspamd with its own rules and nothing from outside: one worker on a free loopback port, no DNS, no Redis, no
// lists. The settings id `outbound` disables what only makes sense for mail that comes in, as the configuration file tells
// operators to. The system's own instance is not touched.
//
// Compiling its patterns takes it ten seconds; it keeps them in its directory, from where they are handed on to the next.
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcess, freePort, spawnMortal, untilListening } from '#test/support/process.ts';

const PROGRAM = '/usr/bin/rspamd';
const PATTERNS = fileURLToPath(new URL('../../node_modules/.cache/rspamd/', import.meta.url));
/** The first time, on a machine that does other things as well. */
export const RSPAMD_START_MS = 120_000;

/** What every spam filter is to reject, in two halves, so that none rejects this. */
export const GTUBE = ['XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE', '-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'].join('');

export interface Rspamd {
  /** As `scanners.rspamd.url` takes it. */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** `port`: of an earlier one. */
export async function startRspamd(options: { readonly port?: number } = {}): Promise<Rspamd> {
  const directory = await mkdtemp(path.join(tmpdir(), 'rspamd-'));
  const port = options.port ?? (await freePort());
  const configFile = path.join(directory, 'rspamd.conf');
  await writeFile(configFile, configuration(directory, port));
  await handOn(PATTERNS, directory);
  const folders = ['DBDIR', 'RUNDIR', 'LOGDIR', 'LOCAL_CONFDIR'].map((name) => `--var=${name}=${directory}`);
  const child = spawnMortal(PROGRAM, ['-f', '-i', '-c', configFile, ...folders], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.on('error', (error) => {
    said += error.message;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await untilListening({ host: '127.0.0.1', port }, child, () => said, RSPAMD_START_MS);
  await handOn(directory, PATTERNS);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: async () => {
      await endProcess(child);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Copies what is compiled and not there yet. Whole files only: others may do the same at that moment. */
async function handOn(from: string, to: string): Promise<void> {
  await mkdir(from, { recursive: true });
  await mkdir(to, { recursive: true });
  const there = new Set(await readdir(to));
  const compiled = (await readdir(from)).filter((name) => name.endsWith('.hsmp') && !there.has(name));
  for (const name of compiled) {
    const half = path.join(to, `${name}.${path.basename(from)}`);
    await copyFile(path.join(from, name), half);
    await rename(half, path.join(to, name));
  }
}

function configuration(directory: string, port: number): string {
  return `.include "/etc/rspamd/common.conf"
options {
  .include "/etc/rspamd/options.inc"
  filters = "chartable,regexp";
  control_socket = "${directory}/control.sock mode=0600";
  history_file = "${directory}/history";
  disable_hyperscan = true;
  rrd = "";
  dns { nameserver = ["127.0.0.1:1"]; timeout = 0.1s; retransmits = 1; }
}
logging { type = "console"; level = "error"; }
worker "normal" { bind_socket = "127.0.0.1:${port}"; count = 1; mime = true; task_timeout = 60s; }
fuzzy_check { enabled = false; }
settings {
  outbound {
    id = "outbound";
    apply {
      groups_disabled = ["spf", "dkim", "dmarc", "arc", "rbl", "hfilter", "greylist", "ratelimit", "mx_check"];
    }
  }
}
`;
}
