// Parses addresses as people and programs type them: the mailbox lists of RFC 5322 §3.4, but with a narrower syntax of
// addresses. Quoted local parts, groups, source routes and IP literals are refused, because parsers disagree on them, and
// mail could then reach a person the sender did not mean. Nothing is guessed or repaired. header-field.ts writes mailboxes.
import { domainToASCII, domainToUnicode } from 'node:url';
import type { Address, Mailbox } from './mailbox.ts';
import { withoutInvisibles } from './visible-text.ts';

/** RFC 5321 §4.5.3.1.1, octets. */
const LOCAL_PART_LIMIT = 64;
/** RFC 1035 §2.3.4, octets. */
const DOMAIN_LIMIT = 255;
/** RFC 5321 §4.5.3.1.3 allows a path of 256 octets, two of which are its angle brackets. */
const PATH_LIMIT = 254;
/** UTF-16 code units: some 1,000 mailboxes with names, more than a message may have recipients. */
const INPUT_LIMIT = 65_536;
/** The most UTF-16 code units of the input that an error message repeats. */
const QUOTE_LIMIT = 80;

const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const DOT_ATOM =
  /^[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+(?:\.[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+)*$/u;
export const isDotAtom = (text: string): boolean => DOT_ATOM.test(text);
const BLANK_OR_UNASSIGNED = /[\p{Z}\p{C}]/u;
const NON_ASCII = /[^\0-\x7f]/;
const DOMAIN_TEXT = /^[a-z0-9.\-\u0080-\u{10ffff}]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** URL parsers, and so some programs behind us, read such a label as the last number of an IPv4 address. */
const NUMBER_LABEL = /^(?:\d+|0x[0-9a-f]*)$/;
/** Most addresses match this and pass every check of an address, all of which read it again. */
const USUAL =
  /^(?=[^@]{1,64}@)(?=.{1,254}$)(?!.*[@.]xn--)[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*(@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{1,63})$/i;
/** The same of domain names. */
const USUAL_DOMAIN = /^(?=.{1,255}$)(?!(?:.*\.)?xn--)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{1,63}$/;
const WORD = /[^ ()<>[\]:;,"\\]+/y;

/** Says which part of the text is wrong and why, in words for the person who typed it. */
export class AddressError extends Error {
  /** The message with its values apart, as `say` has it. */
  readonly text: { readonly key: string; readonly values: readonly (string | number)[] };

  /** `problem`: a sentence with `{}` in the place of the part, then of the value. */
  constructor(part: string, problem: string, value: string | number = '') {
    const shown = part.length > QUOTE_LIMIT ? `${part.slice(0, QUOTE_LIMIT)}…` : part;
    const quoted = JSON.stringify(withoutInvisibles(shown).toWellFormed());
    const values = [quoted, value];
    let next = 0;
    super(problem.replaceAll('{}', () => String(values[next++])));
    this.name = 'AddressError';
    this.text = { key: problem, values };
  }
}

interface Token {
  /** `special` is one of `< > , : ; [ ] \ )`. */
  readonly kind: 'word' | 'quoted' | 'special';
  readonly text: string;
  /** Whether white space or a comment comes before it. */
  readonly apart: boolean;
}

/** The index behind the comment that opens at `start`; comments nest (RFC 5322 §3.2.2). */
const skipComment = (text: string, start: number): number => {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === '\\') index++;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return index + 1;
  }
  throw new AddressError(text.slice(start), '{} has a comment that is not closed');
};

const readQuoted = (text: string, start: number): { value: string; end: number } => {
  let value = '';
  for (let index = start + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') return { value, end: index + 1 };
    value += character === '\\' ? text.charAt(++index) : character;
  }
  throw new AddressError(text.slice(start), '{} has a quoted name that is not closed');
};

const tokenize = (text: string): Token[] => {
  const tokens: Token[] = [];
  let apart = false;
  let index = 0;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === ' ') {
      apart = true;
      index++;
    } else if (character === '(') {
      apart = true;
      index = skipComment(text, index);
    } else if (character === '"') {
      const { value, end } = readQuoted(text, index);
      tokens.push({ kind: 'quoted', text: value, apart });
      apart = false;
      index = end;
    } else {
      WORD.lastIndex = index;
      const word = WORD.exec(text)?.[0];
      tokens.push({ kind: word === undefined ? 'special' : 'word', text: word ?? character, apart });
      apart = false;
      index += word?.length ?? 1;
    }
  }
  return tokens;
};

