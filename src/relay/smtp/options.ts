// The options of an SMTP upstream, and its limits.
import { readFileSync } from 'node:fs';
import type { SmtpUpstreamConfig } from '#src/kernel/config/config.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';

/** `none`: plain. `opportunistic`: STARTTLS where offered, certificate not verified, else plain. `required`: STARTTLS
 * with a verified certificate or nothing. `implicit`: verified TLS from the first byte (RFC 8314 §3.3). */
type TlsMode = 'none' | 'opportunistic' | 'required' | 'implicit';

export interface SmtpOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: TlsMode;
  /** AUTH uses it with `password`. Never sent without TLS except to a loopback address. With `opportunistic`, an attacker in
   * the network can read it: a remote host with credentials needs `required` or `implicit`. */
  readonly user?: string;
  readonly password?: string;
  /** Connections at most. */
  readonly pool: number;
  /** Messages a second at most; those above wait. */
  readonly rate?: number;
  /** Our name in EHLO (RFC 5321 §4.1.1.1). */
  readonly ehloName: string;
  /** `dsn`: ask for success notices where DSN is offered. `accept`: the 250 counts, nothing is asked for. */
  readonly deliveredOn: 'dsn' | 'accept';
  /** PEM of the authorities to trust instead of the system's: private authorities. */
  readonly ca?: string;
  readonly timeouts?: Partial<SmtpTimeouts>;
}

/** Milliseconds. RFC 5321 §4.5.3.2 names the least of most of them. */
export interface SmtpTimeouts {
  /** Name lookup, TCP, greeting and STARTTLS together. */
  readonly connect: number;
  /** The time from the lookup to the end of AUTH, which bounds a server that answers one byte at a time. */
  readonly setup: number;
  /** EHLO, AUTH, MAIL, RCPT, RSET. */
  readonly command: number;
  /** The time from DATA to its 354. */
  readonly data: number;
  /** Until one block of the message has left. */
  readonly block: number;
  /** The time from the final dot to its reply. A short one makes duplicates (RFC 1047). */
  readonly dot: number;
  readonly quit: number;
  /** How long an unused connection is kept: servers begin to drop them after about five minutes. */
  readonly idle: number;
  /** How long `stop` waits for transactions in flight. */
  readonly stop: number;
  /** Pause before the next connection is tried while others still work: the server may limit how many it takes. */
  readonly reopen: number;
}

export const defaultTimeouts: SmtpTimeouts = {
  connect: 2 * MINUTE,
  setup: 10 * MINUTE,
  command: 5 * MINUTE,
  data: 2 * MINUTE,
  block: 3 * MINUTE,
  dot: 10 * MINUTE,
  quit: 5 * SECOND,
  idle: 60 * SECOND,
  stop: 30 * SECOND,
  reopen: 10 * SECOND,
};

/** Then QUIT and a new connection: balancers in front of a relay spread connections, not messages. */
export const MAX_MESSAGES_PER_CONNECTION = 1_000;

/** Throws where the file of its authorities cannot be read. */
export const smtpOptionsOf = (entry: SmtpUpstreamConfig, ehloName: string): SmtpOptions => {
  const { name, host, port, tls, pool, rate, user, password, ca_file, delivered_on } = entry;
  return {
    name,
    host,
    port,
    tls,
    pool,
    ehloName,
    deliveredOn: delivered_on,
    ...(user !== undefined && password !== null ? { user, password: password.reveal() } : {}),
    ...(rate === undefined ? {} : { rate }),
    ...(ca_file === undefined ? {} : { ca: readFileSync(ca_file, 'utf8') }),
  };
};
