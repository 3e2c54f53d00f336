// What compose/ makes a message from. Everything in it has been validated where it entered; the writer encodes, it
// does not judge.
import type { Mailbox } from '#src/mail/mailbox.ts';

export interface Attachment {
  readonly filename: string;
  /** `type/subtype` in lower case, without parameters. */
  readonly contentType: string;
  /** Present: an inline part that the HTML names by `cid:`; without angle brackets. */
  readonly contentId?: string;
  readonly content: Uint8Array;
}

export interface OutgoingMessage {
  /** Message-ID with its angle brackets; the same for every copy and every attempt (RFC 5322 §3.6.4). */
  readonly internetMessageId: string;
  /** Milliseconds since the epoch. */
  readonly date: number;
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  /** Further header fields, in order: those of the service first, then the caller's. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly Attachment[];
  /** An iCalendar object of method REQUEST (RFC 6047), in UTF-8 with CRLF; beside a text or HTML. */
  readonly calendar?: string | null;
}

/** Header and body as ASCII strings with CRLF line ends. `header` ends with the CRLF of its last field, the empty
 * line between both is in neither; `body` is never empty and ends with CRLF. */
export interface ComposedMessage {
  readonly header: string;
  readonly body: string;
}
