// Parses replies of SMTP servers (RFC 5321 §4.2) with their enhanced status codes (RFC 3463, RFC 2034), also where a field
// or a letter to people quotes them. The text is cleaned here, so that it can be stored, logged and shown. Pure; linear,
// because lines are cut and no repetition is unbounded. bounce-class.ts classifies replies.

export interface Reply {
  readonly code: number;
  /** `5.1.1`; null if the server gave none. */
  readonly enhanced: string | null;
  /** Text of all lines joined by one space, without codes. */
  readonly text: string;
}

/** Enough for a person; some servers answer with a page of policy. */
const MAX_TEXT_CHARACTERS = 1_000;

const replyLine = /^(\d{3})(?:[ -](.*))?$/s;
/** RFC 2034 §4: class 2, 4 or 5. The class may contradict the reply code (RFC 5248 §2.3 has such pairs). The reply code
 * then decides about retries, but the detail still says what is wrong, so it is kept. Some write it in quotes or brackets. */
const enhancedCode = /^['"([<#]{0,2}([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)[\])>'"#:;,-]{0,2}(?:\s+|$)/;
/** The code in the words of qmail and its like: `sorry, no mailbox here by that name (#5.1.1)`. */
const codeInWords = /#([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)|(?<![\w.])([45]\.[0-7]\.\d{1,3})(?![\w.])/;
const unprintable = /[\p{Cc}\u2028\u2029\s]+/gu;

const clean = (text: string): string => {
  const printable = text.replace(unprintable, ' ').trim();
  return printable.length > MAX_TEXT_CHARACTERS
    ? printable.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()
    : printable;
};

/** `lines` are the lines of one reply without line ends (`250-one`, `250 two`). The code is that of the last line, and 0 if
 * no line has one. Lines without a code count as text. */
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
  const [, marked = null, bare = null] = codeInWords.exec(text) ?? [];
  return { code, enhanced: enhanced ?? marked ?? bare, text };
};

/** `550 5.1.1 User unknown`: the reply on one line, for logs and events. */
export const formatReply = (reply: Reply): string =>
  [String(reply.code), reply.enhanced, reply.text].filter((part) => part !== null && part !== '').join(' ');

