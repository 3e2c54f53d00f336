// Which people of its lists a campaign is for, by the values of subscribers: all conditions must hold. Texts are compared without
// regard to case. Pure.
import type { NEVER_TRACKED, SubscriberRow } from '#src/audience/subscribers/store.ts';
import { DAY } from '#src/kernel/time.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';

export const comparisons = ['is', 'is_not', 'contains', 'starts_with', 'before', 'after'] as const;
export const presences = ['exists', 'missing'] as const;
/** Conditions on the day since which someone is subscribed. */
export const sinces = ['subscribed_before', 'subscribed_after'] as const;

/** Conditions on what they read within some days, of mail whose opens and clicks were recorded with their consent. */
export const readings = ['opened', 'clicked', 'neither'] as const;

export type Condition =
  | { readonly field: string; readonly op: (typeof comparisons)[number]; readonly value: string }
  | { readonly field: string; readonly op: (typeof presences)[number] }
  | { readonly op: (typeof sinces)[number]; readonly value: string }
  | { readonly op: (typeof readings)[number]; readonly days: number };

export type Filter = readonly Condition[];

/** What conditions and placeholders can name: the subscriber's own values, and beside them `email` and `name`. */
export const valuesOf = ({
  address,
  name,
  data_json,
}: Pick<SubscriberRow, 'address' | 'name' | 'data_json'>): MergeData => ({
  ...(JSON.parse(data_json) as MergeData),
  ...(name === null ? {} : { name }),
  email: address,
});

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T.*)?$/;
const GERMAN_DATE = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;

/** ms; NaN for what is no date. A day begins at midnight UTC. */
export const dateOf = (text: string): number => {
  const [, day, month, year] = GERMAN_DATE.exec(text.trim()) ?? [];
  const iso =
    day && month && year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text.trim();
  return ISO_DATE.test(iso) ? Date.parse(iso) : Number.NaN;
};

const plain = (text: string): string => text.normalize('NFC').trim().toLowerCase();

/** The day of the value is neither before nor after itself, whatever its time. */
const dayOf = (text: string): number => Math.floor(dateOf(text) / DAY);

const isSince = (condition: Condition): condition is Extract<Condition, { op: (typeof sinces)[number] }> =>
  (sinces as readonly string[]).includes(condition.op);

/** What is known of a subscriber's reading, and the time from which days are counted back. */
export interface KnownReading extends Pick<SubscriberRow, keyof typeof NEVER_TRACKED> {
  readonly now: number;
}

const isReading = (
  condition: Condition,
): condition is Extract<Condition, { op: (typeof readings)[number] }> =>
  (readings as readonly string[]).includes(condition.op);

const UNKNOWN: KnownReading = { tracked_at: null, opened_at: null, clicked_at: null, now: 0 };

/** Who was sent nothing in that time that was measured is in none of the three. */
const hasRead = (
  { op, days }: Extract<Condition, { op: (typeof readings)[number] }>,
  { tracked_at, opened_at, clicked_at, now }: KnownReading,
): boolean => {
  const isWithin = (at: number | null): boolean => at !== null && at >= now - days * DAY;
  switch (op) {
    case 'opened':
      return isWithin(opened_at);
    case 'clicked':
      return isWithin(clicked_at);
    case 'neither':
      return isWithin(tracked_at) && !isWithin(opened_at) && !isWithin(clicked_at);
    default:
      return op satisfies never;
  }
};

const holds = (
  condition: Condition,
  values: MergeData,
  subscribedAt: number | null,
  reading: KnownReading,
): boolean => {
  if (isReading(condition)) return hasRead(condition, reading);
  if (isSince(condition)) {
    if (subscribedAt === null) return false;
    const [day, wanted] = [Math.floor(subscribedAt / DAY), dayOf(condition.value)];
    return condition.op === 'subscribed_before' ? day < wanted : day > wanted;
  }
  // What a spreadsheet leaves empty is missing.
  const given = Object.hasOwn(values, condition.field) ? (values[condition.field] ?? '').trim() : '';
  switch (condition.op) {
    case 'exists':
      return given !== '';
    case 'missing':
      return given === '';
    case 'is':
      return plain(given) === plain(condition.value);
    case 'is_not':
      return plain(given) !== plain(condition.value);
    case 'contains':
      return plain(given).includes(plain(condition.value));
    case 'starts_with':
      return plain(given).startsWith(plain(condition.value));
    case 'before':
      return dayOf(given) < dayOf(condition.value);
    case 'after':
      return dayOf(given) > dayOf(condition.value);
    default:
      return condition satisfies never;
  }
};

/** `subscribedAt`: ms; null: never confirmed. Who is not known to have been tracked fits no condition on reading. */
export const fits = (
  filter: Filter,
  values: MergeData,
  subscribedAt: number | null,
  reading: KnownReading = UNKNOWN,
): boolean => filter.every((condition) => holds(condition, values, subscribedAt, reading));
