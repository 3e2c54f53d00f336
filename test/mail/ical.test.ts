// Invitations are read back by two programs that share nothing with the writer: ical.js and Python's icalendar. They
// compute the times from the zone rules in the invitation alone.
// @module-tag slow
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '#src/mail/address.ts';
import { type MeetingRequest, writeMeetingRequest } from '#src/mail/ical.ts';

const WITH_PYTHON = { tags: 'debian/python3-icalendar' };

const request = (fields: Partial<MeetingRequest> = {}): MeetingRequest => ({
  uid: '0199f3a2-5c1e-7d3a-9c44-8a1b2c3d4e5f@mail.praxis.example',
  stampedAt: Date.UTC(2026, 10, 20, 10),
  summary: 'Termin Praxis Müller',
  location: 'Am Markt 1, 20095 Hamburg',
  description: null,
  startsAt: '2026-12-01T10:00:00+01:00',
  endsAt: '2026-12-01T10:30:00+01:00',
  timeZone: 'Europe/Berlin',
  organizer: parseAddress('"Praxis Müller, Dr. Ahorn" <praxis@mail.praxis.example>'),
  attendee: parseAddress('Erika Weiß <erika@example.org>'),
  ...fields,
});

const linesOf = (source: string): string[] => source.replaceAll('\r\n ', '').split('\r\n');

/** The values that ical.js reads; it computes times by the VTIMEZONE of the invitation. */
const readByIcalJs = (source: string) => {
  const calendar = new ICAL.Component(ICAL.parse(source));
  const event = calendar.getFirstSubcomponent('vevent');
  if (!event) throw new Error('no event');
  const zone = calendar.getFirstSubcomponent('vtimezone');
  const instant = (name: string): string => {
    const time = event.getFirstPropertyValue(name) as InstanceType<typeof ICAL.Time>;
    if (zone) time.zone = new ICAL.Timezone(zone);
    return new Date(time.toUnixTime() * 1_000).toISOString();
  };
  return { calendar, event, start: instant('dtstart'), end: instant('dtend') };
};

/** Prints the values that python3-icalendar reads in each file. */
const PYTHON_READER = `
import json, sys
from datetime import timezone
from icalendar import Calendar

def read(name):
    calendar = Calendar.from_ical(open(name, "rb").read())
    event, = calendar.walk("VEVENT")
    zones = [component.to_tz() for component in calendar.walk("VTIMEZONE")]
    def instant(field):
        time = event.decoded(field)
        if zones:
            time = zones[0].localize(time.replace(tzinfo=None), is_dst=True)
        return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    attendees = event["ATTENDEE"] if isinstance(event["ATTENDEE"], list) else [event["ATTENDEE"]]
    return {
        "method": str(calendar["METHOD"]),
        "start": instant("DTSTART"),
        "end": instant("DTEND"),
        "errors": [list(error) for error in calendar.errors + event.errors],
        "organizer": [str(event["ORGANIZER"]), event["ORGANIZER"].params.get("CN")],
        "attendees": [[str(attendee), dict(attendee.params)] for attendee in attendees],
        **{name: str(event[name.upper()]) if name.upper() in event else None
           for name in ("uid", "summary", "location", "description", "sequence", "status", "class", "transp")},
    }

print(json.dumps([read(name) for name in sys.argv[1:]]))
`;

type Read = Readonly<Record<string, unknown>>;

const readByPython = async (sources: readonly string[]): Promise<Read[]> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ical-'));
  try {
    const files = sources.map((_, index) => path.join(folder, `${index}.ics`));
    await Promise.all(files.map((file, index) => writeFile(file, sources[index] ?? '')));
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', PYTHON_READER, ...files], {
      maxBuffer: 64 * 1_024 * 1_024,
    });
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
};

test('it has all properties of an invitation and requests no answer', () => {
  expect(linesOf(writeMeetingRequest(request()))).toEqual([
    'BEGIN:VCALENDAR',
    'PRODID:-//Sendwerk//Invitations//EN',
    'VERSION:2.0',
    'CALSCALE:GREGORIAN',
    'METHOD:REQUEST',
    'BEGIN:VTIMEZONE',
    'TZID:Europe/Berlin',
    'BEGIN:DAYLIGHT',
    'DTSTART:20250330T020000',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'END:DAYLIGHT',
    'BEGIN:STANDARD',
    'DTSTART:20251026T030000',
    'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    'END:STANDARD',
    'END:VTIMEZONE',
    'BEGIN:VEVENT',
    'UID:0199f3a2-5c1e-7d3a-9c44-8a1b2c3d4e5f@mail.praxis.example',
    'DTSTAMP:20261120T100000Z',
    'DTSTART;TZID=Europe/Berlin:20261201T100000',
    'DTEND;TZID=Europe/Berlin:20261201T103000',
    'SUMMARY:Termin Praxis Müller',
    'LOCATION:Am Markt 1\\, 20095 Hamburg',
    'ORGANIZER;CN="Praxis Müller, Dr. Ahorn":mailto:praxis@mail.praxis.example',
    'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=FALSE;CN="Erika Weiß":mailto:erika@example.org',
    'SEQUENCE:0',
    'STATUS:CONFIRMED',
    'CLASS:PRIVATE',
    'TRANSP:OPAQUE',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]);
});

