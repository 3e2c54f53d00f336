// The clients as files that npm and pip install. Both have the sources' own version, of a draft too.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { writeTarball } from './archive.ts';
import { filesBelow, put, ROOT } from './tree.ts';

const NODE = join(ROOT, 'clients/node');
const PYTHON = join(ROOT, 'clients/python');

/** `time`: seconds since 1970, of all files in it. Returns the name of the file in `out`. */
export const packNodeClient = async (out: string, time: number, isDraft: boolean): Promise<string> => {
  const { version, files } = JSON.parse(readFileSync(join(NODE, 'package.json'), 'utf8'));
  const staging = mkdtempSync(join(tmpdir(), 'sendwerk-client-'));
  try {
    const tree = join(staging, 'package');
    for (const name of ['package.json', ...globSync(files, { cwd: NODE })])
      put(join(NODE, name), join(tree, name));
    chmodSync(tree, 0o755);
    const name = `sendwerk-client-${version}.tgz`;
    await writeTarball(staging, 'package', time, join(out, name), isDraft);
    return name;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
};

/** A wheel, by Debian's setuptools: pip only unpacks it. */
export const packPythonClient = (out: string, time: number): string => {
  const staging = mkdtempSync(join(tmpdir(), 'sendwerk-client-'));
  try {
    for (const path of filesBelow(PYTHON)) put(join(PYTHON, path), join(staging, 'source', path));
    execFileSync(
      '/usr/bin/python3',
      ['-c', 'from setuptools import build_meta; build_meta.build_wheel("..")'],
      {
        cwd: join(staging, 'source'),
        env: { ...env, SOURCE_DATE_EPOCH: String(time) },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    const name = readdirSync(staging).find((one) => one.endsWith('.whl'));
    if (name === undefined) throw new Error('setuptools made no wheel');
    copyFileSync(join(staging, name), join(out, name));
    return name;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
};