const parseDomain = (typed: string): string => {
  // The IDNA function treats its input as the host of a URL: it resolves escapes and stops at `/`.
  const lower = typed.toLowerCase();
  if (USUAL_DOMAIN.test(lower)) return lower;
  const foreign = NON_ASCII.test(lower) || /(?:^|\.)xn--/.test(lower);
  if (foreign && (!DOMAIN_TEXT.test(lower) || BLANK_OR_UNASSIGNED.test(lower))) {
    throw new AddressError(typed, '{} is not a domain name');
  }
  const domain = foreign ? domainToASCII(typed) : lower;
  const labels = domain.split('.');
  if (!labels.every((label) => LABEL.test(label))) throw new AddressError(typed, '{} is not a domain name');
  if (labels.length < 2) throw new AddressError(typed, '{} is not a full domain name');
  if (NUMBER_LABEL.test(labels.at(-1) ?? ''))
    throw new AddressError(typed, '{} is an IP address, not a domain name');
  if (domain.length > DOMAIN_LIMIT)
    throw new AddressError(typed, '{} is longer than {} octets', DOMAIN_LIMIT);
  return domain;
};

const parseAddrSpec = (typed: string): Address => {
  const domain = USUAL.exec(typed)?.[1];
  if (domain !== undefined) return (typed.slice(0, -domain.length) + domain.toLowerCase()) as Address;
  const at = typed.indexOf('@');
  if (at === -1) throw new AddressError(typed, '{} has no @');
  if (typed.indexOf('@', at + 1) !== -1) throw new AddressError(typed, '{} has more than one @');
  const localPart = typed.slice(0, at).normalize('NFC');
  if (localPart === '') throw new AddressError(typed, '{} has nothing before the @');
  if (at === typed.length - 1) throw new AddressError(typed, '{} has no domain after the @');
  if (!DOT_ATOM.test(localPart) || (NON_ASCII.test(localPart) && BLANK_OR_UNASSIGNED.test(localPart))) {
    throw new AddressError(typed, '{} has characters or dots before the @ that an address cannot have there');
  }
  if (Buffer.byteLength(localPart) > LOCAL_PART_LIMIT) {
    throw new AddressError(typed, '{} has more than {} octets before the @', LOCAL_PART_LIMIT);
  }
  const address = `${localPart}@${parseDomain(typed.slice(at + 1))}`;
  if (Buffer.byteLength(address) > PATH_LIMIT)
    throw new AddressError(typed, '{} is longer than {} octets', PATH_LIMIT);
  return address as Address;
};

const refuseSpecial = ({ text: special }: Token, before: readonly Token[], shown: string): never => {
  if (special === ':' || special === ';')
    throw new AddressError(shown, '{} is a group or a route; list its addresses');
  if (special === '[' && before.at(-1)?.text.endsWith('@')) {
    throw new AddressError(shown, '{} has an IP literal as its domain');
  }
  throw new AddressError(shown, '{} has a {} in an unquoted name', special);
};

const show = (tokens: readonly Token[]): string =>
  tokens
    .map(({ kind, text, apart }) => (apart ? ' ' : '') + (kind === 'quoted' ? `"${text}"` : text))
    .join('')
    .trim();

const parseBare = (tokens: readonly Token[]): Mailbox => {
  const [first, second] = tokens;
  if (first === undefined) throw new AddressError('', '{} is empty where an address should be');
  if (first.kind === 'quoted' && second?.text.startsWith('@')) {
    throw new AddressError(show(tokens), '{} has a quoted part before the @');
  }
  if (first.kind === 'quoted' || second !== undefined) {
    throw new AddressError(
      show(tokens),
      '{} is not an address; put the address in <>, and a name with commas in quotes',
    );
  }
  return { address: parseAddrSpec(first.text) };
};