const times: readonly (readonly [
  title: string,
  given: readonly [startsAt: string, endsAt: string, timeZone: string],
  written: readonly [start: string, end: string],
  meant: readonly [start: string, end: string],
])[] = [
  [
    'an offset becomes the local time of the zone',
    ['2026-07-01T08:00:00Z', '2026-07-01T14:30:00+05:00', 'Europe/Berlin'],
    [';TZID=Europe/Berlin:20260701T100000', ';TZID=Europe/Berlin:20260701T113000'],
    ['2026-07-01T08:00:00.000Z', '2026-07-01T09:30:00.000Z'],
  ],
  [
    'local time without seconds stays what it is',
    ['2026-07-01T10:00', '2026-07-01T11:00', 'America/New_York'],
    [';TZID=America/New_York:20260701T100000', ';TZID=America/New_York:20260701T110000'],
    ['2026-07-01T14:00:00.000Z', '2026-07-01T15:00:00.000Z'],
  ],
  [
    'fractions of a second are left out',
    ['2026-12-01T10:00:00.250+01:00', '2026-12-01T10:30:00.999+01:00', 'Europe/Berlin'],
    [';TZID=Europe/Berlin:20261201T100000', ';TZID=Europe/Berlin:20261201T103000'],
    ['2026-12-01T09:00:00.000Z', '2026-12-01T09:30:00.000Z'],
  ],
  [
    'UTC needs no zone',
    ['2026-12-01T10:00:00+01:00', '2026-12-01T10:30', 'UTC'],
    [':20261201T090000Z', ':20261201T103000Z'],
    ['2026-12-01T09:00:00.000Z', '2026-12-01T10:30:00.000Z'],
  ],
  [
    'the minute before clocks go forward, to the minute after',
    ['2027-03-28T01:59+01:00', '2027-03-28T03:01+02:00', 'Europe/Berlin'],
    [';TZID=Europe/Berlin:20270328T015900', ';TZID=Europe/Berlin:20270328T030100'],
    ['2027-03-28T00:59:00.000Z', '2027-03-28T01:01:00.000Z'],
  ],
  [
    'over the night in which clocks go forward',
    ['2026-03-28T23:00', '2026-03-29T06:00', 'Europe/Berlin'],
    [';TZID=Europe/Berlin:20260328T230000', ';TZID=Europe/Berlin:20260329T060000'],
    ['2026-03-28T22:00:00.000Z', '2026-03-29T04:00:00.000Z'],
  ],
  [
    'a local time that clocks skip is read by the offset before',
    ['2026-03-29T02:30', '2026-03-29T03:45', 'Europe/Berlin'],
    [';TZID=Europe/Berlin:20260329T033000', ';TZID=Europe/Berlin:20260329T034500'],
    ['2026-03-29T01:30:00.000Z', '2026-03-29T01:45:00.000Z'],
  ],
  [
    'the hour that comes twice, its first time',
    ['2026-10-25T02:15:00+02:00', '2026-10-25T02:45', 'Europe/Berlin'],
    [':20261025T001500Z', ':20261025T004500Z'],
    ['2026-10-25T00:15:00.000Z', '2026-10-25T00:45:00.000Z'],
  ],
  [
    'the hour that comes twice, its second time',
    ['2026-10-25T02:15:00+02:00', '2026-10-25T02:15:00+01:00', 'Europe/Berlin'],
    [':20261025T001500Z', ':20261025T011500Z'],
    ['2026-10-25T00:15:00.000Z', '2026-10-25T01:15:00.000Z'],
  ],
  [
    'longer than clock changes are looked at',
    ['2026-12-01T00:00', '2029-12-01T00:00', 'Europe/Berlin'],
    [':20261130T230000Z', ':20291130T230000Z'],
    ['2026-11-30T23:00:00.000Z', '2029-11-30T23:00:00.000Z'],
  ],
];

