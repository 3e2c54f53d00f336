// What a client of SMTP writes, and what it depends on: the extensions that the server offers (RFC 5321 §4.1.1.1), MAIL FROM
// and RCPT TO with the parameters SIZE (RFC 1870), DSN (RFC 3461), BODY (RFC 6152) and SMTPUTF8 (RFC 6531), and the doubled dots of a message. Pure.
import { octetsOf } from '#src/mail/header-field.ts';
import type { Reply } from '#src/mail/reply.ts';
import type { Envelope, Phase } from '#src/relay/upstream.ts';

export interface Extensions {
  /** RFC 2920 */
  readonly pipelining: boolean;
  /** RFC 3461 */
  readonly dsn: boolean;
  /** RFC 1870: bytes; 0 where SIZE is offered without a limit, null where it is not offered. */
  readonly size: number | null;
  /** RFC 6152 */
  readonly eightBitMime: boolean;
  /** RFC 6531 */
  readonly smtpUtf8: boolean;
}

/** `lines` without code and without the first, which only greets. */
export const parseExtensions = (lines: readonly string[]): Extensions => {
  const offered = new Map<string, string>();
  for (const line of lines) {
    const [keyword = '', parameter = ''] = line.trim().split(/[\s=]+/, 2);
    offered.set(keyword.toUpperCase(), parameter);
  }
  const size = offered.get('SIZE');
  return {
    pipelining: offered.has('PIPELINING'),
    dsn: offered.has('DSN'),
    size: size === undefined ? null : /^\d{1,15}$/.test(size) ? Number(size) : 0,
    eightBitMime: offered.has('8BITMIME'),
    smtpUtf8: offered.has('SMTPUTF8'),
  };
};

/** RFC 3461 §4.4. */
const MAX_ENVELOPE_ID_CHARACTERS = 100;
/** RFC 5321 §4.5.3.1.3 gives a path 256 octets with its brackets. */
const MAX_ADDRESS_OCTETS = 254;

/** An address as ORCPT names it (RFC 3461 §4.2); one that is not ASCII in the form that any server takes (RFC 6533 §3). */
const originalRecipient = (address: string): string =>
  /^\p{ASCII}*$/u.test(address)
    ? `rfc822;${encodeXtext(address)}`
    : `utf-8;${address.replace(/[^!-*,-<>-[\]-~]/gu, (character) => `\\x{${character.codePointAt(0)?.toString(16).toUpperCase()}}`)}`;

/** xtext (RFC 3461 §4): what is not printable ASCII, and `+` and `=`, becomes `+HH`. */
export const encodeXtext = (value: string): string =>
  value.replace(/[^!-*,-<>-~]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `+${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );

/** An address between `<` and `>` that cannot end the path or the line. */
const sendable = /^[!-;=?-~]+$/;
/** An address that may go to a server that offers SMTPUTF8. */
const sendableUtf8 = /^[!-;=?-~\u0080-\u{10ffff}]+$/u;

export interface LocalRefusal {
  readonly phase: Phase;
  readonly reply: Reply;
}

/** The reply that the server would give, to a message that it would refuse anyway or must never see; null for all others. */
export const refuseLocally = (
  envelope: Envelope,
  messageBytes: number,
  extensions: Extensions,
): LocalRefusal | null => {
  if (extensions.size !== null && extensions.size > 0 && messageBytes > extensions.size) {
    const text = `Message of ${messageBytes} bytes exceeds the ${extensions.size} the relay takes`;
    return { phase: 'mail', reply: { code: 552, enhanced: '5.3.4', text } };
  }
  if (envelope.needsSmtpUtf8 && !extensions.smtpUtf8) {
    const text = 'The relay does not offer SMTPUTF8, which an address with letters beyond ASCII needs';
    return { phase: 'rcpt', reply: { code: 553, enhanced: '5.6.7', text } };
  }
  for (const [phase, address] of [
    ['mail', envelope.returnPath],
    ['rcpt', envelope.recipient],
  ] as const) {
    if (phase === 'mail' && address === '') continue;
    const form = extensions.smtpUtf8 && envelope.needsSmtpUtf8 ? sendableUtf8 : sendable;
    if (Buffer.byteLength(address) <= MAX_ADDRESS_OCTETS && form.test(address)) continue;
    const enhanced = /[^\p{ASCII}]/u.test(address) ? '5.6.7' : phase === 'mail' ? '5.1.7' : '5.1.3';
    return { phase, reply: { code: 553, enhanced, text: 'Address cannot be written in an SMTP path' } };
  }
  return null;
};

export interface EnvelopeCommands {
  readonly mail: string;
  readonly rcpt: string;
}

/** The two commands as octets, with their line ends. RET=HDRS keeps the message's text out of the notices about it. */
export const envelopeCommands = (
  envelope: Envelope,
  messageBytes: number,
  extensions: Extensions,
  requestDsn: boolean,
): EnvelopeCommands => {
  let mail = `MAIL FROM:<${envelope.returnPath}>`;
  let rcpt = `RCPT TO:<${octetsOf(envelope.recipient)}>`;
  if (extensions.size !== null) mail += ` SIZE=${messageBytes}`;
  // A server that does not offer it gets the octets as they are: in 7 bits a signature would not hold.
  if (envelope.needs?.includes('8BITMIME') && extensions.eightBitMime) mail += ' BODY=8BITMIME';
  if (envelope.needs?.includes('SMTPUTF8') && extensions.smtpUtf8) mail += ' SMTPUTF8';
  // A server that offers SMTPUTF8 offers 8BITMIME too (RFC 6531 §3.1).
  if (envelope.needsSmtpUtf8) mail += ' BODY=8BITMIME SMTPUTF8';
  if (requestDsn && extensions.dsn) {
    const envelopeId = encodeXtext(envelope.envelopeId);
    mail += ' RET=HDRS';
    // Where the id is empty, or longer than a server must take, none is sent: a refused message would be worse.
    if (envelopeId !== '' && envelopeId.length <= MAX_ENVELOPE_ID_CHARACTERS) mail += ` ENVID=${envelopeId}`;
    rcpt += ` NOTIFY=SUCCESS,DELAY,FAILURE ORCPT=${originalRecipient(envelope.recipient)}`;
  }
  return { mail: `${mail}\r\n`, rcpt: `${rcpt}\r\n` };
};

const DOT = 0x2e;

/** Transparency (RFC 5321 §4.5.2): a line that begins with a dot gets another one. Returns the same buffer where no line does.
 * A dot behind a bare LF is doubled too: some servers take a bare LF for a line end, and must not see the end of the message
 * there. */
export const stuffDots = (message: Buffer): Buffer => {
  let found = message.indexOf('\n.');
  if (found < 0 && message[0] !== DOT) return message;
  const parts: Buffer[] = [];
  let from = 0;
  if (message[0] === DOT) parts.push(Buffer.from('.'));
  while (found >= 0) {
    // Up to and with the dot; the next part begins with the same dot.
    parts.push(message.subarray(from, found + 2));
    from = found + 1;
    found = message.indexOf('\n.', from);
  }
  parts.push(message.subarray(from));
  return Buffer.concat(parts);
};
