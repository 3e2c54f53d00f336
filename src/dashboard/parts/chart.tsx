// A chart over days, with its numbers as a table. The library is loaded when a chart is first shown.
import { useEffect, useRef } from 'preact/hooks';
import type { Rates } from '#api';
import { loadPart } from '#dashboard/api/reach.ts';
import { day, dayOfYear, number } from '#dashboard/words.ts';
import { Table } from './table.tsx';
import { partWords } from './words.ts';

export interface Series {
  readonly name: string;
  /** A custom property of the style: `--good`. */
  readonly colour: `--${string}`;
  readonly values: readonly number[];
}

interface ChartProps {
  readonly title: string;
  /** ISO days, oldest first. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
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

const HEIGHT = 220;
/** Fewer days are shown as points. */
const LINE_OF = 3;
const WHOLE = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 8 }, (_, power) => step * 10 ** power))
  .sort((a, b) => a - b);

const draw = async (
  element: HTMLElement,
  { days, series, format = number }: ChartProps,
): Promise<() => void> => {
  const { default: UPlot } = await loadPart(() => import('uplot'));
  // A canvas does not know the style's own names, and a name's colour is another one in the dark: asked at each drawing.
  const colour = (name: string) => (): string => {
    element.style.color = `var(${name})`;
    const present = getComputedStyle(element).color;
    element.style.color = '';
    return present;
  };
  const axis = {
    stroke: colour('--text-quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const chart = new UPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      cursor: { points: { size: 6 } },
      legend: { markers: { stroke: (_, at) => `var(${series[at - 1]?.colour ?? '--text'})` } },
      series: [
        { label: partWords().day, value: (_, at) => (at === null ? '' : dayOfYear(new Date(at * 1000))) },
        ...series.map(({ name, colour: property }) => ({
          label: name,
          stroke: colour(property),
          width: 2,
          points: { show: days.length < LINE_OF },
          value: (_: unknown, value: number | null) => (value === null ? '' : format(value)),
        })),
      ],
      axes: [
        { ...axis, values: (_, splits) => splits.map((at) => dayOfYear(new Date(at * 1000))) },
        // Mails are whole ones.
        { ...axis, size: 56, incrs: WHOLE, values: (_, splits) => splits.map((value) => format(value)) },
      ],
      tzDate: (at) => UPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
      scales: { y: { range: (_, __, most) => [0, Math.max(most, 1)] } },
    },
    [days.map((iso) => Date.parse(iso) / 1000), ...series.map(({ values }) => [...values])],
    element,
  );
  const fit = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
  fit.observe(element);
  const paint = (): void => chart.redraw(false);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', paint);
  const scheme = new MutationObserver(paint);
  scheme.observe(document.documentElement, { attributeFilter: ['data-scheme'] });
  return () => {
    dark.removeEventListener('change', paint);
    scheme.disconnect();
    fit.disconnect();
    chart.destroy();
  };
};

export const Chart = (props: ChartProps) => {
  const { title, days, series, format = number } = props;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let end: (() => void) | undefined;
    let isGone = false;
    if (element.current)
      draw(element.current, props).then(
        (ready) => {
          end = ready;
          if (isGone) ready();
        },
        () => {},
      );
    return () => {
      isGone = true;
      end?.();
    };
  }, [days, series, format]);
  const rows = days.map((iso, at) => ({ iso, at })).reverse();
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={element} class="plot" aria-hidden="true" />
      <details>
        <summary>{partWords().asTable}</summary>
        <Table
          caption={title}
          rows={rows}
          rowKey={({ iso }) => iso}
          columns={[
            { head: partWords().day, cell: ({ iso }) => day(iso), isMain: true },
            ...series.map(({ name, values }, _index) => ({
              head: name,
              align: 'end' as const,
              cell: ({ at }: { readonly at: number }) => format(values[at] ?? 0),
            })),
          ]}
        />
      </details>
    </figure>
  );
};
