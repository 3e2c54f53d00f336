// Writes delivery status notifications (RFC 3464) for one recipient, and reads the part with their fields. It does not find
// that part in a message, and does not decide what follows. Pure.
import { type Field, fieldValue, readFields, typedValue } from './field-block.ts';
import { parseUnfolded, type Reply, replyInWords } from './reply.ts';
import { type ReportHead, writeReport } from './report.ts';

/** RFC 3464 §2.3.3 */
export const actions = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;
export type Action = (typeof actions)[number];

/** The fields of one recipient. */
export interface RecipientStatus {
  readonly action: Action;
  /** `5.1.1`; null if absent. */
  readonly status: string | null;
  /** Addresses in lower case and otherwise unchanged; null if absent. */
  readonly finalRecipient: string | null;
  readonly originalRecipient: string | null;
  /** What the reporting server says behind the status, often in brackets; null if nothing. */
  readonly comment: string | null;
  /** The host that gave the diagnostic, in lower case: Remote-MTA, or else Reporting-MTA. */
  readonly remoteMta: string | null;
  /** Null if there is no Diagnostic-Code. */
  readonly diagnostic: Reply | null;
}

/** More than a copy of ours has recipients; a group at the receiver may have more. */
const MAX_RECIPIENTS = 100;
/** UTF-16 code units. */
const MAX_COMMENT = 300;
const STATUS = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)[ \t]*(.*)/s;

/** Wrong names that some servers write. */
const OTHER_NAMES: ReadonlyMap<string, Action> = new Map([
  ['failure', 'failed'],
  ['fail', 'failed'],
  ['delay', 'delayed'],
  ['expired', 'failed'],
  ['bounced', 'failed'],
  ['rejected', 'failed'],
  ['undeliverable', 'failed'],
]);

/** If no word is known, the class of the status decides, and then that of the reply. Class 2 is no failure, whatever the words
 * (`deliverable`). */
const actionOf = (value: string | null, status: string | null, reply: Reply | null): Action | null => {
  const word = /^[a-z]{1,20}/i.exec(value ?? '')?.[0].toLowerCase() ?? '';
  const said = actions.find((action) => action === word) ?? OTHER_NAMES.get(word) ?? null;
  if (status?.startsWith('2')) return said === 'delivered' || said === 'expanded' ? said : 'relayed';
  if (said !== null) return said;
  if (status !== null) return status.startsWith('5') ? 'failed' : 'delayed';
  return reply !== null && reply.code >= 500 ? 'failed' : null;
};

/** Some servers write a letter to people where a reply should be. */
const diagnosticOf = (value: string | null): Reply | null => {
  if (value === null) return null;
  const { text } = typedValue(value);
  return (/^\D{0,3}\d/.test(text) ? null : replyInWords(text)) ?? parseUnfolded(text);
};

const addressOf = (value: string | null): string | null => {
  if (value === null) return null;
  const address = typedValue(value).text.replace(/^<|>$/g, '').toLowerCase();
  return address === '' ? null : address;
};

/** `dns; mx.b.example (192.0.2.1, the server for the domain)` */
const hostOf = (value: string | null): string | null => {
  const host = /^[^\s(,;]{1,255}/.exec(value === null ? '' : typedValue(value).text)?.[0];
  return host?.toLowerCase().replace(/\.$/, '') || null;
};

/** The comment without the marks around it. The look-behind keeps the time linear. */
const commentIn = (words: string): string | null =>
  words.slice(0, MAX_COMMENT).replace(/^[\s(:;-]+|(?<![\s)])[\s)]+$/g, '') || null;

const recipientStatus = (fields: readonly Field[], reportingMta: string | null): RecipientStatus | null => {
  const [, status = null, words = ''] = STATUS.exec(fieldValue(fields, 'status') ?? '') ?? [];
  // Exchange of 2000 and 2003 has only the second one.
  const diagnostic = diagnosticOf(
    fieldValue(fields, 'diagnostic-code') ?? fieldValue(fields, 'x-supplementary-info'),
  );
  const action = actionOf(fieldValue(fields, 'action'), status, diagnostic);
  if (action === null) return null;
  return {
    action,
    status,
    finalRecipient: addressOf(fieldValue(fields, 'final-recipient')),
    originalRecipient: addressOf(fieldValue(fields, 'original-recipient')),
    comment: commentIn(words),
    remoteMta: hostOf(fieldValue(fields, 'remote-mta')) ?? reportingMta,
    diagnostic,
  };
};

/** Each of these fields occurs once for a recipient. One of the two names begins the next recipient if this one already has
 * an action and a name. */
const NAMES = ['original-recipient', 'final-recipient'];
const ONCE = new Set([...NAMES, 'action', 'status']);

/** Only the fields separate recipients, because real reports have missing and additional empty lines. */
const isOfNext = (group: readonly Field[], name: string): boolean => {
  const has = (wanted: string): boolean => fieldValue(group, wanted) !== null;
  if (!ONCE.has(name)) return false;
  return has(name) || (NAMES.includes(name) && has('action') && NAMES.some(has));
};

/** Whether a part has the fields of a recipient, with or without an outcome. */
export const namesRecipients = (part: string): boolean =>
  readFields(part).some(({ name }) => NAMES.includes(name));

/** One entry for each recipient; empty if the part states no outcome. */
export const readDeliveryStatus = (part: string): RecipientStatus[] => {
  const groups: Field[][] = [[]];
  const all = readFields(part);
  for (const field of all) {
    const group = groups.at(-1) ?? [];
    if (isOfNext(group, field.name)) groups.push([field]);
    else group.push(field);
  }
  const reportingMta = hostOf(fieldValue(all, 'reporting-mta'));
  return groups.slice(0, MAX_RECIPIENTS).flatMap((group) => recipientStatus(group, reportingMta) ?? []);
};

export interface Notification {
  readonly action: Extract<Action, 'failed' | 'delivered'>;
  readonly status: string;
  /** A reply line, without line end. */
  readonly diagnostic: string;
  readonly recipient: string;
  /** The name of the reporting host. */
  readonly reportingMta: string;
  /** When the message arrived, ms. */
  readonly arrivedAt: number;
  /** ASCII. */
  readonly words: string;
  readonly originalHead: string;
}

export const writeNotification = (head: ReportHead, notification: Notification): Buffer => {
  const { action, status, diagnostic, recipient, reportingMta, arrivedAt, words, originalHead } =
    notification;
  return writeReport(head, {
    type: 'delivery-status',
    words,
    blocks: [
      [
        ['Reporting-MTA', `dns; ${reportingMta}`],
        ['Arrival-Date', new Date(arrivedAt).toUTCString().replace('GMT', '+0000')],
      ],
      [
        ['Final-Recipient', `rfc822; ${recipient}`],
        ['Action', action],
        ['Status', status],
        ['Diagnostic-Code', `smtp; ${diagnostic}`],
      ],
    ],
    originalHead,
  });
};
