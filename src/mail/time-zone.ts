// Local time in IANA time zones, from the zone data of Node, as calendars and forms need it. Times are milliseconds since the
// epoch. A local time is the time at which UTC has the same date and clock. Pure.

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Two changes of clocks are never this close: the closest ones enclose Ramadan in Morocco, four weeks. */
const SEARCH_STEP = 14 * DAY;
/** Formats are kept because making one takes 30 µs and using it one. */
const MAX_FORMATS_KEPT = 100;

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const kept = formats.get(zone);
  if (kept) return kept;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (formats.size >= MAX_FORMATS_KEPT) formats.clear();
  formats.set(zone, format);
  return format;
};

/** How far the zone's clocks are ahead of UTC in ms; negative if they are behind.
 * @throws RangeError for an unknown zone */
export const offsetAt = (zone: string, at: number): number => {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(formatOf(zone).format(at)) ?? [];
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
};

/** The times at which clocks show a local time: two if they are set back over it, none if they are set forward over it. */
export const instantsOf = (zone: string, local: number): number[] => {
  const offsets = new Set([offsetAt(zone, local - DAY), offsetAt(zone, local + DAY)]);
  return [...offsets]
    .map((offset) => local - offset)
    .filter((at) => at + offsetAt(zone, at) === local)
    .sort((a, b) => a - b);
};

/** The first of these times (RFC 5545 §3.3.5); null if there is none. */
export const instantOf = (zone: string, local: number): number | null => instantsOf(zone, local)[0] ?? null;

/** Offsets (`+02:00`) are no zones, because they have no summer time. */
const ZONE_NAME = /^[A-Za-z]/;

/** The name as the time zone data spell it; null if there is no such zone. */
export const zoneNamed = (name: string): string | null => {
  try {
    return ZONE_NAME.test(name)
      ? new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
      : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};

const WITH_OFFSET = /(?:Z|[+-]\d{2}:\d{2})$/;

/** The moment of a date and time in ISO 8601, with an offset or local in the zone; null: clocks in the zone skip it. */
export const momentOf = (zone: string, text: string): number | null =>
  WITH_OFFSET.test(text) ? Date.parse(text) : instantOf(zone, Date.parse(`${text}Z`));

/** A change of a zone's clocks; offsets in ms. */
export interface ClockChange {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** The changes in [from, to), in their order. */
export const clockChanges = (zone: string, from: number, to: number): ClockChange[] => {
  const changes: ClockChange[] = [];
  for (let start = from; start < to; start += SEARCH_STEP) {
    const end = Math.min(start + SEARCH_STEP, to);
    const before = offsetAt(zone, start);
    const after = offsetAt(zone, end);
    if (before === after) continue;
    let [last, first] = [start, end];
    while (first - last > MINUTE) {
      const middle = last + Math.floor((first - last) / 2 / MINUTE) * MINUTE;
      if (offsetAt(zone, middle) === before) last = middle;
      else first = middle;
    }
    changes.push({ at: first, from: before, to: after });
  }
  return changes;
};
