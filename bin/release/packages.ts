// Which packages of package-lock.json a release ships: what the daemon needs, with its Node, for one architecture.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/**
 * Dependencies that only the build needs: what is in the pages' files already, and what makes them. A checkout builds its pages on
 * the server, so they are no devDependencies. The last has the headers to compile better-sqlite3, whose binary is in its package.
 */
export const FOR_BUILDING: ReadonlySet<string> = new Set([
  '@codemirror/commands',
  '@codemirror/language',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
  '@lezer/html',
  '@preact/signals',
  'esbuild',
  'preact',
  'preact-iso',
  'prosemirror-commands',
  'prosemirror-dropcursor',
  'prosemirror-gapcursor',
  'prosemirror-history',
  'prosemirror-inputrules',
  'prosemirror-keymap',
  'prosemirror-model',
  'prosemirror-schema-list',
  'prosemirror-state',
  'prosemirror-transform',
  'prosemirror-view',
  'node-addon-api',
]);

export interface LockEntry {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
}

/** By the path of the package, such as `node_modules/a/node_modules/b`; the root is ''. */
export type Lockfile = Readonly<Record<string, LockEntry>>;

export const readLockfile = (root: string): Lockfile =>
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;

/** The Node that is shipped is one for glibc, so binaries for musl could not be loaded. */
const suits = ({ os, cpu, libc }: LockEntry, arch: Architecture): boolean =>
  (os === undefined || [os].flat().includes('linux')) &&
  (cpu === undefined || [cpu].flat().includes(arch)) &&
  (libc === undefined || [libc].flat().includes('glibc'));

/** Where Node finds `name` from inside of the package at `from`. */
const resolveFrom = (lockfile: Lockfile, from: string, name: string): string | undefined => {
  for (let at = from; ; ) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (lockfile[path] !== undefined) return path;
    if (at === '') return undefined;
    at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')));
  }
};

const needsOf = (entry: LockEntry): string[] => [
  ...Object.keys(entry.dependencies ?? {}),
  ...Object.keys(entry.optionalDependencies ?? {}),
  ...Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => !entry.peerDependenciesMeta?.[name]?.optional,
  ),
];

/** The paths of the shipped packages, sorted. */
export const shippedPackages = (lockfile: Lockfile, arch: Architecture): string[] => {
  const found = new Set<string>();
  const visit = (from: string, entry: LockEntry): void => {
    for (const name of needsOf(entry).filter((one) => !FOR_BUILDING.has(one))) {
      const path = resolveFrom(lockfile, from, name);
      const needed = path === undefined ? undefined : lockfile[path];
      if (path === undefined || needed === undefined || found.has(path) || !suits(needed, arch)) continue;
      found.add(path);
      visit(path, needed);
    }
  };
  const root = lockfile[''];
  if (root !== undefined) visit('', root);
  return [...found].sort();
};

/** The directory of a package: as it is installed or, for another architecture than this machine's, as npm gets it. */
export const directoryOf = (root: string, path: string, entry: LockEntry, temporary: string): string => {
  if (existsSync(join(root, path, 'package.json'))) return join(root, path);
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const directory = mkdtempSync(join(temporary, 'package-'));
  const options = ['--prefer-offline', '--loglevel=error', '--json', '--pack-destination', directory];
  const packed = execFileSync('npm', ['pack', `${name}@${entry.version}`, ...options], { encoding: 'utf8' });
  const file = join(directory, JSON.parse(packed)[0].filename);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (integrity !== entry.integrity)
    throw new Error(`${name} ${entry.version} is not the package whose hash the lockfile has`);
  execFileSync('tar', ['-xzf', file, '-C', directory, '--no-same-owner', '--strip-components=1']);
  return directory;
};
