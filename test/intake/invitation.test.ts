import { describe, expect, test } from 'vitest';
import { toInvitation } from '#src/intake/invitation.ts';
import { calendar } from '#src/intake/send-fields.ts';
import { AppError } from '#src/kernel/errors.ts';

const given = (fields: object) =>
  calendar.parse({ summary: 'Termin', starts_at: '2026-12-01T09:30:00', ...fields });

const refusalOf = (fields: object): unknown => {
  try {
    return toInvitation(given(fields));
  } catch (error) {
    if (error instanceof AppError) return error.extra.fields;
    throw error;
  }
};

describe('an appointment', () => {
  test.each<{ name: string; fields: object; expected: object }>([
    {
      name: 'in local time is one of Berlin and takes half an hour',
      fields: {},
      expected: {
        starts_at: '2026-12-01T09:30:00',
        ends_at: '2026-12-01T09:00:00.000Z',
        time_zone: 'Europe/Berlin',
      },
    },
    {
      name: 'in local time of another zone',
      fields: { time_zone: 'america/new_york' },
      expected: { ends_at: '2026-12-01T15:00:00.000Z', time_zone: 'America/New_York' },
    },
    {
      name: 'with an offset keeps the zone for its readers',
      fields: { starts_at: '2026-07-01T09:30:00+02:00' },
      expected: { ends_at: '2026-07-01T08:00:00.000Z', time_zone: 'Europe/Berlin' },
    },
    {
      name: 'with an end in another form than its beginning',
      fields: { ends_at: '2026-12-01T08:31:00Z' },
      expected: { ends_at: '2026-12-01T08:31:00Z' },
    },
    {
      name: 'in the hour that comes twice when clocks are put back is in the first one',
      fields: { starts_at: '2026-10-25T02:30' },
      expected: { ends_at: '2026-10-25T01:00:00.000Z' },
    },
    {
      name: 'with place and description',
      fields: { location: 'Am Markt 1', description: 'Bitte\nnüchtern kommen.' },
      expected: { location: 'Am Markt 1', description: 'Bitte\nnüchtern kommen.' },
    },
  ])('$name', ({ fields, expected }) => {
    expect(toInvitation(given(fields))).toMatchObject(expected);
  });

  test('has null for what was not given', () => {
    expect(toInvitation(given({}))).toMatchObject({ location: null, description: null });
  });

  test.each<{ name: string; fields: object; path: string; message: RegExp }>([
    {
      name: 'an unknown zone',
      fields: { time_zone: 'Europe/Bremen' },
      path: 'time_zone',
      message: /time zone/,
    },
    { name: 'an offset as zone', fields: { time_zone: '+02:00' }, path: 'time_zone', message: /time zone/ },
    {
      name: 'an hour that clocks skip',
      fields: { starts_at: '2026-03-29T02:30:00' },
      path: 'starts_at',
      message: /skip/,
    },
    {
      name: 'an end that clocks skip',
      fields: { starts_at: '2026-03-29T01:30', ends_at: '2026-03-29T02:00' },
      path: 'ends_at',
      message: /skip/,
    },
    {
      name: 'an end before the beginning',
      fields: { ends_at: '2026-12-01T09:29:59' },
      path: 'ends_at',
      message: /after/,
    },
    {
      name: 'an end at the beginning, in another zone',
      fields: { ends_at: '2026-12-01T08:30:00Z' },
      path: 'ends_at',
      message: /after/,
    },
  ])('$name is refused', ({ fields, path, message }) => {
    expect(refusalOf(fields)).toEqual([
      { path: `body.calendar.${path}`, message: expect.stringMatching(message) },
    ]);
  });

  test('an hour that clocks skip here is one elsewhere', () => {
    expect(refusalOf({ starts_at: '2026-03-29T02:30:00', time_zone: 'UTC' })).toMatchObject({
      ends_at: '2026-03-29T03:00:00.000Z',
    });
  });

  test.each([
    { summary: '' },
    { summary: ' ' },
    { summary: 'a\nb' },
    { starts_at: '2026-12-01' },
    { starts_at: '2026-02-30T10:00' },
    { starts_at: '01.12.2026 10:00' },
    { starts_at: '1969-12-31T23:59' },
    { starts_at: '2200-01-01T00:00Z' },
    { ends_at: '9999-12-31T23:59:59Z' },
    { location: 'a\r\nb' },
    { description: 'a\0b' },
    { organizer: 'a@x.org' },
  ])('%j does not have the form of an appointment', (fields) => {
    expect(calendar.safeParse({ summary: 'Termin', starts_at: '2026-12-01T09:30', ...fields }).success).toBe(
      false,
    );
  });
});
