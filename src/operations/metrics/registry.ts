// The text that Prometheus reads, made by prom-client of what the rooms hand in. The library is loaded with the first registry: a
// daemon without metrics never loads it.
import type { Labels, LabelValues, Metric, NotedMetric, ReadMetric } from '#src/kernel/metrics.ts';

type Library = typeof import('prom-client');
type Registry = InstanceType<Library['Registry']>;

export interface MetricsText {
  readonly contentType: string;
  /** The text as of now. */
  readonly text: () => Promise<string>;
}

/** Each that is possible: what has not happened yet is printed as 0, so that its first time is seen as a change. */
const combinations = (labels: LabelValues): Labels[] =>
  Object.entries(labels).reduce<Labels[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );

const addRead = (library: Library, registry: Registry, metrics: readonly ReadMetric[]): void => {
  const [first] = metrics;
  if (first === undefined) return;
  const settings = { name: first.name, help: first.help, labelNames: [...first.labels] };
  const readings = () => metrics.flatMap(({ read }) => read());
  if (first.kind === 'counter')
    new library.Counter({
      ...settings,
      registers: [registry],
      collect() {
        this.reset();
        for (const [value, labels = {}] of readings()) this.inc(labels, value);
      },
    });
  else
    new library.Gauge({
      ...settings,
      registers: [registry],
      collect() {
        this.reset();
        // The library would print 0 for one without labels that has nothing to say.
        if (first.labels.length === 0) this.remove();
        for (const [value, labels = {}] of readings()) this.set(labels, value);
      },
    });
};

const addNoted = (library: Library, registry: Registry, metric: NotedMetric): void => {
  const { name, help, labels, buckets, sendTo } = metric;
  const settings = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (metric.kind === 'counted') {
    const counter = new library.Counter(settings);
    for (const one of combinations(labels)) counter.inc(one, 0);
    sendTo((chosen, amount) => counter.inc(chosen, amount));
    return;
  }
  const histogram = new library.Histogram({ ...settings, buckets: [...buckets] });
  for (const one of combinations(labels)) histogram.zero(one);
  sendTo((chosen, amount) => histogram.observe(chosen, amount));
};

/** Rejects where two metrics that cannot be read together have one name. */
export const createMetricsText = async (metrics: readonly Metric[]): Promise<MetricsText> => {
  const library = await import('prom-client');
  const registry = new library.Registry();
  const read = metrics.filter((metric) => 'read' in metric);
  for (const together of Map.groupBy(read, ({ name }) => name).values()) addRead(library, registry, together);
  for (const metric of metrics) if ('sendTo' in metric) addNoted(library, registry, metric);
  return { contentType: registry.contentType, text: () => registry.metrics() };
};
