// Reads address fields as mail programs write them (RFC 5322 §3.4, §4.4): it resolves groups, skips empty list entries and
// decodes names (RFC 2047). address.ts parses the addresses. Pure.
import { parseAddress, withoutInvisibles } from './address.ts';
import { decodeWords } from './decode-text.ts';
import type { Mailbox } from './mailbox.ts';

/** The index behind the quoted string or comment that opens at `start`, or the end of the text if it is not closed. */
const behind = (text: string, start: number): number => {
  const isQuoted = text[start] === '"';
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (isQuoted && character === '"' && index > start) return index + 1;
    else if (!isQuoted && character === '(') depth += 1;
    else if (!isQuoted && character === ')') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return text.length;
};

/** The text of each mailbox; the names of groups are dropped. */
const itemsOf = (text: string): string[] => {
  const items: string[] = [];
  let start = 0;
  let inAngles = false;
  for (let index = 0; index < text.length; ) {
    const character = text.charAt(index);
    if (character === '"' || character === '(') {
      index = behind(text, index);
      continue;
    }
    if (character === '<' || character === '>') inAngles = character === '<';
    else if (!inAngles && ',;:'.includes(character)) {
      if (character !== ':') items.push(text.slice(start, index));
      start = index + 1;
    }
    index += 1;
  }
  items.push(text.slice(start));
  return items.map((item) => item.trim()).filter((item) => item !== '');
};

const CONTROLS = /\p{Cc}+/gu;
const readName = (name: string): string =>
  withoutInvisibles(decodeWords(name).replace(CONTROLS, ' ')).toWellFormed().trim();

const Q_WORD = /=\?[^?\s]{1,80}\?q\?[^?\s]{0,8000}\?=/gi;
/** RFC 2047 §5 (3) requires these characters to be encoded, and some programs do not; they would end the name. */
const withoutSpecials = (value: string): string =>
  value.replace(Q_WORD, (word) =>
    word.replace(/[,:;<>()@"[\]\\]/g, (special) => `=${special.charCodeAt(0).toString(16)}`),
  );

/** `value` is unfolded. @throws AddressError */
export const readMailboxes = (value: string): Mailbox[] =>
  itemsOf(withoutSpecials(value.replace(/\t/g, ' '))).map((item) => {
    const { address, name } = parseAddress(item);
    const shown = name === undefined ? '' : readName(name);
    return shown === '' ? { address } : { address, name: shown };
  });
