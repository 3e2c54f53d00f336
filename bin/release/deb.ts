// The Debian package: the shipped tree below /usr/lib/sendwerk, the units, and the scripts of bin/release/debian.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import type { Architecture } from './packages.ts';
import { settleTree } from './tree.ts';

const DEBIAN_NAMES: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];
/** Where `bin/sendwerk`, of a checkout or a tarball, has the version that runs. */
const ELSEWHERE = '/opt/sendwerk/current';
const HERE = '/usr/lib/sendwerk';

interface DebOptions {
  readonly tree: string;
  readonly staging: string;
  readonly version: string;
  readonly arch: Architecture;
  readonly time: number;
  readonly out: string;
  readonly isDraft: boolean;
}

const control = (version: string, architecture: string, bytes: number): string => `Package: sendwerk
Version: ${version}
Architecture: ${architecture}
Maintainer: Sendwerk <postmaster@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9), systemd
Section: mail
Priority: optional
Description: transactional and marketing mail from one daemon
 HTTP API and dashboard in front, a SQLite file per tenant behind, and any
 SMTP relay as the way out. Brings its own Node.
`;

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1))
    .sort();

/** Takes the tree. Returns the name of the file in `out`. */
export const writeDeb = ({ tree, staging, version, arch, time, out, isDraft }: DebOptions): string => {
  const root = join(staging, 'deb');
  const at = (...names: string[]): string => join(root, ...names);
  for (const name of [
    'DEBIAN',
    'usr/bin',
    'usr/lib/systemd/system',
    'usr/lib/sysusers.d',
    'usr/lib/tmpfiles.d',
  ])
    mkdirSync(at(name), { recursive: true });
  renameSync(tree, at('usr/lib/sendwerk'));
  symlinkSync('../lib/sendwerk/bin/sendwerk', at('usr/bin/sendwerk'));
  const units = at('usr/lib/sendwerk/systemd');
  for (const name of readdirSync(units)) {
    if (name.endsWith('.conf')) {
      const [, kind] = name.split('.') as [string, string];
      copyFileSync(join(units, name), at('usr/lib', `${kind}.d`, 'sendwerk.conf'));
      continue;
    }
    const unit = readFileSync(join(units, name), 'utf8').replaceAll(ELSEWHERE, HERE);
    writeFileSync(at('usr/lib/systemd/system', name), unit);
    chmodSync(at('usr/lib/systemd/system', name), 0o644);
    // `sendwerk setup` compares with what came along.
    writeFileSync(join(units, name), unit);
  }
  mkdirSync(at('usr/share/doc/sendwerk'), { recursive: true });
  cpSync(at('usr/lib/sendwerk/LICENSE'), at('usr/share/doc/sendwerk/copyright'));
  const sums = filesBelow(at('usr')).map((name) => {
    const sum = createHash('md5')
      .update(readFileSync(at('usr', name)))
      .digest('hex');
    return `${sum}  usr/${name}\n`;
  });
  writeFileSync(at('DEBIAN/md5sums'), sums.join(''));
  for (const name of SCRIPTS) {
    copyFileSync(join(import.meta.dirname, 'debian', name), at('DEBIAN', name));
    chmodSync(at('DEBIAN', name), 0o755);
  }
  const bytes = settleTree(at('usr'), time);
  // Above the drafts of a version is the version itself.
  const debianVersion = version.replace('-', '~');
  writeFileSync(at('DEBIAN/control'), control(debianVersion, DEBIAN_NAMES[arch], bytes));
  settleTree(root, time);
  const name = `sendwerk_${debianVersion}_${DEBIAN_NAMES[arch]}.deb`;
  // With more threads xz cuts the file into blocks.
  const compression = isDraft ? ['-Znone'] : ['-Zxz', '--threads-max=1'];
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, join(out, name)], {
    env: { ...env, SOURCE_DATE_EPOCH: String(time) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(root, { recursive: true });
  return name;
};
