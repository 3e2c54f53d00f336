// The directory that is shipped: sources, packages, Node and the built pages, without what only builds, documents or types them.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { type Architecture, directoryOf, type LockEntry, readLockfile, shippedPackages } from './packages.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const SHIPPED =
  /^(?:bin\/sendwerk|src\/(?!dashboard\/).*|(?:config|systemd)\/.*|docs\/.*\.md|package\.json|LICENSE|[A-Z]+\.md)$/;
const NOT_SHIPPED = /^(?:src\/.*\.md|(?:ARCHITECTURE|CONTRIBUTING)\.md)$/;
/** No program reads types and source maps. Sources in TypeScript cannot run in node_modules. */
const UNUSED_OF_PACKAGE = /\.(?:[mc]?tsx?|map|tsbuildinfo)$/;
/** The Node has no npm and compiles nothing; better-sqlite3 brings its sources and the binaries of eight systems. */
const USED_OF = (name: string, arch: Architecture): RegExp | null => {
  if (name.startsWith('node-linux-')) return /^(?:bin\/node|LICENSE|package\.json)$/;
  if (name === 'better-sqlite3')
    return new RegExp(`^(?:lib/.*|prebuilds/linux-${arch}\\.node|LICENSE|package\\.json)$`);
  return null;
};

export interface ShippedPackage extends LockEntry {
  readonly name: string;
  readonly license: string;
  /** Its code is in the files of the pages only. */
  readonly isInPages: boolean;
}

interface StageOptions {
  readonly to: string;
  readonly arch: Architecture;
  readonly metafile: Metafile;
  readonly commit: string;
  /** Seconds since 1970: of all files. */
  readonly time: number;
}

const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Paths of files below `directory`, without those of packages inside of it. */
export const filesBelow = (directory: string, below = ''): string[] =>
  readdirSync(join(directory, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(directory, path);
    return entry.isFile() ? [path] : [];
  });

export const put = (from: string, to: string, isExecutable = false): void => {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, isExecutable ? 0o755 : 0o644);
};

const copySources = (to: string): void => {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const name of listed.filter((one) => SHIPPED.test(one) && !NOT_SHIPPED.test(one)))
    put(join(ROOT, name), join(to, name), (statSync(join(ROOT, name)).mode & 0o100) !== 0);
};

/** `path`: of the package in the lockfile. */
const describePackage = (
  directory: string,
  path: string,
  entry: LockEntry,
  isInPages: boolean,
): ShippedPackage => {
  const { license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${path} does not say its licence`);
  return { ...entry, name: nameOf(path), license, isInPages };
};

const licenseTextOf = (directory: string): string => {
  const file = readdirSync(directory).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? '' : readFileSync(join(directory, file), 'utf8').trim();
};

/** What is in the pages is there without its files, so their licences stand beside them. */
const stagePages = (to: string, metafile: Metafile, paths: ReadonlySet<string>): ShippedPackage[] => {
  for (const name of filesBelow(join(ROOT, 'dist/dashboard')))
    put(join(ROOT, 'dist/dashboard', name), join(to, 'dist/dashboard', name), false);
  const lockfile = readLockfile(ROOT);
  const used = new Set(
    Object.values(metafile.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .flatMap(([input, { bytesInOutput }]) => {
        const path = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
        return path === undefined || bytesInOutput === 0 ? [] : [path];
      }),
  );
  const found = [...used].sort().flatMap((path) => {
    const entry = lockfile[path];
    return entry === undefined ? [] : [{ path, entry }];
  });
  const texts = found.map(
    ({ path, entry }) => `${nameOf(path)} ${entry.version}\n\n${licenseTextOf(join(ROOT, path))}\n`,
  );
  writeFileSync(join(to, 'dist/LICENSES.txt'), texts.join(`\n${'-'.repeat(78)}\n\n`));
  return found
    .filter(({ path }) => !paths.has(path))
    .map(({ path, entry }) => describePackage(join(ROOT, path), path, entry, true));
};

/** Gives everything below `directory` and itself one time and the usual modes; returns the bytes of its files. */
export const settleTree = (directory: string, time: number): number => {
  let bytes = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      bytes += settleTree(path, time);
      continue;
    }
    if (entry.isFile()) bytes += statSync(path).size;
    lutimesSync(path, time, time);
  }
  chmodSync(directory, 0o755);
  lutimesSync(directory, time, time);
  return bytes;
};

export const stageTree = async ({ to, arch, metafile, commit, time }: StageOptions) => {
  copySources(to);
  const lockfile = readLockfile(ROOT);
  const paths = shippedPackages(lockfile, arch);
  const packages = paths.map((path) => {
    const entry = lockfile[path] as LockEntry;
    const directory = directoryOf(ROOT, path, entry, mkdtempSync(`${to}.packages-`));
    const used = USED_OF(nameOf(path), arch);
    for (const name of filesBelow(directory))
      if (used === null ? !UNUSED_OF_PACKAGE.test(name) : used.test(name))
        put(join(directory, name), join(to, path, name), name === 'bin/node');
    return describePackage(directory, path, entry, false);
  });
  mkdirSync(join(to, 'node_modules/.bin'));
  symlinkSync(`../node-linux-${arch}/bin/node`, join(to, 'node_modules/.bin/node'));
  const inPages = stagePages(to, metafile, new Set(paths));
  writeFileSync(join(to, 'commit'), `${commit}\n`);
  return { tree: to, packages: [...packages, ...inPages], bytes: settleTree(to, time) };
};