describe('times', () => {
  test.each(times)('%s', (_, [startsAt, endsAt, timeZone], [start, end], meant) => {
    const source = writeMeetingRequest(request({ startsAt, endsAt, timeZone }));
    const lines = linesOf(source);
    // The times of the zone's rules are before the event.
    const event = lines.slice(lines.indexOf('BEGIN:VEVENT'));
    expect(event.filter((line) => /^DT(?:START|END)/.test(line))).toEqual([`DTSTART${start}`, `DTEND${end}`]);
    expect(lines.includes('BEGIN:VTIMEZONE')).toBe(!start.endsWith('Z'));
    const read = readByIcalJs(source);
    expect([read.start, read.end]).toEqual(meant);
  });

  test('python3-icalendar reads the same', WITH_PYTHON, async () => {
    const sources = times.map(([, [startsAt, endsAt, timeZone]]) =>
      writeMeetingRequest(request({ startsAt, endsAt, timeZone })),
    );
    const read = await readByPython(sources);
    expect(read.map(({ start, end }) => [start, end])).toEqual(times.map(([, , , meant]) => meant));
  });

  test.each(['', '2026-12-01', '10:00', '2026-13-01T10:00', '2026-12-01T25:00'])('%j is none', (startsAt) => {
    expect(() => writeMeetingRequest(request({ startsAt }))).toThrow('not a time');
  });

  test('a zone that does not exist is refused', () => {
    expect(() => writeMeetingRequest(request({ timeZone: 'Europe/Hogwarts' }))).toThrow('time zone');
  });
});

describe('every time zone', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  /** Winter and summer, the days around clock changes in both hemispheres, the last hour of a year. */
  const instants = [
    '2026-01-05T09:00:00.000Z',
    '2026-02-20T12:00:00.000Z',
    '2026-03-29T03:00:00.000Z',
    '2026-07-05T09:00:00.000Z',
    '2026-10-25T03:00:00.000Z',
    '2031-12-31T23:00:00.000Z',
  ];
  const rows = zones.flatMap((timeZone) =>
    instants.map((startsAt) => {
      const endsAt = new Date(Date.parse(startsAt) + 45 * 60_000).toISOString();
      return {
        timeZone,
        startsAt,
        endsAt,
        source: writeMeetingRequest(request({ timeZone, startsAt, endsAt })),
      };
    }),
  );
  const wanted = rows.map(({ timeZone, startsAt, endsAt }) => [timeZone, startsAt, endsAt]);

  test('ical.js finds the instants by the rules in the invitation', () => {
    expect(zones.length).toBeGreaterThan(400);
    expect(
      rows.map(({ timeZone, source }) => {
        const { start, end } = readByIcalJs(source);
        return [timeZone, start, end];
      }),
    ).toEqual(wanted);
  });

  test('python3-icalendar finds the same', WITH_PYTHON, async () => {
    const read = await readByPython(rows.map(({ source }) => source));
    expect(read.map(({ start, end }, index) => [rows[index]?.timeZone, start, end])).toEqual(wanted);
  });

  test('the rules of a zone for one year are not used for another', () => {
    // In Ramadan clocks are set back one hour.
    for (const day of ['2026-03-01', '2024-03-20']) {
      const [startsAt, endsAt] = [`${day}T09:00:00.000Z`, `${day}T10:00:00.000Z`];
      const source = writeMeetingRequest(request({ timeZone: 'Africa/Casablanca', startsAt, endsAt }));
      expect(readByIcalJs(source)).toMatchObject({ start: startsAt, end: endsAt });
    }
  });

  test('a yearly rule if there is one, else each change', () => {
    const rulesOf = (timeZone: string): string[] =>
      linesOf(writeMeetingRequest(request({ timeZone }))).filter((line) => line.startsWith('RRULE'));
    expect(rulesOf('America/New_York')).toEqual([
      'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
      'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU',
    ]);
    expect(rulesOf('Australia/Sydney')).toEqual([
      'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU',
      'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=1SU',
    ]);
    // Ramadan, the Friday before a Sunday, and no change.
    for (const zone of ['Africa/Casablanca', 'Asia/Jerusalem', 'Asia/Kolkata'])
      expect(rulesOf(zone)).toEqual([]);
  });
});

