// What tells that a mail has arrived: the relay's 2xx, its reports by HTTP, or notices by mail (DSN, RFC 3461), for which the relay
// has to offer them and `smtp.inbound` to listen.

interface Entry {
  readonly kind: 'smtp' | 'capture';
  readonly delivered_on?: 'dsn' | 'accept';
  readonly events?: unknown;
}

/** Whether recipients of its mail become `delivered` by notices alone. */
export const waitsForNotices = ({ kind, delivered_on, events }: Entry): boolean =>
  kind === 'smtp' && delivered_on === 'dsn' && !events;

export const NO_NOTICES =
  'the relay offers no delivery notices (DSN, RFC 3461), so no mail is ever `delivered`: set delivered_on to accept, or have it report to `events`';
