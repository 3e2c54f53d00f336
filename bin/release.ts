// `npm run release`: makes from a tag what is published of a version, into dist/release: for x64 and arm64 a tarball and a Debian
// package, each with its packages and its Node, an SBOM; the clients, and SHA256SUMS. The same commit gives the same bytes: names are sorted, times
// are the commit's, and what compresses is the Node of the lockfile. (Debian packages also need the same version of dpkg, the wheel that
// of python3-setuptools.)
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { writeTarball } from './release/archive.ts';
import { packNodeClient, packPythonClient } from './release/clients.ts';
import { writeDeb } from './release/deb.ts';
import { ARCHITECTURES, type Architecture } from './release/packages.ts';
import { sbomOf } from './release/sbom.ts';
import { ROOT, stageTree } from './release/tree.ts';

const USAGE = `Usage: npm run release -- [--dry-run] [--draft] [--arch x64|arm64] [--out DIR]

  --dry-run   say what would be made, and whether the tree and the tag allow it
  --draft     for trying out: without a tag, of the tree as it is, by the packages that are installed, compressed
              quickly; its files and its version say "draft"
  --arch      only this architecture
  --out       dist/release where absent
`;

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** Why the tree may not be published under this version. */
const refusals = (version: string, isDirty: boolean): string[] => [
  ...(isDirty ? ['the tree has changes that are not committed'] : []),
  ...(git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)
    ? []
    : [`this commit has no tag v${version}, and package.json says ${version}`]),
  ...(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version}`)
    ? []
    : [`CHANGELOG.md has no section ${version}`]),
];

const architectures = (given: string | undefined): readonly Architecture[] => {
  const found = ARCHITECTURES.filter((one) => given === undefined || one === given);
  if (found.length === 0) throw new Error(`--arch is one of ${ARCHITECTURES.join(', ')}`);
  return found;
};

const release = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      draft: { type: 'boolean', default: false },
      arch: { type: 'string' },
      out: { type: 'string', default: join(ROOT, 'dist/release') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const isDraft = values.draft;
  const base: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
  const isDirty = git('status', '--porcelain') !== '';
  const commit = git('rev-parse', 'HEAD') + (isDirty ? '-dirty' : '');
  const time = Number(git('show', '-s', '--format=%ct', 'HEAD'));
  const version = isDraft ? `${base}-draft.${git('rev-parse', '--short=12', 'HEAD')}` : base;
  const refused = isDraft ? [] : refusals(base, isDirty);
  const wanted = architectures(values.arch);
  if (refused.length > 0) console.error(`no release: ${refused.join('; ')}`);
  if (refused.length > 0 || values['dry-run']) {
    console.log(`${version} of commit ${commit} for ${wanted.join(' and ')}, into ${values.out}`);
    return refused.length > 0 ? 1 : 0;
  }

  // What is installed may have been changed by hand; npm compares what it installs anew with the hashes of the lockfile.
  if (!isDraft) execFileSync(join(ROOT, 'bin/setup'), { stdio: 'inherit' });
  const { buildDashboard } = await import('./build.ts');
  const { metafile } = await buildDashboard();
  const out = resolve(values.out);
  await mkdir(out, { recursive: true });
  const staging = mkdtempSync(join(tmpdir(), 'sendwerk-release-'));
  try {
    const names: string[] = [];
    for (const arch of wanted) {
      const name = `sendwerk-${version}-linux-${arch}`;
      const staged = await stageTree({ to: join(staging, name), arch, metafile, commit, time });
      const sbom = sbomOf({ version, commit, time, arch, packages: staged.packages });
      writeFileSync(join(out, `${name}.cdx.json`), sbom);
      await writeTarball(staging, name, time, join(out, `${name}.tar.gz`), isDraft);
      const deb = writeDeb({ tree: staged.tree, staging, version, arch, time, out, isDraft });
      names.push(`${name}.cdx.json`, `${name}.tar.gz`, deb);
      console.log(
        `${name}: ${staged.packages.length} packages, ${Math.round(staged.bytes / 1e6)} MB unpacked`,
      );
    }
    copyFileSync(join(ROOT, 'Containerfile'), join(out, 'Containerfile'));
    names.push('Containerfile');
    names.push(await packNodeClient(out, time, isDraft), packPythonClient(out, time));
    const sums = names.sort().map((name) => [
      createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex'),
      name,
    ]);
    const text = sums.map(([sum, name]) => `${sum}  ${name}\n`).join('');
    writeFileSync(join(out, 'SHA256SUMS'), text);
    process.stdout.write(text);
    return 0;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
};

process.exitCode = await release();
