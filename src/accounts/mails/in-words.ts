// What the mails of the service are made of in each language: numbers, moments, and lists of facts. What others wrote is put
// behind a label, on one line, and is no link. Pure.
import { codeWords } from '#src/kernel/code-words.ts';
import type { FaultState } from '#src/kernel/db/file-states.ts';
import { type Language, localeOf } from '#src/kernel/language.ts';
import { momentInWords } from './moment.ts';
import type { NoticeContent, ToldRecord } from './schema.ts';

export interface Mail {
  readonly subject: string;
  readonly paragraphs: readonly string[];
}

export type Of<K extends NoticeContent['kind']> = Extract<NoticeContent, { kind: K }>;
export type Counts = Of<'campaign'>['counts'];
export type Seen = Extract<Of<'practice_paused'>['cause'], { by: 'guardrail' }>;
export type Person = Pick<Of<'practice_resumed'>, 'by' | 'name'>;
/** A code names them. */
export type Reasons = Readonly<Record<string, string>>;

interface RecordLabels {
  readonly name: string;
  readonly type: string;
  readonly wanted: string;
  /** Shown in the place of a value with a link in it: merged with what was found, it may be another's. */
  readonly below: string;
  readonly absent: string;
  readonly found: string;
  readonly nothing: string;
  readonly unknown: string;
  /** Said of a record that is right itself. */
  readonly behind: string;
  readonly proxied: string;
}

interface FaultLabels {
  readonly states: Readonly<Record<FaultState, string>>;
  readonly disk: string;
  readonly registry: string;
  readonly ended: string;
  readonly since: string;
}

const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu;
/** Characters: enough for what went wrong, too few for a letter. */
const MAX_QUOTED = 300;
const REFUSED = 'refused:';

/** What others wrote, on one line and no link. */
const quoted = (text: string): string => text.replace(UNSEEN, ' ').replaceAll('://', ': //');
export const quotedShort = (text: string): string => quoted(text).slice(0, MAX_QUOTED);

/** Names of plans are names. */
export const planName = (plan: string): string => `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;

/** Null: there are no words for it. */
export const reasonOf = (codes: Reasons, begin: string, reason: string | null): string | null => {
  const words = codes[reason ?? ''];
  return words === undefined ? null : `${begin}${words}.`;
};

const wanted = (value: string | null, { absent, below }: RecordLabels): string => {
  if (value === null) return absent;
  return value.includes('://') ? below : value;
};

export const record = ({ name, type, value, found, problem }: ToldRecord, labels: RecordLabels): string => {
  const state = problem === null ? labels.unknown : problem === 'proxied' ? labels.proxied : labels.nothing;
  const behind = problem === null ? ` (${labels.behind})` : '';
  const seen = found.length === 0 ? [state] : found.map((text) => `${quoted(text)}${behind}`);
  return [
    `${labels.name}: ${name}`,
    `${labels.type}: ${type}`,
    `${labels.wanted}: ${wanted(value, labels)}`,
    ...seen.map((text) => `${labels.found}: ${text}`),
  ].join('\n');
};

export const wordsFor = (language: Language) => {
  const locale = localeOf(language);
  const counted = (count: number): string => count.toLocaleString(locale);
  /** `5 %`, `0,1 %`; `5.08%` */
  const percent = (share: number): string =>
    share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 2 }).replace(/\s/, ' ');
  const moment = (at: number): string => momentInWords(at, language);
  /** Counting is by UTC, and so are the days and months named. */
  const inUtc = (at: number, parts: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' }).format(at);
  return {
    codeWords: codeWords(language),
    counted,
    moment,
    /** `1. Dezember` */
    dayOf: (at: number): string => inUtc(at, { day: 'numeric', month: 'long' }),
    /** `1. Dezember 2026` */
    date: (at: number): string => inUtc(at, { day: 'numeric', month: 'long', year: 'numeric' }),
    /** `November 2026` of `2026-11`. */
    monthOf: (month: string): string =>
      inUtc(Date.parse(`${month}-01T00:00:00Z`), { month: 'long', year: 'numeric' }),
    figures: ({ count, whole, limit }: Seen) => ({
      share: percent(Math.min(1, count / whole)),
      counts: [counted(count), counted(whole)] as const,
      limit: percent(limit),
    }),
    countLines: (
      rows: readonly (readonly [label: string, count: number])[],
      { leftOut }: Counts,
      { reasons, left, other }: { readonly reasons: Reasons; readonly left: string; readonly other: string },
    ): string =>
      [
        ...rows,
        ...leftOut.map(
          ({ reason, count }) =>
            [`${left}, ${reasons[reason.replace(REFUSED, '')] ?? other}`, count] as const,
        ),
      ]
        .map(([label, count]) => `${label}: ${counted(count)}`)
        .join('\n'),
    faultLines: ({ faults }: Of<'storage_faults'>, labels: FaultLabels): string =>
      faults
        .map(({ name, state, since, reason, ended }) => {
          const what = name === 'disk' ? labels.disk : name === 'platform' ? labels.registry : name;
          const now = ended ? `${labels.ended}: ${labels.states[state]}` : labels.states[state];
          return `${what}: ${now} (${labels.since} ${moment(since)}; ${quoted(reason)})`;
        })
        .join('\n'),
  };
};
