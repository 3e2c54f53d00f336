// Automatic replies (RFC 3834): writes one, and tells one from mail that a person wrote. Pure.
import { type Field, fieldValue } from './field-block.ts';
import { encodeUnstructured } from './header-field.ts';
import { headFields, type ReportHead } from './report.ts';

/** Fields that only automatic replies bear, whatever they say. */
const MARKS = ['x-auto-response-suppress', 'x-autoreply', 'x-autorespond', 'x-ms-exchange-inbox-rules-loop'];
/** As programs begin them; people write `Re:`. */
const SUBJECT =
  /^(?:automatic reply|automatische antwort|abwesenheits(?:notiz|assistent|nachricht)|abwesenheit|autoreply|auto(?:matic)?[- ]re(?:ply|sponse)|out of (?:the )?office|auto|ooo)\s*(?::|$)/i;

/** The first word of Auto-Submitted (RFC 3834 §5), in lower case; null where there is none. */
export const autoSubmitted = (fields: readonly Field[]): string | null =>
  /^[a-z-]+/.exec(fieldValue(fields, 'auto-submitted')?.toLowerCase() ?? '')?.[0] ?? null;

/** Of mail that is no report. */
export const isAutoReply = (fields: readonly Field[]): boolean => {
  const submitted = autoSubmitted(fields);
  if (submitted !== null && submitted !== 'no') return true;
  if (MARKS.some((name) => fieldValue(fields, name) !== null)) return true;
  if (/^auto[_-]reply$/i.test(fieldValue(fields, 'precedence') ?? '')) return true;
  return SUBJECT.test(fieldValue(fields, 'subject') ?? '');
};

export interface AutoReply {
  /** With its angle brackets; null where the message had none. */
  readonly inReplyTo: string | null;
  /** ASCII, CRLF line ends. */
  readonly text: string;
}

export const writeAutoReply = (head: ReportHead, { inReplyTo, text }: AutoReply): Buffer =>
  Buffer.from(
    [
      headFields(head),
      inReplyTo === null ? '' : encodeUnstructured('In-Reply-To', inReplyTo),
      inReplyTo === null ? '' : encodeUnstructured('References', inReplyTo),
      'Auto-Submitted: auto-replied\r\n',
      'Content-Type: text/plain; charset=us-ascii\r\n\r\n',
      `${text}\r\n`,
    ].join(''),
    'latin1',
  );
