// Runs competing sides in turn, several times, and takes medians: absolute figures move from machine to machine and
// from minute to minute, so only what was measured in the same run may be compared. Each side is started afresh for each of
// its runs, and every other run takes them the other way round, so that none gains by its place.

/** What one run of one side cost and gave, by name. Figures that a side cannot know are absent. */
export type Figures = Readonly<Record<string, number>>;

export interface RunningSide {
  /** Rejects where a message was lost or doubled. */
  run(messages: number): Promise<Figures>;
  stop(): Promise<void>;
}

export interface Side {
  readonly name: string;
  /** Of the messages of the others, where its own are much larger. */
  readonly share?: number;
  start(): Promise<RunningSide>;
}

export interface Result {
  readonly name: string;
  /** Of all runs. */
  readonly figures: readonly Figures[];
}

export interface CaseOptions {
  readonly runs: number;
  readonly messages: number;
  /** Whose sides are run. */
  readonly only: 'peers' | 'ours' | 'all';
  /** An RSA-2048 signature on this machine, just before. */
  readonly rsaMs: number;
  /** Of `budget`: print which statements were counted, and keep the figures. */
  readonly statements: boolean;
  readonly keep: boolean;
  /** Says it, and keeps it for the case's section of the results. */
  print(text: string): void;
}

export async function measure(
  sides: readonly Side[],
  { runs, messages }: Pick<CaseOptions, 'runs' | 'messages'>,
  /** Of the messages, sent before each run. Enough for compilers, caches and connection pools to settle. */
  warmUp = 1,
): Promise<Result[]> {
  const results = sides.map((side) => ({ side, name: side.name, figures: [] as Figures[] }));
  for (let run = 1; run <= runs; run++) {
    for (const { side, name, figures } of run % 2 === 1 ? results : results.toReversed()) {
      const count = Math.ceil(messages * (side.share ?? 1));
      const running = await side.start();
      try {
        if (warmUp > 0) await running.run(Math.ceil(count * warmUp));
        figures.push(await running.run(count));
      } finally {
        await running.stop();
      }
      console.error(`run ${run}/${runs}  ${name}: ${JSON.stringify(figures.at(-1), rounded)}`);
    }
  }
  return results;
}

const rounded = (_: string, value: unknown) =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value;

export interface Column {
  readonly head: string;
  readonly figure: string;
  readonly digits?: number;
  /** Divides it. */
  readonly unit?: number;
  /** With the least and the greatest. */
  readonly range?: boolean;
}

/** The first column to the left, figures to the right: readable in a terminal, and a table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (at === 0 ? (row[at] ?? '').padEnd(width) : (row[at] ?? '').padStart(width))).join(' | ')} |`;
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [head, rule, ...rows].map(line).join('\n');
}

/** Medians; '-' where a side does not know the figure. */
export const figuresTable = (columns: readonly Column[], results: readonly Result[]): string =>
  table(
    ['', ...columns.map(({ head }) => head)],
    results.map((result) => [result.name, ...columns.map((column) => cell(column, result))]),
  );

/** The median, with the least and the greatest. */
export const spread = (values: readonly number[], digits = 0): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;

const cell = ({ figure, digits = 0, unit = 1, range = false }: Column, result: Result): string => {
  const values = valuesOf(result, figure).map((value) => value / unit);
  if (values.length === 0) return '-';
  return range ? spread(values, digits) : median(values).toFixed(digits);
};

const valuesOf = ({ figures }: Result, figure: string): number[] =>
  figures.flatMap((one) => one[figure] ?? []);

/** NaN where it is unknown. */
export const medianOf = (result: Result | undefined, figure: string): number =>
  result ? median(valuesOf(result, figure)) : Number.NaN;

/** A ratio of two medians beside what it should be, as a line; none where a side was not run. */
export const ratioLine = (what: string, ratio: number, target: string): string[] =>
  Number.isFinite(ratio) ? [`- ${what}: ${ratio.toFixed(2)} (wanted: ${target})`] : [];

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
