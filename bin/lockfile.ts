// Fails where an optional package of package-lock.json has `engines`; with --write it takes them away. npm leaves out an optional
// package whose `engines` exclude the Node that runs npm, although it would run on the one of node_modules/.bin: by the Node of
// Debian 12 the tools would be installed without their native halves. npm writes the `engines` of each package that it resolves.
import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';

const FILE = 'package-lock.json';

interface Lockfile {
  readonly packages: Record<string, { readonly optional?: boolean; engines?: unknown }>;
}

const lockfile: Lockfile = JSON.parse(await readFile(FILE, 'utf8'));
const found = Object.entries(lockfile.packages).filter(([, entry]) => entry.optional && entry.engines);
if (process.argv.includes('--write')) {
  for (const [, entry] of found) delete entry.engines;
  // Without a change its time stays: a lockfile that is newer than the packages installs them again.
  if (found.length > 0) await writeFile(FILE, `${JSON.stringify(lockfile, null, 2)}\n`);
} else if (found.length > 0) {
  console.error(
    `${FILE}: ${found.length} optional packages have \`engines\`, so npm on an older Node would leave them out (${found[0]?.[0]}): \`npm run format\` takes them away`,
  );
  process.exitCode = 1;
}
