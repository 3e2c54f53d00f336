// A reply of an SMTP server (RFC 5321 §4.2) with its enhanced status code (RFC 3463, RFC 2034), and what parses one.

export interface Reply {
  readonly code: number;
  /** `5.1.1`; null where the server gave none. */
  readonly enhanced: string | null;
  /** Text of all lines joined by one space, without codes. */
  readonly text: string;
}
