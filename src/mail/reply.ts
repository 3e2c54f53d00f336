// A reply of an SMTP server (RFC 5321 §4.2) with its enhanced status code (RFC 3463, RFC 2034), and what parses one.
// The text is cleaned here, once, so that it may be stored, logged and shown. Judging a reply is not done here.

export interface Reply {
  readonly code: number;
  /** `5.1.1`; null where the server gave none. */
  readonly enhanced: string | null;
  /** Text of all lines joined by one space, without codes. */
  readonly text: string;
}

/** What a person still reads; some servers answer with a page of policy. */
const MAX_TEXT_CHARACTERS = 1_000;

const replyLine = /^(\d{3})(?:[ -](.*))?$/s;
/** RFC 2034 §4: class 2, 4 or 5. Its class may contradict the reply code (RFC 5248 §2.3 knows such pairs): the code then
 * decides on trying again, and the detail still says what is wrong, so that it is kept. */
const enhancedCode = /^#?([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;
/** Where qmail and its like write it: `sorry, no mailbox here by that name (#5.1.1)`. */
const codeInWords = /#([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)/;
const unprintable = /[\p{Cc}\u2028\u2029\s]+/gu;

const clean = (text: string): string => {
  const printable = text.replace(unprintable, ' ').trim();
  return printable.length > MAX_TEXT_CHARACTERS
    ? printable.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()
    : printable;
};

/** `lines` are those of one reply, without line ends (`250-one`, `250 two`). The code is that of the last line; lines
 * without a code count as text. Code 0 where no line has one. */
export const parseReply = (lines: readonly string[]): Reply => {
  let code = 0;
  let enhanced: string | null = null;
  const texts: string[] = [];
  for (const line of lines) {
    const parts = replyLine.exec(line);
    let text = parts === null ? line : (parts[2] ?? '');
    if (parts !== null) code = Number(parts[1]);
    const status = enhancedCode.exec(text);
    if (status !== null) {
      enhanced ??= status[1] ?? null;
      text = text.slice(status[0].length);
    }
    if (text !== '') texts.push(text);
  }
  const text = clean(texts.join(' '));
  return { code, enhanced: enhanced ?? codeInWords.exec(text)?.[1] ?? null, text };
};

/** `550 5.1.1 User unknown`: the reply on one line, for logs and events. */
export const formatReply = (reply: Reply): string =>
  [String(reply.code), reply.enhanced, reply.text].filter((part) => part !== null && part !== '').join(' ');
