// Delivery status notifications (RFC 3464): writes them for one recipient, and reads the fields of one. Finding the part
// in a message, and what a notification means for whom, is not done here. Pure.
import { type Field, fieldValue, readFields, typedValue } from './field-block.ts';
import { parseReply, type Reply } from './reply.ts';
import { type ReportHead, writeReport } from './report.ts';

/** RFC 3464 §2.3.3 */
export const actions = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;
export type Action = (typeof actions)[number];

/** What is said of one recipient. */
export interface RecipientStatus {
  readonly action: Action;
  /** `5.1.1`; null where it gave none. */
  readonly status: string | null;
  /** Addresses as they stand there, in lower case; null where absent. */
  readonly finalRecipient: string | null;
  readonly originalRecipient: string | null;
  /** Whose words the diagnostic is, by name. */
  readonly remoteMta: string | null;
  /** Null where it gave no Diagnostic-Code. */
  readonly diagnostic: Reply | null;
}

/** More than one message of ours has recipients; groups at the other end may have more. */
const MAX_RECIPIENTS = 100;
const STATUS = /^[ \t]*([245]\.\d{1,3}\.\d{1,3})(?!\d)/;

const actionOf = (value: string | null): Action | null => {
  const word = /^[a-z]+/i.exec(value ?? '')?.[0].toLowerCase();
  return actions.find((action) => action === word) ?? null;
};

/** A field of several lines was unfolded: `smtp; 550-5.1.1 one 550 5.1.1 two`. */
const diagnosticOf = (value: string | null): Reply | null => {
  if (value === null) return null;
  const { text } = typedValue(value);
  const code = /^(\d{3})[ -]/.exec(text)?.[1];
  const lines = code === undefined ? [text] : text.split(new RegExp(`(?<=\\s)(?=${code}[ -])`));
  return parseReply(lines.map((line) => line.trim()));
};

const addressOf = (value: string | null): string | null => {
  if (value === null) return null;
  const address = typedValue(value).text.replace(/^<|>$/g, '').toLowerCase();
  return address === '' ? null : address;
};

const recipientStatus = (fields: readonly Field[]): RecipientStatus | null => {
  const action = actionOf(fieldValue(fields, 'action'));
  if (action === null) return null;
  const mta = fieldValue(fields, 'remote-mta');
  return {
    action,
    status: STATUS.exec(fieldValue(fields, 'status') ?? '')?.[1] ?? null,
    finalRecipient: addressOf(fieldValue(fields, 'final-recipient')),
    originalRecipient: addressOf(fieldValue(fields, 'original-recipient')),
    remoteMta: mta === null ? null : typedValue(mta).text.slice(0, 255) || null,
    diagnostic: diagnosticOf(fieldValue(fields, 'diagnostic-code')),
  };
};

/** What begins the fields of a recipient, where the empty line before them is missing. */
const BEGINS = new Set(['original-recipient', 'final-recipient']);

/** By recipient; empty where nothing in the part says what became of one. */
export const readDeliveryStatus = (part: string): RecipientStatus[] => {
  const groups: Field[][] = [[]];
  for (const field of readFields(part)) {
    const group = groups.at(-1) ?? [];
    const isNext =
      BEGINS.has(field.name) &&
      (fieldValue(group, field.name) !== null || fieldValue(group, 'action') !== null);
    if (isNext) groups.push([field]);
    else group.push(field);
  }
  return groups.slice(0, MAX_RECIPIENTS).flatMap((group) => recipientStatus(group) ?? []);
};

/** Which code tells: the status, unless it says nothing (`x.0.0`) and the other side's words do (RFC 3463 §3.1). */
export const replyOf = ({ status, diagnostic }: RecipientStatus): Reply => {
  const enhanced = status === null || /\.0\.0$/.test(status) ? (diagnostic?.enhanced ?? status) : status;
  return { code: diagnostic?.code ?? 0, enhanced, text: diagnostic?.text ?? '' };
};

export interface Notification {
  readonly action: Extract<Action, 'failed' | 'delivered'>;
  readonly status: string;
  /** A reply line, without line end. */
  readonly diagnostic: string;
  readonly recipient: string;
  /** Name of the host that says so. */
  readonly reportingMta: string;
  /** ms: when the message came. */
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
