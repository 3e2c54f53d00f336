// An error of the service as the reply that refuses a command: reply code and enhanced status code of the one table, then
// `<code>: <error> <hint>` on one line of ASCII. Pure.
import { type AppError, errorTable } from '#src/kernel/errors.ts';
import { SmtpRefusal } from './read-data.ts';

/** RFC 5321 §4.5.3.1.5 allows 512 octets with the codes and CRLF. */
const MAX_TEXT = 450;

const NOT_PRINTABLE = /[^\x20-\x7e]+/g;

/** Umlauts lose their dots, quotation marks their shape; all else that is not ASCII becomes `?`. */
const toAscii = (text: string): string =>
  text
    .replace(/[„“”«»]/g, '"')
    .replace(/ß/g, 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(NOT_PRINTABLE, (found) => (found.trim() === '' ? ' ' : '?'));

const shorten = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 3)}...`;

export const refusalOf = ({ code, message, hint }: AppError): SmtpRefusal => {
  const { smtp } = errorTable[code];
  const [reply = '', status = ''] = smtp.split(' ');
  return new SmtpRefusal(Number(reply), shorten(toAscii(`${status} ${code}: ${message} ${hint}`)));
};