const texts: readonly (readonly [title: string, value: string, read?: string])[] = [
  ['umlauts and emoji', 'Größe – Grüße aus der Praxis 👩‍⚕️'],
  ['commas, semicolons, backslashes and quotes', 'a,b;c\\d"e:f'],
  ['line breaks of all kinds', 'eins\nzwei\r\ndrei\rvier', 'eins\nzwei\ndrei\nvier'],
  ['a long line of umlauts', 'ü'.repeat(300)],
  ['a long line of emoji', '👩‍⚕️'.repeat(80)],
  ['a line of exactly 75 octets with its name', 'x'.repeat(75 - 'DESCRIPTION:'.length)],
  ['one octet more, an umlaut', `${'x'.repeat(74 - 'DESCRIPTION:'.length)}ü`],
  [
    'what looks like more properties',
    'x\r\nATTENDEE:mailto:evil@example.org\r\nEND:VEVENT'.replaceAll('\r\n', '\n'),
  ],
  ['control characters', 'a\0b\x07c\x7fd', 'abcd'],
  ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
];

describe('texts', () => {
  test.each(texts)('%s', (_, value = '', read = value) => {
    const source = writeMeetingRequest(request({ description: value }));
    expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(source).toBe(source.toWellFormed());
    const octets = source.split('\r\n').map((line) => Buffer.byteLength(line));
    expect(Math.max(...octets)).toBeLessThanOrEqual(75);
    const { event } = readByIcalJs(source);
    expect(event.getFirstPropertyValue('description')).toBe(read);
    expect(event.getAllProperties('attendee')).toHaveLength(1);
  });

  test('a backslash before an n is no line break', () => {
    // Python's icalendar reads it as one.
    const { event } = readByIcalJs(writeMeetingRequest(request({ description: 'C:\\neu' })));
    expect(event.getFirstPropertyValue('description')).toBe('C:\\neu');
  });

  test('python3-icalendar reads the same', WITH_PYTHON, async () => {
    const read = await readByPython(
      texts.map(([, value]) => writeMeetingRequest(request({ description: value }))),
    );
    expect(read.map(({ description, errors }) => ({ description, errors }))).toEqual(
      texts.map(([, value, read = value]) => ({ description: read, errors: [] })),
    );
  });
});

test('python3-icalendar reads the values of the request', WITH_PYTHON, async () => {
  const [read] = await readByPython([
    writeMeetingRequest(request({ description: 'Bitte die Karte mitbringen.' })),
  ]);
  expect(read).toEqual({
    method: 'REQUEST',
    start: '2026-12-01T09:00:00.000Z',
    end: '2026-12-01T09:30:00.000Z',
    errors: [],
    uid: '0199f3a2-5c1e-7d3a-9c44-8a1b2c3d4e5f@mail.praxis.example',
    summary: 'Termin Praxis Müller',
    location: 'Am Markt 1, 20095 Hamburg',
    description: 'Bitte die Karte mitbringen.',
    sequence: '0',
    status: 'CONFIRMED',
    class: 'PRIVATE',
    transp: 'OPAQUE',
    organizer: ['mailto:praxis@mail.praxis.example', 'Praxis Müller, Dr. Ahorn'],
    attendees: [
      [
        'mailto:erika@example.org',
        {
          CUTYPE: 'INDIVIDUAL',
          ROLE: 'REQ-PARTICIPANT',
          PARTSTAT: 'NEEDS-ACTION',
          RSVP: 'FALSE',
          CN: 'Erika Weiß',
        },
      ],
    ],
  });
});

const people: readonly (readonly [title: string, typed: string, line: string])[] = [
  ['nobody’s name', 'erika@example.org', ':mailto:erika@example.org'],
  [
    'a name with quotes',
    '"Erika \\"Eri\\" Weiß" <erika@example.org>',
    `;CN="Erika 'Eri' Weiß":mailto:erika@example.org`,
  ],
  ['an address with a plus', 'erika+arzt@example.org', ':mailto:erika+arzt@example.org'],
  ['an address that means something in a URL', 'a&b=c%d@example.org', ':mailto:a%26b%3Dc%25d@example.org'],
];
test.each(people)('an attendee with %s', (_, typed, line) => {
  const lines = linesOf(writeMeetingRequest(request({ attendee: parseAddress(typed) })));
  expect(lines.filter((found) => found.startsWith('ATTENDEE'))).toEqual([
    `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=FALSE${line}`,
  ]);
});

test('a name cannot end its parameter', () => {
  const attendee = { ...parseAddress('erika@example.org'), name: 'x"\r\nATTENDEE:mailto:evil@example.org' };
  const { event } = readByIcalJs(writeMeetingRequest(request({ attendee })));
  expect(event.getAllProperties('attendee')).toHaveLength(1);
});

test('the same request is the same bytes', () => {
  expect(writeMeetingRequest(request())).toBe(writeMeetingRequest(request()));
});
