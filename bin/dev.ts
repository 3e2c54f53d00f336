// `npm run dev`: the playground of `sendwerk quickstart --keep`, with data in it, beside an editor. A change of the sources starts the
// daemon again within seconds, with the same practice, token and ports; a change of the dashboard builds it again.
// `npm run dev -- --inspect` lets a debugger in; `--dir DIR` keeps the data elsewhere than in data/dev; `--no-build` and
// `--no-seed` leave out the first build of the dashboard and the data.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, watch } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildDashboard } from './build.ts';
import { seed } from './dev/seed.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'src');
/** Editors write a file in several steps, and a branch is many files: one restart is enough for all of them. */
const QUIET_MS = 150;
/** What the daemon reads once, when it starts. */
const READ_AT_START = /\.(?:ts|sql|json|wasm)$/;

const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: join(ROOT, 'data/dev') },
    inspect: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    'no-seed': { type: 'boolean', default: false },
  },
});
const SEEDED = join(values.dir, 'seeded');

const say = (text: string): void => console.log(`\n[dev] ${text}`);
const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Once, as what is deleted in the dashboard is not to come back at the next start. */
const seedOnce = async (printed: string): Promise<void> => {
  if (values['no-seed'] || existsSync(SEEDED)) return;
  const exported = (name: string): string =>
    new RegExp(`^export ${name}=(.+)$`, 'm').exec(printed)?.[1] ?? '';
  const { ports } = JSON.parse(readFileSync(join(values.dir, 'playground.json'), 'utf8'));
  await writeFile(SEEDED, '');
  const since = performance.now();
  await seed({
    origin: exported('SENDWERK_URL'),
    inboundPort: ports.inbound,
    practice: exported('SENDWERK_PRACTICE'),
    token: exported('SENDWERK_TOKEN'),
  });
  say(`Seeded in ${seconds(since)}: people, campaigns, mail received, messages in eleven statuses.`);
};

/** The daemon in a process of its own; `stop` resolves when that has ended. */
const startDaemon = (isFirst: boolean) => {
  const since = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...(values.inspect ? ['--inspect'] : []),
      join(SOURCES, 'main.ts'),
      ...['quickstart', '--keep', values.dir],
    ],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let printed = '';
  let isUp = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    // A later start says the same as the first, so one line stands for all of it.
    if (isFirst || isUp) process.stdout.write(text);
    if (isUp || !printed.includes('until Ctrl-C')) return;
    isUp = true;
    const link = /^ *(http\S+\/app\/sign-in#\S+)$/m.exec(printed)?.[1];
    say(`The daemon is up after ${seconds(since)}. Sign in: ${link}`);
    seedOnce(printed).catch((error) => say(`Not all was seeded: ${reasonOf(error)}`));
  });
  void ended.then(() => {
    if (!isUp && !isFirst) process.stdout.write(printed);
    if (child.exitCode !== 0 && child.signalCode === null)
      say('The daemon has ended; it starts again at the next change.');
  });
  return {
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
    },
  };
};

const build = async (): Promise<void> => {
  const since = performance.now();
  try {
    await buildDashboard({ compress: false });
    say(`The dashboard is built, after ${seconds(since)}: load the page again.`);
  } catch (error) {
    // What is wrong was printed by esbuild, with its place.
    say(`The dashboard is not built: ${reasonOf(error).split('\n')[0]}`);
  }
};

if (!values['no-build']) await build();
let daemon = startDaemon(true);
let changed = new Set<string>();
let timer: NodeJS.Timeout | undefined;
let working = Promise.resolve();

const follow = async (): Promise<void> => {
  const names = [...changed];
  changed = new Set();
  if (names.some((name) => name.startsWith(`dashboard${sep}`))) await build();
  const first = names.find((name) => READ_AT_START.test(name) && !name.startsWith(`dashboard${sep}`));
  if (first === undefined) return;
  say(`${join('src', first)} has changed.`);
  await daemon.stop();
  daemon = startDaemon(false);
};

const watcher = watch(SOURCES, { recursive: true }, (_, name) => {
  if (name === null) return;
  changed.add(name);
  clearTimeout(timer);
  timer = setTimeout(() => {
    working = working.then(follow);
  }, QUIET_MS);
});
say('Watching src/. Ctrl-C ends it; the data stay.');

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    watcher.close();
    clearTimeout(timer);
    await working;
    await daemon.stop();
  });
