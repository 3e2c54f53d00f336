// An SMTP reply (RFC 5321 §4.2) where it stands among other words: unfolded in a field, or quoted in a letter to people.
// Pure, and linear: lines are cut, and no repetition is unbounded.
import { parseReply, type Reply } from './reply.ts';

/** A reply of several lines on one: `550-5.1.1 one 550 5.1.1 two`. */
export const parseUnfolded = (text: string): Reply => {
  const code = /^(\d{3})[ -]/.exec(text)?.[1];
  const lines = code === undefined ? [text] : text.split(new RegExp(`(?<=\\s)(?=${code}[ -])`));
  return parseReply(lines.map((line) => line.trim()));
};

/** Of a letter, and of each line. */
const MAX_LINES = 300;
const MAX_LINE = 1_000;
/** Lines of one reply, or of the paragraph that bears a code. */
const MAX_REPLY_LINES = 20;

const CODE_AND_STATUS = /(?<![\w.])([45][0-57]\d)[- :]{1,3}#?[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
/** A bare number may be anything: it begins a line, or stands behind what leads to a reply; and it counts nothing. */
const CODE =
  /(?:^[\s>|<-]{0,20}|[:'"(;=>][ \t]?|\b(?:said|returned|error|reply|response):? )([45][0-57]\d)[- :]{1,3}(?=[^\d\s.,:-]|\d{1,3}: )(?!(?:[kmgt]i?)?b(?:ytes?)?\b|sec|min|hours?\b|stunden\b|days?\b|tage|messages?\b)/i;
const STATUS = /(?<![\w.])#?([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/;
/** The other side of a transcript, or the end of what was said. */
const NOT_SAID = /^\s*$|^[^<>]{0,60}(?:-->|<--|>>>|<<<)|^\s*giving up on /i;

/** From `start` on, as far as it is one thing that was said. */
const saidFrom = (lines: readonly string[], start: number): readonly string[] => {
  let end = start + 1;
  while (end < lines.length && end - start < MAX_REPLY_LINES && !NOT_SAID.test(lines[end] ?? '')) end += 1;
  return lines.slice(start, end);
};

const paragraphAround = (lines: readonly string[], at: number): readonly string[] => {
  let start = at;
  while (start > 0 && at - start < MAX_REPLY_LINES && (lines[start - 1] ?? '').trim() !== '') start -= 1;
  return saidFrom(lines, start);
};

/** `##`, `'` and `>` are those of the letter. */
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
    const [, ...more] = saidFrom(lines, index);
    const said = [line.slice(start).replace(/^(\d{3})[- :]{1,3}/, '$1 '), ...more].map((one) => one.trim());
    return withoutClosing(parseUnfolded(said.join(' ')));
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

/** The reply that the words quote: the first with both codes, else with a reply code, else the words around an enhanced
 * status code. Null where there is none of them. */
export const replyInWords = (words: string): Reply | null => {
  const lines = words.split(/\r\n|\r|\n/, MAX_LINES).map((line) => line.slice(0, MAX_LINE));
  return replyAt(lines, CODE_AND_STATUS) ?? replyAt(lines, CODE) ?? statusAt(lines);
};
