// The seam between an attempt and the way out: an envelope and the bytes go in, a transcript of what the other side
// said comes back. Judging it (delivered, try again, bounced, the upstream's own fault) is the business of outcome.ts.
import type { Reply } from '#src/mail/reply.ts';

/** One SMTP transaction: exactly one recipient, with a return path of its own. */
export interface Envelope {
  /** MAIL FROM, without angle brackets. */
  readonly returnPath: string;
  /** RCPT TO, without angle brackets. */
  readonly recipient: string;
  /** ENVID of RFC 3461, sent where the server offers DSN. */
  readonly envelopeId: string;
}

/** Whose message it is: for upstreams that keep it here. */
export interface Origin {
  readonly tenantId: string;
  readonly messageId: string;
}

/** How far the conversation came. `connect` to `auth` happen once per connection, the others once per message. */
export type Phase = 'connect' | 'greeting' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot';

export type Transcript =
  | {
      readonly result: 'accepted';
      /** The 2xx to the final dot. */
      readonly reply: Reply;
      /** Whether NOTIFY was asked for, so that a success DSN can be expected. */
      readonly dsnRequested: boolean;
    }
  | { readonly result: 'refused'; readonly phase: Phase; readonly reply: Reply }
  /** The connection broke, timed out or was never there. `phase` says what was being waited for. After the final dot
   * (`dot`) nobody knows whether the message was taken. */
  | { readonly result: 'broken'; readonly phase: Phase; readonly error: string };

export interface Upstream {
  readonly name: string;
  readonly kind: 'smtp' | 'capture';
  /** How many `transmit` calls it can work on at once. */
  readonly concurrency: number;
  /** Never rejects: what goes wrong is in the transcript. */
  transmit(envelope: Envelope, message: Buffer, origin: Origin): Promise<Transcript>;
  /** What the operator's health adds about it. */
  describe(): Readonly<Record<string, unknown>>;
  /** Lets transactions under way end, says QUIT, closes. */
  stop(): Promise<void>;
}
