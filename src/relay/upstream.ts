// What an upstream is: an envelope and the bytes of a message go in, a transcript of what the other side answered comes back.
// outcome.ts judges the transcript: delivered, try again, bounced, or the upstream's own failure.
import type { Reply } from '#src/mail/reply.ts';

/** The envelope of one SMTP transaction, which has exactly one recipient and a return path of its own. */
export interface Envelope {
  /** MAIL FROM, without angle brackets. */
  readonly returnPath: string;
  /** RCPT TO, without angle brackets. */
  readonly recipient: string;
  /** ENVID of RFC 3461, sent where the server offers DSN. */
  readonly envelopeId: string;
  /** What a message that was not composed here needs: 8BITMIME where it has octets beyond ASCII, SMTPUTF8 where its header has. */
  readonly needs?: readonly ('8BITMIME' | 'SMTPUTF8')[];
  /** The recipient, or an address in the header, is not ASCII: only a server that offers SMTPUTF8 may get it (RFC 6531 §3.2). */
  readonly needsSmtpUtf8?: boolean;
}

/** The owner of a message, for upstreams that keep it here. */
export interface Origin {
  readonly tenantId: string;
  readonly messageId: string;
}

/** How far the dialogue came. `connect` to `auth` happen once per connection, the others once per message. */
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
  /** The connection broke, timed out or was never made. `phase` says what was being waited for. After the final dot (`dot`) no
   * one knows whether the message was taken. */
  | { readonly result: 'broken'; readonly phase: Phase; readonly error: string };

/** What a connection made only to look showed. Credentials are masked. */
export interface Probe {
  readonly ok: boolean;
  /** How far it came; null where it came to the end. */
  readonly failedAt: Phase | null;
  readonly error: string | null;
  /** Whether it offers delivery notices (DSN, RFC 3461); null where it did not come so far, and where mail stays here. */
  readonly dsn: boolean | null;
  /** Lines of both sides, ours with a leading `C: `, the server's with `S: `. */
  readonly transcript: readonly string[];
  readonly tls: {
    readonly protocol: string | null;
    readonly cipher: string | null;
    readonly verified: boolean;
    /** Why the certificate is not trusted. */
    readonly problem: string | null;
    readonly subject: string | null;
    readonly issuer: string | null;
    readonly validTo: string | null;
  } | null;
}

export interface Upstream {
  readonly name: string;
  readonly kind: 'smtp' | 'capture';
  /** How many `transmit` calls it can work on at once; it changes with the pace of the server. */
  readonly concurrency: number;
  /** Never rejects; a failure is in the transcript. */
  transmit(envelope: Envelope, message: Buffer, origin: Origin): Promise<Transcript>;
  /** `host:port`; null where it is here. */
  readonly address: string | null;
  /** Connects, signs in and leaves again. Never rejects; changes nothing. */
  probe(signal?: AbortSignal): Promise<Probe>;
  /** Whether it takes addresses that are not ASCII (RFC 6531); null: it has not been asked yet. */
  readonly smtpUtf8: boolean | null;
  /** Asks it, where that is not known; resolves when it has answered or cannot be reached. Never rejects. */
  learn(): Promise<void>;
  /** `dsn`: whether the newest connection was offered delivery notices; null before the first. */
  describe(): Readonly<Record<string, unknown> & { dsn?: boolean | null }>;
  /** Lets transactions in flight end, sends QUIT, closes. */
  stop(): Promise<void>;
}

/** Why no recipient of an upstream's mail becomes `delivered`: nothing listens for its notices, or it offers none. */
export const undeliveredReasons = ['no_listener', 'no_dsn'] as const;
export type UndeliveredReason = (typeof undeliveredReasons)[number];