/** The tokens between two commas. */
const parseMailbox = (tokens: readonly Token[]): Mailbox => {
  const open = tokens.findIndex(({ kind, text }) => kind === 'special' && text === '<');
  const words = open === -1 ? tokens : tokens.slice(0, open);
  for (const [index, token] of words.entries()) {
    if (token.kind === 'special') refuseSpecial(token, words.slice(0, index), show(tokens));
  }
  if (open === -1) return parseBare(words);

  const [inner, close, ...rest] = tokens.slice(open + 1);
  if (inner?.kind === 'quoted') throw new AddressError(show(tokens), '{} has a quoted part before the @');
  if (inner?.kind === 'special' && inner.text === '>')
    throw new AddressError(show(tokens), '{} has no address in <>');
  if (inner?.kind !== 'word' || close?.kind !== 'special') {
    throw new AddressError(show(tokens), '{} has something else than one address in <>');
  }
  if (close.text !== '>') refuseSpecial(close, [inner], show(tokens));
  if (rest.length > 0) throw new AddressError(show(tokens), '{} has something after the address');
  if (words.some(({ kind, text }) => kind === 'word' && text.includes('@'))) {
    throw new AddressError(show(tokens), '{} has an @ in an unquoted name');
  }
  const name = withoutInvisibles(words.map(({ text, apart }) => (apart ? ' ' : '') + text).join('')).trim();
  const address = parseAddrSpec(inner.text);
  return name === '' ? { address } : { address, name };
};

/** One or more mailboxes separated by commas. Names are unquoted; encoded-words (RFC 2047) in them stay as typed.
 * @throws AddressError */
export const parseAddressList = (text: string): Mailbox[] => {
  if (text.length > INPUT_LIMIT) throw new AddressError(text, '{} is longer than {} characters', INPUT_LIMIT);
  if (CONTROL.test(text)) throw new AddressError(text, '{} has a control character or a line break');
  if (!text.isWellFormed()) throw new AddressError(text, '{} is not valid Unicode');
  const mailboxes: Mailbox[] = [];
  let current: Token[] = [];
  for (const token of tokenize(text)) {
    if (token.kind === 'special' && token.text === ',') {
      mailboxes.push(parseMailbox(current));
      current = [];
    } else {
      current.push(token);
    }
  }
  mailboxes.push(parseMailbox(current));
  return mailboxes;
};

/** Exactly one mailbox: `a@b.de` or `Name <a@b.de>`.
 * @throws AddressError */
export const parseAddress = (text: string): Mailbox => {
  const [mailbox, ...others] = parseAddressList(text);
  if (mailbox === undefined || others.length > 0) throw new AddressError(text, '{} is more than one address');
  return mailbox;
};

/** A typed domain name in lower-case A-labels; null if mail cannot be sent there. */
export const domainName = (text: string): string | null => {
  try {
    return parseDomain(text);
  } catch (error) {
    if (error instanceof AddressError) return null;
    throw error;
  }
};

/** The domain in lower-case A-labels. */
export const addressDomain = (address: Address): string => address.slice(address.lastIndexOf('@') + 1);

/** The key by which addresses are compared. Local parts may be case-sensitive in theory (RFC 5321 §2.4), but are not at any
 * receiver that matters, and another spelling must not evade a suppression. */
export const addressKey = (address: Address): string => address.toLowerCase();

/** The name of a mailbox: the local part without its plus-part. */
export const mailboxName = (localPart: string): string =>
  localPart.normalize('NFC').toLowerCase().split('+', 1)[0] ?? '';

/** The form in which addresses that lead to the same mailbox are compared: without the plus-part. */
export const mailboxOf = (address: string): string => {
  const at = address.lastIndexOf('@');
  return `${mailboxName(address.slice(0, at))}@${address.slice(at + 1).toLowerCase()}`;
};

/** Whether the address needs a server that offers SMTPUTF8 (RFC 6531). */
export const needsSmtpUtf8 = (address: Address): boolean => NON_ASCII.test(address);

/** `erika.muster@praxis.example` becomes `e…@praxis.example`, with the domain in U-labels: enough for those who know the
 * address, for places where others can read it or where it cannot be erased later. */
export const maskAddress = (address: Address): string => {
  const domain = addressDomain(address);
  const local = [...address.slice(0, -domain.length - 1)];
  const shown = local.length > 1 ? local[0] : '';
  return `${shown}…@${domainToUnicode(domain)}`;
};
