// Debian's rspamd with its own rules and nothing from outside: one worker on a free loopback port, no DNS, no Redis, no
// lists. The settings id `outbound` disables what only makes sense for mail that comes in, by the lines that operators are
// shown. The system's own instance is not touched.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { blocksOf } from '#test/support/document-samples.ts';
import { endProcess, freePort, spawnMortal, untilListening } from '#test/support/process.ts';

const PROGRAM = '/usr/bin/rspamd';
const SETTINGS = blocksOf('docs/operate/scanners.md').find(({ text }) => text.includes('/rspamd/'))?.text;
/** What domains in the mails of tests end in. Compiling the list of all that there are costs ten seconds of CPU. */
const DOMAINS = ['com', 'de', 'eu', 'example', 'net', 'org', 'uk', 'co.uk'];
/** Alone it takes a second, but the machine may do other things as well. */
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
  await writeFile(path.join(directory, 'domains'), `${DOMAINS.join('\n')}\n`);
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
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: async () => {
      await endProcess(child);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function configuration(directory: string, port: number): string {
  return `.include "/etc/rspamd/common.conf"
options {
  url_tld = "${directory}/domains";
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
${SETTINGS}}
`;
}
