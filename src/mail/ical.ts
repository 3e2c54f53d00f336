// Writes calendar invitations (iTIP REQUEST, RFC 5546 §3.2.2) as iCalendar objects (RFC 5545) with one event, one organizer
// and one attendee. It does not put them into mail (RFC 6047). Pure.
import type { Mailbox } from './mailbox.ts';
import { type ClockChange, clockChanges, instantOf, instantsOf, offsetAt } from './time-zone.ts';

export interface MeetingRequest {
  /** Identifies the event in later updates. */
  readonly uid: string;
  /** ms since the epoch. */
  readonly stampedAt: number;
  readonly summary: string;
  readonly location: string | null;
  readonly description: string | null;
  /** ISO 8601 with an offset, or local time in `timeZone`; whole seconds. */
  readonly startsAt: string;
  readonly endsAt: string;
  /** The IANA name of the zone in which the times are shown. */
  readonly timeZone: string;
  /** The From mailbox of the message, because clients treat a different organizer as forged. */
  readonly organizer: Mailbox;
  readonly attendee: Mailbox;
}

/** RFC 5545 §3.1, without CRLF. */
const LINE_OCTETS = 75;
const DAY = 86_400_000;
/** A longer meeting could last beyond the clock changes that are written. */
const LONGEST_LOCAL = 366 * DAY;
/** Clock changes become a yearly rule if this many years agree. 11 years have each date on each day of the week. */
const YEARS_FOR_A_RULE = 11;

const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

/** §3.3.11 */
const text = (value: string): string =>
  value
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

/** §3.2: a quoted value, which cannot contain a quote. */
const parameter = (value: string): string =>
  `"${value.toWellFormed().replace(CONTROLS, '').replace(/\s+/g, ' ').replaceAll('"', "'")}"`;

/** RFC 6068 §2 */
const mailto = ({ address }: Mailbox): string =>
  `mailto:${address.replace(/[^A-Za-z0-9.!$'*+_~@-]/g, encodeURIComponent)}`;

const commonName = ({ name }: Mailbox): string => (name?.trim() ? `;CN=${parameter(name.trim())}` : '');

/** Never folds inside a character. */
const fold = (line: string): string => {
  if (Buffer.byteLength(line) <= LINE_OCTETS) return line;
  let folded = '';
  let used = 0;
  for (const character of line) {
    const octets = Buffer.byteLength(character);
    if (used + octets > LINE_OCTETS) {
      folded += '\r\n ';
      used = 1;
    }
    folded += character;
    used += octets;
  }
  return folded;
};

/** A local time as `20261120T100000`. */
const dateTime = (local: number): string => new Date(local).toISOString().replace(/[-:]|\.\d+Z$/g, '');

