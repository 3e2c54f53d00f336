// Reads address fields as mail programs write them (RFC 5322 §3.4, §4.4): it resolves groups, skips empty list entries and
// decodes names (RFC 2047). address.ts parses the addresses. Pure.
import { AddressError, parseAddress, withoutInvisibles } from './address.ts';
import { cleanText, decodeWords } from './decode-text.ts';
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

const readName = (name: string): string => cleanText(withoutInvisibles(decodeWords(name)));

const Q_WORD = /=\?[^?\s]{1,80}\?q\?[^?\s]{0,8000}\?=/gi;
/** RFC 2047 §5 (3) requires these characters to be encoded, and some programs do not; they would end the name. */
const withoutSpecials = (value: string): string =>
  value.replace(Q_WORD, (word) =>
    word.replace(/[,:;<>()@"[\]\\]/g, (special) => `=${special.charCodeAt(0).toString(16)}`),
  );

const readMailbox = (item: string): Mailbox => {
  const { address, name } = parseAddress(item);
  const shown = name === undefined ? '' : readName(name);
  return shown === '' ? { address } : { address, name: shown };
};

const itemsIn = (value: string): string[] => itemsOf(withoutSpecials(value.replace(/\t/g, ' ')));

/** `value` is unfolded. @throws AddressError */
export const readMailboxes = (value: string): Mailbox[] => itemsIn(value).map(readMailbox);

/** A mailbox in received mail, as it is written: perhaps one to which nothing can be sent (`root@localhost`). */
export interface WrittenMailbox {
  /** Empty where there is none beside the name. */
  readonly address: string;
  readonly name?: string;
}

/** UTF-16 code units of a name and of what is written in the place of an address. */
const MAX_WRITTEN = 320;
/** Before it is decoded. */
const MAX_ENCODED = 2_000;
const IN_ANGLES = /^([^<]*)<([^<>]*)>/;
const BARE = /^[^\s<>"()]+@[^\s<>"()]+$/;

const orAsWritten = <T>(read: () => T, asWritten: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof AddressError) return asWritten();
    throw error;
  }
};

const shorten = (text: string): string => text.slice(0, MAX_WRITTEN).toWellFormed();

const asWritten = (item: string): WrittenMailbox => {
  const [, before = item, inner = ''] = IN_ANGLES.exec(item) ?? (BARE.test(item) ? ['', '', item] : []);
  const address = orAsWritten(
    () => parseAddress(inner).address,
    () => shorten(readName(inner)),
  );
  return { address, name: readName(before.slice(0, MAX_ENCODED).replace(/^["' ]+|["' ]+$/g, '')) };
};

/** As `readMailboxes`, but only the first ones, and what is no address is taken as it is written. */
export const writtenMailboxes = (value: string, limit: number): WrittenMailbox[] =>
  itemsIn(value)
    .slice(0, limit)
    .map((item) => {
      const { address, name = '' } = orAsWritten<WrittenMailbox>(
        () => readMailbox(item),
        () => asWritten(item),
      );
      return name === '' ? { address } : { address, name: shorten(name) };
    });
