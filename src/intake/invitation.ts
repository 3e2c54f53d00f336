// The appointment of a send as invitations keep it: with an end, a zone, and times that exist. Pure; throws AppError
// `invalid_request`.
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { MINUTE, toIso } from '#src/kernel/time.ts';
import { momentOf, zoneNamed } from '#src/mail/time-zone.ts';
import type { Invitation } from '#src/messages/settings.ts';
import type { SendBody } from './schema.ts';

export const DEFAULT_ZONE = 'Europe/Berlin';
const DEFAULT_LENGTH_MS = 30 * MINUTE;

/** `at`: where the fields are in the request. */
export const toInvitation = (
  { summary, starts_at, ends_at, location, description, time_zone }: NonNullable<SendBody['calendar']>,
  at = 'body.calendar',
): Invitation => {
  const invalid = (field: string, message: Text, hint?: Text): AppError =>
    new AppError('invalid_request', say`\`${at}.${field}\`: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      extra: { fields: [{ path: `${at}.${field}`, message }] },
    });
  const parseMoment = (field: 'starts_at' | 'ends_at', given: string, zone: string): number => {
    const moment = momentOf(zone, given);
    if (moment !== null) return moment;
    throw invalid(
      field,
      say`is a time that clocks in ${zone} skip`,
      say`Clocks are put forward there; name a time before or after that, or one with an offset.`,
    );
  };
  const zone = zoneNamed(time_zone ?? DEFAULT_ZONE);
  if (zone === null)
    throw invalid(
      'time_zone',
      say`is not the name of a time zone`,
      say`Use an IANA name, such as Europe/Berlin.`,
    );
  const start = parseMoment('starts_at', starts_at, zone);
  const end = ends_at === undefined ? start + DEFAULT_LENGTH_MS : parseMoment('ends_at', ends_at, zone);
  if (end <= start) throw invalid('ends_at', say`must be after starts_at`);
  return {
    summary,
    starts_at,
    ends_at: ends_at ?? toIso(end),
    location: location ?? null,
    description: description ?? null,
    time_zone: zone,
  };
};
