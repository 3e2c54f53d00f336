// Invitations to calendars (iTIP REQUEST, RFC 5546 §3.2.2) as iCalendar objects (RFC 5545): one event, one organiser, one
// attendee. It writes only, and knows nothing of how the object travels (RFC 6047). Pure.
import type { Mailbox } from './mailbox.ts';
import { type ClockChange, clockChanges, instantOf, instantsOf, offsetAt } from './time-zone.ts';

export interface MeetingRequest {
  /** The same in all that is said of this event later. */
  readonly uid: string;
  /** ms since the epoch. */
  readonly stampedAt: number;
  readonly summary: string;
  readonly location: string | null;
  readonly description: string | null;
  /** ISO 8601 with an offset, or local time in `timeZone`; whole seconds. */
  readonly startsAt: string;
  readonly endsAt: string;
  /** IANA name: in which the times are shown. */
  readonly timeZone: string;
  /** Whom the message is from: clients take an organiser that somebody else writes for as forged. */
  readonly organizer: Mailbox;
  readonly attendee: Mailbox;
}

/** RFC 5545 §3.1, without CRLF. */
const LINE_OCTETS = 75;
const DAY = 86_400_000;
/** Longer meetings could outlast the clock changes that are looked at. */
const LONGEST_LOCAL = 366 * DAY;
/** So many years in a row must agree on when clocks are changed, for a rule to be made of them: each date falls on each day
 * of the week within them. */
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

/** §3.2: in quotes, in which no quote can stand. */
const parameter = (value: string): string =>
  `"${value.toWellFormed().replace(CONTROLS, '').replace(/\s+/g, ' ').replaceAll('"', "'")}"`;

/** RFC 6068 §2 */
const mailto = ({ address }: Mailbox): string =>
  `mailto:${address.replace(/[^A-Za-z0-9.!$'*+_~@-]/g, encodeURIComponent)}`;

const commonName = ({ name }: Mailbox): string => (name?.trim() ? `;CN=${parameter(name.trim())}` : '');

/** No line is cut inside a character. */
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

/** `20261120T100000` of a local time. */
const dateTime = (local: number): string => new Date(local).toISOString().replace(/[-:]|\.\d+Z$/g, '');

/** `+0100`; seconds only where there are any (§3.3.14). */
const utcOffset = (offset: number): string => {
  const size = Math.abs(offset) / 1_000;
  const parts = [size / 3_600, (size / 60) % 60, size % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return (offset < 0 ? '-' : '+') + parts.join('').replace(/^(\d{4})00$/, '$1');
};

/** §3.6.5: the rule for when clocks change, from DTSTART on; or a change of its own, without one. */
interface Observance extends ClockChange {
  readonly rule: string | null;
}

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** `last Sunday of March at 2:00` in numbers, by the clocks before the change. */
const dayOf = ({ at, from, to }: ClockChange) => {
  const local = new Date(at + from);
  const day = local.getUTCDate();
  const lastDay = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate();
  const month = local.getUTCMonth() + 1;
  const weekday = local.getUTCDay();
  const same = [month, weekday, dateTime(local.getTime()).slice(9), from, to].join(' ');
  return { month, weekday: weekdays[weekday], week: Math.ceil(day / 7), isLast: day + 7 > lastDay, same };
};

/** Null where the changes do not fall on the same day of the same week of each year. */
const yearlyRule = (changes: readonly ClockChange[]): string | null => {
  const days = changes.map(dayOf);
  const [first] = days;
  if (!first || days.some(({ same }) => same !== first.same)) return null;
  const isLast = days.every((day) => day.isLast);
  if (!isLast && days.some(({ week }) => week !== first.week)) return null;
  return `FREQ=YEARLY;BYMONTH=${first.month};BYDAY=${isLast ? -1 : first.week}${first.weekday}`;
};

/** What is in force in the year of `at` and those around it. */
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

/** Working one out takes two milliseconds. */
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

/** @throws Error on what is no time */
const parseTime = (given: string, zone: string): number => {
  const [found, date, clock, seconds = '00', offset] = ISO.exec(given.trim()) ?? [];
  const local = Date.parse(`${date}T${clock}:${seconds}Z`);
  if (found === undefined || Number.isNaN(local)) throw new Error(`not a time: ${JSON.stringify(given)}`);
  // §3.3.5: what clocks skip is read by the offset before.
  if (offset === undefined) return instantOf(zone, local) ?? local - offsetAt(zone, local - DAY);
  if (/z/i.test(offset)) return local;
  const size = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2))) * 60_000;
  return offset.startsWith('-') ? local + size : local - size;
};

/** DTSTART and DTEND, and the zone they are in. What lies in the hour that comes twice goes in UTC,
 * because readers differ in which of the two they take it for; and so does what is longer than the rules reach. */
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
 * @throws Error on a time or zone that is none */
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
    // Answers go nowhere: none is asked for.
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
