// Which sources a test file runs, so that `npm run mutate` knows its tests. `REACH=1 npx vitest run [PART]` writes one file for each
// test file into node_modules/.cache/reach: how many functions of each source it ran, in its own process and in the daemons
// that it started. V8 counts calls while the tests run, which costs about a sixth of their CPU.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'node_modules/.cache/reach');

/** Functions that ran, by the source's path. */
type Reach = Readonly<Record<string, number>>;

let session: Session | undefined;

/** Counts from now on. */
export const countCalls = (): void => {
  if (session === undefined) {
    session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }
  session.post('Profiler.takePreciseCoverage', () => undefined);
};

/** Since it was asked last. A source whose body alone ran is only loaded. */
export const takeReach = (): Reach => {
  const reach: Record<string, number> = {};
  session?.post('Profiler.takePreciseCoverage', (_, answer) => {
    for (const { url, functions } of answer?.result ?? []) {
      if (!url.startsWith('file://')) continue;
      const source = path.relative(ROOT, fileURLToPath(url));
      const ran = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0]?.count);
      if (/^src\/(?!dashboard\/)/.test(source) && ran.length > 0) reach[source] = ran.length;
    }
  });
  return reach;
};

const prefixOf = (test: string): string => path.join(FOLDER, test.replaceAll('/', '__'));

/** Forgets what is known of the test file, and lets the daemons that it starts write theirs. */
export const beginReach = (test: string): void => {
  mkdirSync(FOLDER, { recursive: true });
  process.env.REACH_TO = prefixOf(test);
  const own = path.basename(prefixOf(test));
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(`${own}.`)) rmSync(path.join(FOLDER, name), { force: true });
  countCalls();
};

export const writeReach = (): void => {
  writeFileSync(`${process.env.REACH_TO}.${process.pid}.json`, JSON.stringify(takeReach()));
};

/** Of all test files that were run so, by their paths. */
export const readReach = (): ReadonlyMap<string, Reach> => {
  const all = new Map<string, Record<string, number>>();
  let names: string[] = [];
  try {
    names = readdirSync(FOLDER);
  } catch {
    return all;
  }
  for (const name of names) {
    const test = name.replace(/\.\d+\.json$/, '').replaceAll('__', '/');
    const reach = all.get(test) ?? {};
    const ran = JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')) as Reach;
    for (const [source, count] of Object.entries(ran)) reach[source] = Math.max(count, reach[source] ?? 0);
    all.set(test, reach);
  }
  return all;
};
