// What a room says of itself in numbers, as values that the composition root collects: see `operations/metrics/`, which prints
// them for Prometheus. Names follow its conventions: `sendwerk_`, the base unit, `_total` for what only grows.
//
// Two kinds. What someone counts anyway is read when it is asked for (`readMetric`): that may look into memory only, since it
// must cost as much with a thousand practices as with one. What no one else needs is counted and timed where it happens
// (`counted`, `timed`), in memory alone; while no one reads metrics that does nothing at all.
//
// Labels have few values, known beforehand or from the configuration; none names a practice.

export type Labels = Readonly<Record<string, string>>;
export type Reading = readonly [value: number, labels?: Labels];

interface Named {
  readonly name: string;
  /** One sentence: what the number is. */
  readonly help: string;
}

/** Several rooms may hand in readings under one name. */
export interface ReadMetric extends Named {
  readonly kind: 'gauge' | 'counter';
  /** The names of the labels of its readings. */
  readonly labels: readonly string[];
  /** A reading that is left out is not printed. */
  readonly read: () => readonly Reading[];
}

/** Every value that each label may have. */
export type LabelValues = Readonly<Record<string, readonly string[]>>;
type Chosen<L extends LabelValues> = { readonly [Name in keyof L]: L[Name][number] };
type Sink = (labels: Labels, amount: number) => void;

export interface NotedMetric extends Named {
  readonly kind: 'counted' | 'timed';
  readonly labels: LabelValues;
  /** Upper bounds of a histogram. */
  readonly buckets: readonly number[];
  /** Whoever prints the metric gets each amount from now on. */
  readonly sendTo: (sink: Sink) => void;
}

export type Metric = ReadMetric | NotedMetric;

export interface Noted<L extends LabelValues> {
  readonly metric: NotedMetric;
  /** Absent while no one reads metrics. */
  note?: (labels: Chosen<L>, amount: number) => void;
}

export const readMetric = (metric: Omit<ReadMetric, 'labels'> & Partial<ReadMetric>): ReadMetric => ({
  labels: [],
  ...metric,
});

const noted = <L extends LabelValues>(shape: Omit<NotedMetric, 'sendTo' | 'labels'>, labels: L): Noted<L> => {
  const sendTo = (sink: Sink): void => {
    made.note = sink;
  };
  const made: Noted<L> = { metric: { ...shape, labels, sendTo } };
  return made;
};

export const counted = <L extends LabelValues>(named: Named, labels: L): Noted<L> =>
  noted({ ...named, kind: 'counted', buckets: [] }, labels);

/** `note` takes seconds. */
export const timed = <L extends LabelValues>(
  named: Named & { readonly buckets: readonly number[] },
  labels: L,
): Noted<L> => noted({ ...named, kind: 'timed' }, labels);

/** What lasts as long as a disk or a network needs. */
export const SHORT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Certificates of whoever uses one, by its name; null: none is in use. Times in ms. */
export const certificateExpiry = (read: () => Readonly<Record<string, number | null>>): ReadMetric =>
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_certificate_expiry_timestamp_seconds',
    help: 'When the certificate that is in use for this ends.',
    labels: ['used_by'],
    read: () =>
      Object.entries(read()).flatMap(([name, at]): Reading[] =>
        at === null ? [] : [[at / 1_000, { used_by: name }]],
      ),
  });
