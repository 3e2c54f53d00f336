// Reads address fields as mail programs write them (RFC 5322 §3.4, §4.4): it resolves groups, skips empty list entries and
// decodes names (RFC 2047). address.ts parses the addresses. Pure.
import { AddressError, domainName, parseAddress } from './address.ts';
import { cleanText, decodeWords } from './decode-text.ts';
import { type Field, isCutValue } from './field-block.ts';
import type { Mailbox } from './mailbox.ts';
import { withoutInvisibles } from './visible-text.ts';

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

/** UTF-16 code units of a name and of an address. */
const MAX_WRITTEN = 320;
/** Before it is decoded. */
const MAX_ENCODED = 2_000;
/** What a person does not see, and what could therefore make two addresses look like one. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
/** With a space for each comment and its neighbours, as both may be between the parts of an address (RFC 5322 §4.4). */
const withoutComments = (text: string): string => {
  let kept = '';
  for (let index = 0; index < text.length; ) {
    const character = text.charAt(index);
    const end = character === '"' || character === '(' ? behind(text, index) : index + 1;
    kept += character === '(' ? ' ' : text.slice(index, end);
    index = end;
  }
  return kept.replace(/ +/g, ' ');
};

const IN_ANGLES = /^((?:"(?:[^"\\]|\\.)*"|[^"<>])*)<(?: *@[^:<>]*:)?((?:"(?:[^"\\]|\\.)*"|[^"<>])*)> *$/;
/** No @ in quotes: to a person, that is the address of another. */
const ADDRESS = /^("(?:[^"\\@]|\\[^@])+"|[^\s<>(),;:"@\\[\]]+)@([^@]+?)\.?$/;
const LOOKS_LIKE_ADDRESS = /(?<![^\s<>(),;:"@\\[\]])[^\s<>(),;:"@\\[\]]{1,254}@[^\s<>(),;:"@\\[\]]{1,254}/g;
/** Also one to which nothing can be sent. */
const HOST_NAME = /^[\w-]+(?:\.[\w-]+)*$/;
const NEEDLESS_QUOTES = /^"([\w!#$%&'*+\-/=?^`{|}~.]+)"$/;

/** Empty where the text is no address. */
const addressIn = (text: string): string => {
  const [, local = '', host = ''] = ADDRESS.exec(text.trim().replace(/ ?([@.]) ?/g, '$1')) ?? [];
  const domain = domainName(host) ?? (HOST_NAME.test(host) ? host.toLowerCase() : '');
  const address = `${local.replace(NEEDLESS_QUOTES, '$1')}@${domain}`;
  return domain === '' || address.length > MAX_WRITTEN ? '' : address;
};

const shorten = (text: string): string => text.slice(0, MAX_WRITTEN).toWellFormed();
const named = (address: string, written: string): WrittenMailbox => {
  const name = shorten(readName(written.slice(0, MAX_ENCODED).replace(/^["' ]+|["' ]+$/g, '')));
  return name === '' ? { address } : { address, name };
};

/** Programs write a name with empty angle brackets where they know no address. */
const NOTHING = /^[\s"]*$/;

/** Where it cannot be known which address a program shows, each text that looks like one counts. */
const asWritten = (item: string): WrittenMailbox[] => {
  const seen = item.replace(UNSEEN, '');
  const plain = withoutComments(seen);
  const [, before = '', inner = plain] = IN_ANGLES.exec(plain) ?? [];
  const address = addressIn(inner);
  if (address !== '') return [named(address, before)];
  const text = decodeWords(seen.slice(0, MAX_ENCODED)).replace(UNSEEN, '');
  const [first = '', ...others] = (text.match(LOOKS_LIKE_ADDRESS) ?? []).map(addressIn);
  const written = NOTHING.test(inner) ? before : seen;
  const name = first === '' ? written : (/^[^<@]*(?=<)/.exec(seen)?.[0] ?? '');
  return [named(first, name), ...others.map((other) => ({ address: other }))];
};

const firstWritten = (value: string, limit: number): WrittenMailbox[] =>
  itemsIn(value)
    // The last one may be half a mailbox.
    .slice(0, isCutValue(value) ? -1 : undefined)
    .slice(0, limit)
    .flatMap((item) => {
      try {
        const { address, name = '' } = readMailbox(item);
        return [name === '' ? { address } : { address, name: shorten(name) }];
      } catch (error) {
        if (error instanceof AddressError) return asWritten(item);
        throw error;
      }
    })
    .slice(0, limit);

export const MAX_WRITTEN_MAILBOXES = 200;

/** Those of the fields with that name, and no more than the maximum. What is no address is taken as it is written. */
export const writtenMailboxes = (fields: readonly Field[], wanted: string): WrittenMailbox[] => {
  const found: WrittenMailbox[] = [];
  for (const { name, value } of fields)
    if (name === wanted && found.length < MAX_WRITTEN_MAILBOXES)
      found.push(...firstWritten(value, MAX_WRITTEN_MAILBOXES - found.length));
  return found;
};
