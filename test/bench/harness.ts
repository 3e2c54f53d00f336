// Runs competing sides in turn, several times, and takes medians: absolute figures move from machine to machine and
// from minute to minute, so only what was measured in the same run may be compared.

/** What one run of one side cost and gave. Figures a side cannot know are absent. */
export interface Measurement {
  readonly acceptedPerSecond: number;
  readonly relayedPerSecond: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Peak resident memory since the side was started. */
  readonly peakBytes: number;
  readonly serviceCpuSeconds: number;
  readonly generatorCpuSeconds: number;
  readonly sinkCpuSeconds: number;
}

/** Something that takes messages and relays them to a sink: started, warm-up, measured, stopped. */
export interface Side {
  readonly name: string;
  /** Rejects where the sink did not get each of the messages. */
  run(messages: number): Promise<Measurement>;
  stop(): Promise<void>;
}

export interface Result {
  readonly name: string;
  readonly median: Measurement;
  /** Of all runs, in their order. */
  readonly relayedPerSecond: readonly number[];
}

/** Enough for compilers, caches and connection pools to settle. */
const WARM_UP_SHARE = 0.4;

export async function measure(sides: readonly Side[], runs: number, messages: number): Promise<Result[]> {
  const measured = new Map<Side, Measurement[]>(sides.map((side) => [side, []]));
  for (const side of sides) await side.run(Math.ceil(messages * WARM_UP_SHARE));
  for (let run = 1; run <= runs; run++) {
    for (const [side, measurements] of measured) {
      const measurement = await side.run(messages);
      measurements.push(measurement);
      console.error(`run ${run}/${runs}  ${side.name}: ${measurement.relayedPerSecond.toFixed(0)} relayed/s`);
    }
  }
  return [...measured].map(([{ name }, measurements]) => ({
    name,
    median: medians(measurements),
    relayedPerSecond: measurements.map(({ relayedPerSecond }) => relayedPerSecond),
  }));
}

function medians(measurements: readonly Measurement[]): Measurement {
  const of = (figure: keyof Measurement) =>
    median(measurements.map((measurement) => measurement[figure] ?? Number.NaN));
  const known = (figure: 'p50Ms' | 'p99Ms') => (Number.isNaN(of(figure)) ? {} : { [figure]: of(figure) });
  return {
    acceptedPerSecond: of('acceptedPerSecond'),
    relayedPerSecond: of('relayedPerSecond'),
    ...known('p50Ms'),
    ...known('p99Ms'),
    peakBytes: of('peakBytes'),
    serviceCpuSeconds: of('serviceCpuSeconds'),
    generatorCpuSeconds: of('generatorCpuSeconds'),
    sinkCpuSeconds: of('sinkCpuSeconds'),
  };
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
