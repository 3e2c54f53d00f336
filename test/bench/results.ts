// `bench/RESULTS.md`: a section for each case with the machine it was measured on, written anew whenever the case is run.
import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readFile, statfs, writeFile } from 'node:fs/promises';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { cpuUsage, version } from 'node:process';
import { promisify } from 'node:util';
import { median } from '#test/bench/harness.ts';

const RESULTS = new URL('../../bench/RESULTS.md', import.meta.url);
const HEAD = `# Results

Written by \`npm run bench -- CASE\`: each section holds its case's last whole run. Absolute figures move from machine to machine
and from minute to minute, so only figures of one section are to be compared.
`;

/** statfs(2): the usual file systems by their magic numbers. A queue in memory would measure no sync. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  16914836: 'tmpfs',
  2035054128: 'overlayfs',
  801189825: 'zfs',
};
const SIGNATURES = 50;
const BATCHES = 9;

/** Milliseconds of CPU for an RSA-2048 signature: the unit that makes figures of different machines comparable. */
export function rsaMillis(): number {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const data = Buffer.alloc(200);
  const batches = Array.from({ length: BATCHES }, () => {
    const start = cpuUsage();
    for (let count = 0; count < SIGNATURES; count++) sign('sha256', data, privateKey);
    const { user, system } = cpuUsage(start);
    return (user + system) / 1_000 / SIGNATURES;
  });
  return median(batches);
}

/** What a program says on either stream; its version or the like. */
const said = async (program: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(program, args).catch(() => ({
    stdout: '-',
    stderr: '',
  }));
  return (stdout + stderr).trim();
};

/** Machine, versions and time, as one paragraph. */
export async function describeEnvironment(): Promise<string> {
  const { type } = await statfs(tmpdir());
  const commit = await said('git', 'rev-parse', '--short', 'HEAD');
  const changed = await said('git', 'status', '--porcelain', 'src', 'test', 'package-lock.json');
  const opendkim = /v([\d.]+)/.exec(await said('/usr/sbin/opendkim', '-V'))?.[1];
  return (
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commit}${changed === '' ? '' : ' with changes'}. ` +
    `${cpus().length} × ${cpus()[0]?.model}, ${(totalmem() / 1e9).toFixed(0)} GB, Linux ${release()}, ` +
    `${tmpdir()} on ${FILE_SYSTEMS[type] ?? type.toString(16)}. Node ${version.slice(1)}, ` +
    `Postfix ${await said('/usr/sbin/postconf', '-dh', 'mail_version')}, opendkim ${opendkim ?? '-'}.`
  );
}

/** Sections are in the order of `names`. */
export async function writeSection(name: string, text: string, names: readonly string[]): Promise<void> {
  const [, ...parts] = (await readFile(RESULTS, 'utf8').catch(() => '')).split(/^## /m);
  const sections = new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.trimEnd()]));
  sections.set(name, `${name}\n\n${text.trimEnd()}`);
  await mkdir(new URL('.', RESULTS), { recursive: true });
  const ordered = names.flatMap((one) => sections.get(one) ?? []);
  await writeFile(RESULTS, [HEAD, ...ordered.map((section) => `## ${section}\n`)].join('\n'));
}
