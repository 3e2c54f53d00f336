// A mail from the world on its way to a tenant's mailbox: what the listener knows of it, what its header says, and what the checks
// found. The listener, the checks, the mailbox and the forwarding share these shapes.
import type { WrittenMailbox } from '#src/mail/address-field.ts';
import type { Traced } from '#src/mail/trace.ts';

/** What the SMTP dialogue said. */
export type MailEnvelope = Traced;

/** Header fields as a list shows them, decoded and cut. */
export interface MailHead {
  /** The first mailbox of From: the first of `CheckedMail.authors`. */
  readonly from: WrittenMailbox | null;
  /** There are at most 200, as in `cc`. */
  readonly to: readonly WrittenMailbox[];
  readonly cc: readonly WrittenMailbox[];
  readonly subject: string;
  /** ms since the epoch; null where Date is absent or unreadable. */
  readonly sentAt: number | null;
  /** With its angle brackets, as are the next two. */
  readonly internetMessageId: string | null;
  readonly inReplyTo: string | null;
  /** The last 50 at most, in their order. */
  readonly references: readonly string[];
}

/** RFC 8601 §2.7; `none` where there was nothing to check. */
export type AuthResult =
  | 'none'
  | 'pass'
  | 'fail'
  | 'softfail'
  | 'neutral'
  | 'policy'
  | 'temperror'
  | 'permerror';

export interface MailAuth {
  readonly spf: { readonly result: AuthResult; readonly domain: string | null };
  readonly dkim: readonly {
    readonly result: AuthResult;
    readonly domain: string;
    readonly selector: string;
  }[];
  readonly dmarc: {
    readonly result: AuthResult;
    /** The domain in From. */
    readonly domain: string | null;
    /** The policy in force for this mail; null where no record was found. `permerror`: From does not say whose mail it is. */
    readonly policy: 'none' | 'quarantine' | 'reject' | null;
  };
  readonly arc: { readonly result: AuthResult };
  /** Whether the client's address has a name that leads back to it (RFC 8601 §2.7.3). */
  readonly iprev: { readonly result: AuthResult; readonly name: string | null };
}

export interface MailSpam {
  /** `not_scanned`: no scanner is configured, or none answered. */
  readonly verdict: 'clean' | 'spam' | 'virus' | 'not_scanned';
  /** 0 to 100; null where no scanner gave one. */
  readonly score: number | null;
  /** Names of rules and viruses. */
  readonly reasons: readonly string[];
}

export interface CheckedMail {
  /** Addresses in From, in lower case: usually one. Empty where the address of an author cannot be known. */
  readonly authors: readonly string[];
  readonly auth: MailAuth;
  readonly spam: MailSpam;
  /** Mail must not pass without a scanner that gave no answer. */
  readonly isDeferred: boolean;
  /** The field with its CRLF (RFC 8601). */
  readonly authenticationResults: string;
}

/** Sizes of the pieces in which sources are kept and sent. */
export const PIECE_BYTES = 256 * 1_024;
