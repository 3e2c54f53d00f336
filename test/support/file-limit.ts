// What a test file may cost. CPU seconds say as much of the machine as of the test, so on a slower machine, or on one whose cores are
// shared, the limit is as much higher as a fixed computation takes longer there.
import { createHash } from 'node:crypto';
import process from 'node:process';

export const LIMIT_CPU_SECONDS = 10;
/** What the computation takes where the limit was set. */
const REFERENCE_SECONDS = 0.05;
const ROUNDS = 9;

/** Files that cannot do with less, each with its reason. */
export const EXPENSIVE: Readonly<Record<string, string>> = {
  'test/install/install.test.ts':
    'installs all packages as a server does, by the oldest npm, and starts several versions',
  'test/install/release.test.ts': 'makes a whole release, and installs, upgrades and removes it by dpkg',
  'test/flows/openapi-examples.test.ts': 'sends each of the some 600 examples in the description of the API',
  'test/flows/faults.test.ts': 'fills, breaks and takes away disks of daemons of its own',
  'test/dashboard/accessibility.test.ts': 'looks at every page of the dashboard with axe-core',
  'test/simulation/simulation.test.ts':
    'runs the whole service thirty times, through crashes and faults that are other ones each time',
  'test/budget.test.ts': 'counts what a message costs over so many messages that their batches even out',
};

/** Hashing, sorting and JSON: what the tests do as well. */
const compute = (): void => {
  let text = '';
  for (let round = 0; round < 20_000; round++)
    text = createHash('sha256').update(text).update(String(round)).digest('hex');
  const rows = Array.from({ length: 40_000 }, (_, id) => ({
    id,
    name: String(Math.imul(id, 2_654_435_761)),
  }));
  JSON.parse(JSON.stringify(rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))));
};

/** How many times as long as there this machine takes now; 1 where it is faster. */
export const slowness = (): number => {
  const seconds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    compute();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  }).sort((a, b) => a - b);
  return Math.max(1, (seconds[Math.floor(ROUNDS / 2)] ?? 0) / REFERENCE_SECONDS);
};

export interface NamedCost {
  readonly name: string;
  readonly cpuSeconds: number;
  /** Most of what such a file costs is a browser's work on whole pages. */
  readonly hasBrowser: boolean;
}

const isAbove = ({ name, cpuSeconds, hasBrowser }: NamedCost, limit: number): boolean =>
  cpuSeconds > limit && !hasBrowser && !(name in EXPENSIVE);

/** The files that cost too much. `measure` is asked only where one seems to, by the limit of a fast machine. */
export const aboveLimit = (costs: readonly NamedCost[], measure: () => number = slowness): NamedCost[] => {
  const above = costs.filter((cost) => isAbove(cost, LIMIT_CPU_SECONDS));
  if (above.length === 0) return [];
  const limit = LIMIT_CPU_SECONDS * measure();
  return above.filter((cost) => isAbove(cost, limit));
};

/** So many are run again. Where more seem to cost too much, the machine was slow. */
const ALONE_AT_MOST = 5;

/**
 * The files that cost too much alone as well: beside others that fill the caches of the same cores a file costs up to half
 * as much again. `alone` runs one again, with nothing beside it; undefined where that says nothing. The most expensive ones are run
 * again; the others are taken to cost as much less alone as these did on average. How slow the machine is changes within seconds, so
 * it is measured before and after each.
 */
export const aboveLimitAlone = async (
  costs: readonly NamedCost[],
  alone: (name: string) => Promise<number | undefined>,
  measure: () => number = slowness,
): Promise<NamedCost[]> => {
  const suspects = aboveLimit(costs, measure).toSorted((a, b) => b.cpuSeconds - a.cpuSeconds);
  const above: NamedCost[] = [];
  let [together, byThemselves, slowest] = [0, 0, 1];
  for (const [at, cost] of suspects.entries()) {
    if (at >= ALONE_AT_MOST) {
      const cpuSeconds = cost.cpuSeconds * Math.min(1, byThemselves / together);
      above.push(...aboveLimit([{ ...cost, cpuSeconds }], () => slowest));
      continue;
    }
    const before = measure();
    const cpuSeconds = (await alone(cost.name)) ?? cost.cpuSeconds;
    const slow = Math.max(before, measure());
    above.push(...aboveLimit([{ ...cost, cpuSeconds }], () => slow));
    together += cost.cpuSeconds;
    byThemselves += cpuSeconds;
    slowest = Math.max(slowest, slow);
  }
  return above;
};
