// The trace fields that a server writes on top of a mail it takes (RFC 5321 §4.4). Pure.

export interface Traced {
  /** MAIL FROM without angle brackets. */
  readonly mailFrom: string;
  readonly clientAddress: string;
  /** The name that the client gave itself. */
  readonly helo: string;
  /** RFC 3848, RFC 6531 §4.3: `ESMTP`, `UTF8SMTPS`, … */
  readonly protocol: string;
  readonly sessionId: string;
}

/** Text in a trace field must not end the field or a comment in it. */
const traced = (text: string): string => text.replace(/[^!-'*-[\]-~]/g, '?').slice(0, 255);

/** Letters beyond ASCII come in a mail of SMTPUTF8 alone, whose header may have them (RFC 6532). */
export const returnPathField = (mailFrom: string): string =>
  `Return-Path: <${mailFrom.replace(/[^!-'*-[\]-~\p{L}\p{M}\p{N}]/gu, '?').slice(0, 255)}>\r\n`;

/** `now` in ms since the epoch. */
export const receivedField = (
  { clientAddress, helo, protocol, sessionId }: Traced,
  serviceHost: string,
  now: number,
): string => {
  const date = new Date(now).toUTCString().replace('GMT', '+0000');
  const client = clientAddress.includes(':') ? `IPv6:${clientAddress}` : clientAddress;
  return [
    `Received: from ${traced(helo)} ([${client}])\r\n`,
    ` by ${serviceHost} with ${protocol} id ${sessionId};\r\n ${date}\r\n`,
  ].join('');
};
