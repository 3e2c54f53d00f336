// A chart that says one thing: of what there was on each day, how much was so. Its title is that sentence; the part is filled and the
// whole is drawn around it, so that it needs no colour. The numbers are beside it as a table.
import type { Rates } from '#api';
import { day, dayOfYear, number } from '#dashboard/words.ts';
import { Table } from './table.tsx';
import { partWords } from './words.ts';

interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

interface ChartProps {
  readonly title: string;
  readonly note?: string | undefined;
  /** ISO days, oldest first. */
  readonly days: readonly string[];
  readonly whole: Series;
  /** One a day, at most the whole. */
  readonly part: Series;
  /** Whether the part is what one hopes for. */
  readonly tone: 'good' | 'bad';
}

const DAY_MS = 86_400_000;

/** The days of the rates, also those on which there was no mail. */
export const allDays = ({ from, to, per_day }: Rates): readonly Rates['per_day'][number][] => {
  const known = new Map(per_day.map((one) => [one.day, one]));
  const none = Object.fromEntries(Object.keys(per_day[0] ?? {}).map((name) => [name, 0]));
  const days: Rates['per_day'][number][] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const iso = new Date(at).toISOString().slice(0, 10);
    days.push(known.get(iso) ?? ({ ...none, day: iso } as Rates['per_day'][number]));
  }
  return days;
};

/** Units of the drawing, which is as wide as its place. */
const HEIGHT = 100;
const STEP = 10;
const BAR = 7;

export const Chart = ({ title, note, days, whole, part, tone }: ChartProps) => {
  const w = partWords();
  const most = Math.max(1, ...whole.values);
  const bars = days.map((iso, at) => {
    const all = whole.values[at] ?? 0;
    return { iso, at, all, some: Math.min(part.values[at] ?? 0, all) };
  });
  const bar = (kind: string, at: number, value: number) => {
    const height = (value / most) * HEIGHT;
    return <rect class={kind} x={at * STEP} y={HEIGHT - height} width={BAR} height={height} />;
  };
  return (
    <figure class={`chart ${tone}`}>
      <figcaption>{title}</figcaption>
      {note && <p class="hint">{note}</p>}
      <p class="hint" aria-hidden="true">
        <b>■</b> {part.name} · □ {whole.name}
      </p>
      <svg
        viewBox={`0 0 ${(days.length - 1) * STEP + BAR} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {bars.map(({ iso, at, all, some }) => (
          <g key={iso}>
            <title>{`${day(iso)}: ${whole.name} ${number(all)}, ${part.name} ${number(some)}`}</title>
            {bar('whole', at, all)}
            {bar('part', at, some)}
          </g>
        ))}
      </svg>
      <p class="hint axis" aria-hidden="true">
        <span>{days[0] && dayOfYear(new Date(days[0]))}</span>
        <span>{w.mostOnADay(most)}</span>
        <span>{dayOfYear(new Date(days.at(-1) ?? 0))}</span>
      </p>
      <details>
        <summary>{w.asTable}</summary>
        <Table
          caption={title}
          rows={bars.toReversed()}
          rowKey={({ iso }) => iso}
          columns={[
            { head: w.day, cell: ({ iso }) => day(iso), isMain: true },
            { head: whole.name, align: 'end', cell: ({ all }) => number(all) },
            { head: part.name, align: 'end', cell: ({ some }) => number(some) },
          ]}
        />
      </details>
    </figure>
  );
};
