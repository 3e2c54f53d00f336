// The header field Authentication-Results (RFC 8601): ours is written, and those of the incoming mail that claim to be ours are
// removed (§5), because programs that read the mail trust them. Pure.
import type { MailAuth, MailEnvelope } from '../mail.ts';

/** RFC 2045 §5.1; what is longer is no name that a reader needs. */
const TOKEN = /^[!#$%&'*+.0-9A-Z^_`a-z{|}~-]{1,255}$/;
const PRINTABLE = /^[ -~]{1,255}$/;

/** ` ptype.property=value`, or nothing where the value cannot be written: values are a stranger's. */
const property = (name: string, value: string | null): string => {
  if (value === null || !PRINTABLE.test(value)) return '';
  return ` ${name}=${TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
};

/** The field ends with its CRLF. `authservId`: the service's host. */
export const resultsField = (
  authservId: string,
  { spf, dkim, dmarc, arc, iprev }: MailAuth,
  envelope: MailEnvelope,
): string => {
  const identity = envelope.mailFrom === '' ? 'smtp.helo' : 'smtp.mailfrom';
  const policy = dmarc.policy === null ? '' : ` (p=${dmarc.policy})`;
  const signatures = dkim.map(
    ({ result, domain, selector }) =>
      `dkim=${result}${property('header.d', domain)}${property('header.s', selector)}`,
  );
  const methods = [
    `spf=${spf.result}${property(identity, spf.domain)}`,
    ...(signatures.length === 0 ? ['dkim=none'] : signatures),
    `dmarc=${dmarc.result}${policy}${property('header.from', dmarc.domain)}`,
    ...(arc.result === 'none' ? [] : [`arc=${arc.result}`]),
    `iprev=${iprev.result}${property('policy.iprev', envelope.clientAddress)}`,
  ];
  return `Authentication-Results: ${[authservId, ...methods].join(';\r\n ')}\r\n`;
};

const FIELD = /^authentication-results[ \t\r\n]*:/i;
const FIELD_START = /(?:^|\n)authentication-results/i;

/** What follows white space and comments, which nest (RFC 5322 §3.2.2); nothing where one is not closed. */
const behindComments = (text: string): string => {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '(') depth += 1;
    else if (depth === 0 && /\S/.test(character)) return text.slice(index);
    else if (character === ')') depth -= 1;
    else if (character === '\\') index += 1;
  }
  return '';
};

/** A token, or a quoted string (RFC 8601 §2.2). */
const AUTHSERV_ID = /^"(?:[^"\\]|\\.)*|^[^\s;("]*/s;

/** UTF-16 code units; where so many come before the authserv-id, the syntax counts as broken. */
const MAX_READ = 2_000;
/** No program reads a longer header for results, and ours are on top of it. */
const MAX_HEADER_BYTES = 1_048_576;

/** Whether a program might read that name as the authserv-id. Where the syntax is broken, its appearance is enough. */
const claims = (field: string, authservId: string): boolean => {
  const value = field.slice(field.indexOf(':') + 1).toLowerCase();
  const id = authservId.toLowerCase();
  const text = behindComments(value.slice(0, MAX_READ));
  if (text === '') return value.includes(id);
  const read = AUTHSERV_ID.exec(text)?.[0].replace(/["\\]/g, '').trim();
  return read === id || read === `${id}.`;
};

/** The mail without such fields of ours, otherwise byte for byte; the same buffer where there are none. */
export const withoutOwnResults = (content: Buffer, authservId: string): Buffer => {
  // An empty line at the beginning: there is no header.
  const end = content.indexOf('\r\n') === 0 ? 0 : content.indexOf('\r\n\r\n') + 2;
  const headEnd = Math.min(end === 1 ? content.length : end, MAX_HEADER_BYTES);
  const head = content.toString('latin1', 0, headEnd);
  if (!FIELD_START.test(head)) return content;
  const kept: Buffer[] = [];
  let from = 0;
  for (let start = 0; start < headEnd; ) {
    let next = head.indexOf('\r\n', start);
    while (next !== -1 && /[ \t]/.test(head.charAt(next + 2))) next = head.indexOf('\r\n', next + 2);
    const behind = next === -1 ? headEnd : next + 2;
    const field = head.slice(start, behind);
    if (FIELD.test(field) && claims(field, authservId)) {
      kept.push(content.subarray(from, start));
      from = behind;
    }
    start = behind;
  }
  return kept.length === 0 ? content : Buffer.concat([...kept, content.subarray(from)]);
};
