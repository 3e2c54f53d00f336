// The input and output of composing. All values were validated at intake; composing only encodes them.
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import type { AttachmentRow, BodyRow, MessageRow } from '#src/messages/store.ts';
import type { SubmittedPart } from '#src/messages/submitted-part.ts';

export interface Attachment {
  readonly filename: string;
  /** `type/subtype` in lower case, without parameters. */
  readonly contentType: string;
  /** Present for an inline part, which the HTML names by `cid:`; without angle brackets. */
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
  /** Further header fields in order: first those of the service, then those of the sender. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly Attachment[];
  /** The tree that a mail program submitted, where text and HTML are parts of it and attachments are its files. */
  readonly parts?: SubmittedPart | null;
  /** An iCalendar object of method REQUEST (RFC 6047), in UTF-8 with CRLF; only together with a text or HTML. */
  readonly calendar?: string | null;
}

/** Octets with CRLF line ends, the last one at the end, one character each; or a file that is not empty, whose base64 has them. */
export type Piece = string | { readonly file: Uint8Array };

/** Only addresses in the header are beyond ASCII (RFC 6532). `header` is a string of octets and ends with the CRLF of its last
 * field, and the empty line between header and body is in neither. `body` is never empty. */
export interface ComposedMessage {
  readonly header: string;
  readonly body: readonly Piece[];
  /** Whether it is known that `body` has no tab, no two spaces in a row and none before a line end, so that relaxed
   * canonicalization (RFC 6376 §3.4.4) changes only empty lines at its end. Of files it is always known. */
  readonly isRelaxed: boolean;
}

/** The rows that all copies of a message share. */
export interface StoredMessage {
  readonly message: MessageRow;
  readonly body: BodyRow;
  readonly attachments: readonly AttachmentRow[];
}

/** What one recipient's copy has besides those rows. */
export interface Copy {
  readonly recipient: Address;
  /** Null if the copy has no link to unsubscribe. */
  readonly unsubscribeUrl: string | null;
  /** Where the recipient's own mail does the same; null if there is no such address. */
  readonly unsubscribeAddress: string | null;
  /**
   * The address at which receivers report complaints, and the id by which they name the copy (RFC 9477); null where no reports
   * are taken.
   */
  readonly complaints: { readonly address: string; readonly id: string } | null;
  /** The page on which the recipient chooses among the sender's lists; null where the copy went to no list. */
  readonly preferencesUrl: string | null;
  /** Makes the links that record opens and clicks, which are used if the message's settings ask for it. Null: the copy has none. */
  readonly tracking: {
    readonly openUrl: () => string;
    /** `url` is the address the link leads to, as in `TrackingLinks.click`. */
    readonly clickUrl: (url: string) => string;
  } | null;
  /** The practice's slug. */
  readonly practice: string;
  readonly service: {
    readonly name: string;
    /** An example is `https://mail.example.com`. */
    readonly origin: string;
  };
}
