// Local time in IANA time zones, by the zone data that node brings: what of it a calendar or a form needs. Times are
// milliseconds since the epoch; a local time is the time that UTC would have with the same year, month, day and clock.
// Pure: the zones known are those of this node.

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Clocks are changed at most so often that two changes never lie within it: Ramadan in Morocco takes four weeks. */
const SEARCH_STEP = 14 * DAY;
/** Making one takes 30 µs, asking it one. */
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

/** How far the zone's clocks are ahead of UTC, ms; behind it: negative.
 * @throws RangeError where there is no such zone */
export const offsetAt = (zone: string, at: number): number => {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(formatOf(zone).format(at)) ?? [];
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
};

/** When clocks show a local time: twice where they are put back over it, never where they are put forward. */
export const instantsOf = (zone: string, local: number): number[] => {
  const offsets = new Set([offsetAt(zone, local - DAY), offsetAt(zone, local + DAY)]);
  return [...offsets]
    .map((offset) => local - offset)
    .filter((at) => at + offsetAt(zone, at) === local)
    .sort((a, b) => a - b);
};

/** The first of them (RFC 5545 §3.3.5); null where there is none. */
export const instantOf = (zone: string, local: number): number | null => instantsOf(zone, local)[0] ?? null;

/** One change of a zone's clocks; offsets in ms. */
export interface ClockChange {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Changes in [from, to), in their order. */
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