/** Where another reply begins inside of a reply: in quotes, or behind words or marks that introduce it. */
const QUOTED_REPLY =
  /(?:^|->|[:'"(;=]|\.{3}|\b(?:said|returned|error|reply|response|reason|was):?)[ \t]?['"]?([45][0-57]\d)[ -](?=['"#]?[45]\.\d{1,3}\.\d|[^\d\s.,:-])/i;
/** Servers quote servers that quote servers. */
const MAX_DEPTH = 4;

/** The innermost reply that the text of a reply quotes is the receiver's own: `550 5.0.350 … -> 550-'5.2.2 mailbox full'`. All
 * the text is kept, because the words around it belong to the same refusal. */
const withQuotedReply = (reply: Reply, depth = 0): Reply => {
  const found = depth < MAX_DEPTH ? QUOTED_REPLY.exec(reply.text) : null;
  const code = found?.[1];
  if (!found || code === undefined) return reply;
  const inner = parseReply([reply.text.slice(found.index + found[0].lastIndexOf(code))]);
  const { code: own, enhanced } = withQuotedReply(inner, depth + 1);
  return { ...reply, code: own, enhanced: enhanced ?? reply.enhanced };
};

/** Parses a reply of several lines that were joined to one: `550-5.1.1 one 550 5.1.1 two`. What follows its last line is
 * another reply. */
export const parseUnfolded = (text: string): Reply => {
  const code = /^(\d{3})[ -]/.exec(text)?.[1];
  if (code === undefined) return withQuotedReply(parseReply([text]));
  const lines = text.split(new RegExp(`(?<![:'"(=>][ \\t]{0,3}|\\.{3}[ \\t])(?<=\\s)(?=${code}[ -])`));
  const last = lines.findIndex((line) => !line.startsWith(`${code}-`));
  const own = last === -1 ? lines : lines.slice(0, last + 1);
  return withQuotedReply(parseReply(own.map((line) => line.trim())));
};

const MAX_LINES = 300;
const MAX_LINE = 1_000;
/** The most lines of one reply, or of the paragraph with a code. */
const MAX_REPLY_LINES = 20;

const CODE_AND_STATUS = /(?<![\w.])([45][0-57]\d)[- :]{1,3}#?[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
/** A bare number can be anything. It counts as a reply code at the start of a line or behind words that introduce a reply,
 * and never before a unit. */
const CODE =
  /(?:^[\s>|<-]{0,20}|[:,'"(;=>][ \t]?|\b(?:said|returned|error|reply|response):? )([45][0-57]\d)[- :]{1,3}(?=[^\d\s.,:-]|\d{1,3}: )(?!(?:[kmgt]i?)?b(?:ytes?)?\b|sec|min|hours?\b|stunden\b|days?\b|tage|messages?\b)/i;
const STATUS = /(?<![\w.])#?([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/;
/** A line that ends a quoted reply: an empty one, a line of the other side in a transcript, or the next recipient. */
const ENDS_REPLY =
  /^\s*$|^[^<>]{0,60}(?:-->|<--|>>>|<<<)|^\s*giving up on |^\s*(?:<[^\s<>]{1,320}@[^\s<>]{1,255}>|[^\s<>@]{1,64}@[^\s<>@]{1,255})\s*:?\s*$|^\s*<[^\s<>]{1,64}@[^\s<>]{1,255}>:/i;

/** The lines from one to the next empty line or recipient. */
const replyLinesFrom = (lines: readonly string[], start: number): readonly string[] => {
  let end = start + 1;
  while (end < lines.length && end - start < MAX_REPLY_LINES && !ENDS_REPLY.test(lines[end] ?? '')) end += 1;
  return lines.slice(start, end);
};

const hasCode = (line: string): boolean => /^\s*[245]\d\d[ -]/.test(line);

/** A line with a reply code of its own begins another reply, unless the one before was not the last of its reply. */
const isOfReply = (line: string, before: string): boolean => {
  const code = /^\s*([245]\d\d)(?=[ -])/.exec(line)?.[1];
  return code === undefined || before.trimStart().startsWith(`${code}-`);
};

const paragraphAround = (lines: readonly string[], at: number): readonly string[] => {
  let start = at;
  while (start > 0 && at - start < MAX_REPLY_LINES && (lines[start - 1] ?? '').trim() !== '') start -= 1;
  return replyLinesFrom(lines, start);
};

/** Closing `##`, `'` and `>` belong to the letter, not to the reply. */
const withoutClosing = (reply: Reply): Reply => ({
  ...reply,
  text: reply.text.replace(/[\s'"#>]{1,10}$/, ''),
});

const replyAt = (lines: readonly string[], pattern: RegExp): Reply | null => {
  for (const [index, line] of lines.entries()) {
    const found = pattern.exec(line);
    const code = found?.[1];
    if (!found || code === undefined) continue;
    const start = found.index + found[0].indexOf(code);
    const all = [line.slice(start), ...replyLinesFrom(lines, index).slice(1)];
    const next = all.findIndex(
      (one, at) => at > 0 && !isOfReply(one, all.slice(0, at).findLast(hasCode) ?? ''),
    );
    const [first = '', ...more] = next === -1 ? all : all.slice(0, next);
    // One server writes a colon behind the code.
    const quoted = [first.replace(/^(\d{3})[ :]{1,3}/, '$1 '), ...more].map((one) => one.trim());
    return withoutClosing(parseUnfolded(quoted.join(' ')));
  }
  return null;
};

const statusAt = (lines: readonly string[]): Reply | null => {
  const index = lines.findIndex((line) => STATUS.test(line));
  if (index === -1) return null;
  const enhanced = STATUS.exec(lines[index] ?? '')?.[1] ?? null;
  const { text } = parseReply([paragraphAround(lines, index).join(' ')]);
  return { code: 0, enhanced, text };
};

/** The reply that a text quotes: the first with both codes, else the first with a reply code, else the paragraph around an
 * enhanced status code. Null if there is none of them. */
export const replyInWords = (words: string): Reply | null => {
  const lines = words.split(/\r\n|\r|\n/, MAX_LINES).map((line) => line.slice(0, MAX_LINE));
  return replyAt(lines, CODE_AND_STATUS) ?? replyAt(lines, CODE) ?? statusAt(lines);
};
