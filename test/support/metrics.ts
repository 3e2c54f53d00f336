// Reads Prometheus' text format as tests need it.

export interface Printed {
  /** By the whole series: `sendwerk_queue_in_flight{stream="marketing"}`. */
  readonly series: ReadonlyMap<string, number>;
  /** In the order in which they are printed. */
  readonly metrics: readonly { readonly name: string; readonly type: string; readonly help: string }[];
}

export const parseMetrics = (text: string): Printed => {
  const series = new Map<string, number>();
  const help = new Map<string, string>();
  const metrics: Printed['metrics'][number][] = [];
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') help.set(name, rest);
    if (kind === 'TYPE') metrics.push({ name, type: rest, help: help.get(name) ?? '' });
    const [, sample, value] = /^(sendwerk_\S+?(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (sample !== undefined) series.set(sample, Number(value));
  }
  return { series, metrics };
};

/** The text of a daemon's own listener. */
export const scrape = async (port: number | null): Promise<Printed> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (response.status !== 200) throw new Error(`no metrics: ${response.status}`);
  return parseMetrics(await response.text());
};