/** `+0100`; with seconds only if they are not zero (§3.3.14). */
const utcOffset = (offset: number): string => {
  const size = Math.abs(offset) / 1_000;
  const parts = [size / 3_600, (size / 60) % 60, size % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return (offset < 0 ? '-' : '+') + parts.join('').replace(/^(\d{4})00$/, '$1');
};

/** §3.6.5: a yearly rule that begins with this change, or this change alone. */
interface Observance extends ClockChange {
  readonly rule: string | null;
}

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** The day of a change as in `last Sunday of March at 2:00`, by the clocks before the change. */
const dayOf = ({ at, from, to }: ClockChange) => {
  const local = new Date(at + from);
  const day = local.getUTCDate();
  const lastDay = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate();
  const month = local.getUTCMonth() + 1;
  const weekday = local.getUTCDay();
  const same = [month, weekday, dateTime(local.getTime()).slice(9), from, to].join(' ');
  return { month, weekday: weekdays[weekday], week: Math.ceil(day / 7), isLast: day + 7 > lastDay, same };
};

/** Null if the changes are not on the same day of the same week each year. */
const yearlyRule = (changes: readonly ClockChange[]): string | null => {
  const days = changes.map(dayOf);
  const [first] = days;
  if (!first || days.some(({ same }) => same !== first.same)) return null;
  const isLast = days.every((day) => day.isLast);
  if (!isLast && days.some(({ week }) => week !== first.week)) return null;
  return `FREQ=YEARLY;BYMONTH=${first.month};BYDAY=${isLast ? -1 : first.week}${first.weekday}`;
};

/** The observances that cover the year of `at` and the years around it. */
const observancesOf = (zone: string, at: number): Observance[] => {
  const year = new Date(at).getUTCFullYear() - 1;
  const from = Date.UTC(year, 0, 1);
  const changes = clockChanges(zone, from, Date.UTC(year + YEARS_FOR_A_RULE, 0, 1));
  const [one, other] = [0, 1].map((parity) => changes.filter((_, index) => index % 2 === parity));
  const rules = [one, other].map((each) => (each?.length === YEARS_FOR_A_RULE ? yearlyRule(each) : null));
  if (rules.every((rule) => rule !== null)) {
    return changes.slice(0, 2).map((change, index) => ({ ...change, rule: rules[index] ?? null }));
  }
  const offset = offsetAt(zone, from);
  const before = { at: -offset, from: offset, to: offset, rule: null };
  return [before, ...changes.map((change) => ({ ...change, rule: null }))];
};

/** Zones are kept because computing one takes 2 ms. */
const MAX_ZONES_KEPT = 100;
const zonesKept = new Map<string, readonly string[]>();

const timeZoneLines = (zone: string, at: number): readonly string[] => {
  const key = `${new Date(at).getUTCFullYear()} ${zone}`;
  const kept = zonesKept.get(key);
  if (kept) return kept;
  const lines = [
    'BEGIN:VTIMEZONE',
    `TZID:${text(zone)}`,
    ...observancesOf(zone, at).flatMap(observanceLines),
    'END:VTIMEZONE',
  ];
  if (zonesKept.size >= MAX_ZONES_KEPT) zonesKept.clear();
  zonesKept.set(key, lines);
  return lines;
};

const observanceLines = ({ at, from, to, rule }: Observance): string[] => {
  const name = to > from ? 'DAYLIGHT' : 'STANDARD';
  return [
    `BEGIN:${name}`,
    `DTSTART:${dateTime(at + from)}`,
    ...(rule === null ? [] : [`RRULE:${rule}`]),
    `TZOFFSETFROM:${utcOffset(from)}`,
    `TZOFFSETTO:${utcOffset(to)}`,
    `END:${name}`,
  ];
};

const ISO = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s?([Zz]|[+-]\d\d:?\d\d)?$/;

/** @throws Error if it is not a time */
const parseTime = (given: string, zone: string): number => {
  const [found, date, clock, seconds = '00', offset] = ISO.exec(given.trim()) ?? [];
  const local = Date.parse(`${date}T${clock}:${seconds}Z`);
  if (found === undefined || Number.isNaN(local)) throw new Error(`not a time: ${JSON.stringify(given)}`);
  // §3.3.5: a time that clocks skip has the offset before the change.
  if (offset === undefined) return instantOf(zone, local) ?? local - offsetAt(zone, local - DAY);
  if (/z/i.test(offset)) return local;
  const size = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2))) * 60_000;
  return offset.startsWith('-') ? local + size : local - size;
};

/** DTSTART and DTEND with their zone. A time in the hour that occurs twice is written in UTC, because readers disagree about
 * it; so is a meeting that is too long for the zone's rules. */
const timeLines = ({
  startsAt,
  endsAt,
  timeZone,
}: MeetingRequest): { zone: readonly string[]; event: string[] } => {
  const start = parseTime(startsAt, timeZone);
  const end = parseTime(endsAt, timeZone);
  const local = (at: number): number => at + offsetAt(timeZone, at);
  const isClear = [start, end].every((at) => instantsOf(timeZone, local(at)).length === 1);
  if (/^(?:etc\/)?utc$/i.test(timeZone) || !isClear || end - start > LONGEST_LOCAL) {
    return { zone: [], event: [`DTSTART:${dateTime(start)}Z`, `DTEND:${dateTime(end)}Z`] };
  }
  const named = `TZID=${/[:;,]/.test(timeZone) ? parameter(timeZone) : timeZone}`;
  return {
    zone: timeZoneLines(timeZone, start),
    event: [`DTSTART;${named}:${dateTime(local(start))}`, `DTEND;${named}:${dateTime(local(end))}`],
  };
};

/** The iCalendar object, in UTF-8 with CRLF line ends.
 * @throws Error on an invalid time or zone */
export const writeMeetingRequest = (request: MeetingRequest): string => {
  const { uid, stampedAt, summary, location, description, organizer, attendee } = request;
  const { zone, event } = timeLines(request);
  return [
    'BEGIN:VCALENDAR',
    'PRODID:-//Sendwerk//Invitations//EN',
    'VERSION:2.0',
    'CALSCALE:GREGORIAN',
    'METHOD:REQUEST',
    ...zone,
    'BEGIN:VEVENT',
    `UID:${text(uid)}`,
    `DTSTAMP:${dateTime(stampedAt)}Z`,
    ...event,
    `SUMMARY:${text(summary)}`,
    ...(location === null ? [] : [`LOCATION:${text(location)}`]),
    ...(description === null ? [] : [`DESCRIPTION:${text(description)}`]),
    `ORGANIZER${commonName(organizer)}:${mailto(organizer)}`,
    // Nothing reads answers, so none is requested.
    `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=FALSE${commonName(attendee)}:${mailto(attendee)}`,
    'SEQUENCE:0',
    'STATUS:CONFIRMED',
    'CLASS:PRIVATE',
    'TRANSP:OPAQUE',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]
    .map(fold)
    .join('\r\n');
};
