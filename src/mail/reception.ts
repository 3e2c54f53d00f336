// What rooms take by SMTP: which addresses they know, what they do with mail to them, and why they refuse it. Each room hands in
// its part of `Receives`; the composition root joins the parts, and the listener asks them. Pure.
import type { ForwardedCopy } from './srs.ts';
import type { Traced } from './trace.ts';
import type { ReturnPathTarget } from './verp.ts';

export interface ReceivedMail {
  readonly envelope: Traced;
  /** The mail as it came. */
  readonly content: Buffer;
}

/** Why a mailbox refuses a recipient, and the reply (RFC 3463 §3). */
export const admissionRefusals = {
  disabled: [550, '5.2.1 this host receives no mail'],
  no_mailbox: [550, '5.1.1 no such mailbox'],
  unwanted: [550, '5.7.1 this address takes no mail'],
  blocked: [550, '5.7.1 the recipient does not accept mail from you'],
  too_large: [552, '5.3.4 the message is larger than the recipient takes'],
  full: [452, '4.2.2 the mailbox is full, try again later'],
  no_disk: [452, '4.3.1 the disk of this server is nearly full, try again later'],
  busy: [451, '4.7.1 too many messages for this recipient, try again later'],
} as const;
export type AdmissionRefusal = keyof typeof admissionRefusals;

export type Admission = { readonly tenantId: string } | { readonly refusal: AdmissionRefusal };

export interface MailboxRecipient {
  readonly tenantId: string;
  /** The address of RCPT TO, with its domain in A-labels. */
  readonly address: string;
  /** Number of the copy's recipient, where the address is the return path of a copy. */
  readonly answers?: number;
}

export interface AskedRecipient {
  /** The sending host behind `in.`. */
  readonly host: string;
  readonly localPart: string;
  /** Whether an address of its own is needed, because for this name the catch-all does not count. */
  readonly named: boolean;
}

export interface AskingMail {
  /** MAIL FROM; empty: the null sender. */
  readonly mailFrom: string;
  /** The size declared with MAIL; 0 where none was. */
  readonly size: number;
}

/** `dns`: whose mail it is cannot be found out, and it is asked to come again, as where no scanner answers. */
export const mailRefusalReasons = [
  'blocked_sender',
  'virus',
  'dmarc',
  'dns',
  'spam',
  'scanner_unavailable',
  'too_large',
] as const;
export type MailRefusalReason = (typeof mailRefusalReasons)[number];

export type Reception =
  | { readonly kind: 'stored' }
  /** `text` begins with the enhanced status code. */
  | {
      readonly kind: 'refused';
      readonly code: number;
      readonly text: string;
      readonly reason: MailRefusalReason | 'full';
    };

export type ReturnPathStatus = 'current' | 'unknown' | 'replayed' | 'expired';

/** `unchanged`: known already, or of no effect. `unknown`: the recipient's row is gone. */
export type ReportResult = 'changed' | 'unchanged' | 'unknown';

/** A return path that is proven, with the address that it came as. */
export interface ReturnPath {
  readonly address: string;
  readonly target: ReturnPathTarget;
}

export interface DomainReportMail extends ReceivedMail {
  /** The kind by the address that the mail came to; the content decides what it is. */
  readonly kind: 'dmarc' | 'tls';
}

/** `not_taken` is accepted too, and counts nothing. `busy`: too many came recently, and the sender is to try again. */
export type DomainReportOutcome = 'taken' | 'not_taken' | 'busy';

/** Mail to the mailbox simulator. */
export interface SimulatedRecipient {
  /** The address of RCPT TO. */
  readonly recipient: string;
  /** The MAIL FROM, where the answer goes. */
  readonly returnPath: string;
}

export interface OperatorMail {
  /** The address of RCPT TO. */
  readonly recipient: string;
  /** Empty: the null sender. */
  readonly mailFrom: string;
  readonly clientAddress: string;
  /** Begins with Return-Path and Received (RFC 5321 §4.4). */
  readonly content: Buffer;
}

/**
 * What is done with accepted mail resolves once that is durable, and rejects where it is not: the sender tries again.
 * `Reporter`: how to find out who has sent a report.
 */
export interface Receives<Reporter> {
  /** Whether `bounce.<host>` and `in.<host>` are names that mail is received for. */
  readonly isSendingHost: (host: string) => boolean;
  /** Throws TenantMoved where the tenant that sends from that host has moved. */
  readonly requireHolderHere: (host: string) => void;

  /** Null for an address that no key of this installation has made. */
  readonly decodeReturnPath: (address: string) => ReturnPathTarget | null;
  /** Rejects where it cannot be found out at the moment. */
  readonly returnPathStatus: (target: ReturnPathTarget) => Promise<ReturnPathStatus>;
  /** Reads the content once for all its return paths. Null: it is no report, and nothing was done. */
  readonly report: (
    returnPaths: readonly ReturnPath[],
    mail: ReceivedMail,
    reporter: Reporter,
  ) => Promise<ReportResult[] | null>;
  /** Reads the address by which a copy's recipient unsubscribes. */
  readonly decodeUnsubscribeAddress: (address: string) => ReturnPathTarget | null;
  /** Does what the link of the copy does. An automatic reply, a bounce and a report change nothing. */
  readonly unsubscribe: (target: ReturnPathTarget, mail: ReceivedMail) => Promise<ReportResult>;
  /** Null where too many came recently. */
  readonly complain: (mail: ReceivedMail, reporter: Reporter) => Promise<ReportResult | null>;
  /** Whether the simulator has such a mailbox. */
  readonly simulates: (localPart: string) => boolean;
  /** The simulator's answer; null where it has none. */
  readonly simulate: (mail: SimulatedRecipient, content: Buffer) => Buffer | null;

  readonly reporterOf: (mail: ReceivedMail) => Reporter;
  readonly admit: (recipient: AskedRecipient, mail: AskingMail) => Promise<Admission>;
  /** Those of the return paths whose tenants receive mail; or why none of it can come now. */
  readonly admitAnswers: (
    returnPaths: readonly ReturnPath[],
  ) => readonly MailboxRecipient[] | { readonly refusal: AdmissionRefusal };
  /** The address to write to instead of a host that receives nothing; null where there is none. */
  readonly writeTo: (host: string) => Promise<string | null>;
  readonly receive: (recipients: readonly MailboxRecipient[], mail: ReceivedMail) => Promise<Reception>;
  /** The forwarded copy that the address names; null also where it is too old. */
  readonly decodeForwardPath: (address: string) => ForwardedCopy | null;
  readonly forwardReport: (copy: ForwardedCopy, mail: ReceivedMail) => Promise<ReportResult>;
  /** The name of a DNS block list that has the client; null where none has, and where no list is asked. */
  readonly listing: (clientAddress: string) => Promise<string | null>;

  readonly domainReport: (mail: DomainReportMail) => Promise<DomainReportOutcome>;
  /** False where too many such mails came recently. */
  readonly mailOperator: (mail: OperatorMail) => Promise<boolean>;
}
