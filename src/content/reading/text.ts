// Reads a text once: its words as numbers of a vocabulary, and unusual spelling such as capitals and hidden characters. It
// needs linear time and reads at most the first 64 Ki code units. Pure.

import { domainToUnicode } from 'node:url';
import { entries, entryOfCode, hashing, hashOf, NUMBER, type Vocabulary } from './vocabulary.ts';

// Constants of this module are compiled into the loop; those of another would be looked up for each character.
const { CAPITAL, CYRILLIC, SILENT, INVISIBLE, SIGN, DIGIT, EXCLAMATION, SPACE } = entries;
const { KIND, FIRST_LETTER, SECOND_LETTER, PLAIN } = entries;
const { FIRST_FACTOR, SECOND_FACTOR } = hashing;

/** UTF-16 code units, more than people and filters read of a mail. */
export const TEXT_LOOKED_AT = 65_536;

export interface TextReading {
  /** The number of words, numbers and signs. */
  readonly count: number;
  /** Each of them is its number in the vocabulary. */
  readonly ids: Uint16Array;
  /** A value for each word of at least `LONG_WORD` characters that differs for most words. */
  readonly marks: Uint16Array;
  readonly letters: number;
  readonly capitals: number;
  readonly exclamations: number;
  /** The number of words with an invisible character between their letters. */
  readonly splitWords: number;
  /** The number of words with Latin and Cyrillic letters. */
  readonly mixedWords: number;
  /** Runs of at least `SPACED_LETTERS` single letters with one separator between each two. */
  readonly spacedWords: readonly string[];
  /** The longest run without white space that is not a link, in code units. */
  readonly longestRun: number;
}

/** Scratch space: the code units of the text, and what is found in it, which is not more. Each reading uses it again. */
const codes = new Uint16Array(TEXT_LOOKED_AT + 1);
const bytes = Buffer.from(codes.buffer);
const ids = new Uint16Array(TEXT_LOOKED_AT);
const marks = new Uint16Array(TEXT_LOOKED_AT);

/** Shorter words do not help to compare two texts. */
const LONG_WORD = 6;
const SPACED_LETTERS = 5;
/** Shorter runs are usual. */
const LONG_RUN = 100;
const FULL_STOP = 46;
const COMMA = 44;
const LINE_FEED = 10;

const isLink = (text: string, start: number): boolean => {
  const run = text.slice(start, start + LONG_RUN);
  return run.includes('://') || run.includes('www.');
};

/** Made of the first, the middle and the last but one letter and of the length. */
const markOf = (start: number, end: number): number => {
  const first = (entryOfCode[codes[start] ?? 0] ?? 0) & FIRST_LETTER;
  const middle = codes[(start + end) >> 1] ?? 0;
  const nextToLast = codes[end - 2] ?? 0;
  return (Math.imul(first, 2_531) + Math.imul(middle, 547) + Math.imul(nextToLast, 59) + end - start) | 1;
};

/** Collects runs of single letters that have one separator between each two. */
class SpacedLetters {
  readonly found: string[] = [];
  #count = 0;
  #start = 0;
  #end = -2;

  add(text: string, start: number): void {
    if (start !== this.#end + 1 || text.charCodeAt(this.#end) === LINE_FEED) this.close(text);
    if (this.#count === 0) this.#start = start;
    this.#count += 1;
    this.#end = start + 1;
  }

  close(text: string): void {
    if (this.#count >= SPACED_LETTERS) this.found.push(text.slice(this.#start, this.#end));
    this.#count = 0;
  }
}

const kindAt = (at: number): number => (entryOfCode[codes[at] ?? 0] ?? 0) & KIND;

/** Whether an invisible character is between the word's letters. Such characters behind the word do not count. */
const isSplit = (start: number, end: number): boolean => {
  for (let at = start + 1; at < end; at += 1) {
    if (kindAt(at) === INVISIBLE) return true;
  }
  return false;
};

const trimmedEnd = (end: number): number => {
  let at = end;
  while (kindAt(at - 1) === INVISIBLE) at -= 1;
  return at;
};

const numberEnd = (start: number): number => {
  let at = start + 1;
  for (;;) {
    const code = codes[at] ?? 0;
    if (kindAt(at) === DIGIT) at += 1;
    else if ((code === FULL_STOP || code === COMMA) && kindAt(at + 1) === DIGIT) at += 2;
    else return at;
  }
};

/** This is one loop with local variables, because every message passes here and closures would double its time. */
export const readText = (whole: string, vocabulary: Vocabulary): TextReading => {
  const text = whole.length > TEXT_LOOKED_AT ? whole.slice(0, TEXT_LOOKED_AT) : whole;
  const end = text.length;
  bytes.write(text, 'utf16le');
  // The code behind the end is a separator.
  codes[end] = 0;
  const table = entryOfCode;
  const read = codes;
  const spaced = new SpacedLetters();
  let count = 0;
  let long = 0;
  let letters = 0;
  let capitals = 0;
  let exclamations = 0;
  let splitWords = 0;
  let mixedWords = 0;
  let longestRun = 0;
  let runStart = 0;

  let at = 0;
  // One more round: the separator behind the end ends the last run.
  while (at <= end) {
    // All indexes are within the tables. A default would cost a sixth of the whole loop.
    let entry = table[read[at] as number] as number;
    if (entry < SILENT) {
      const start = at;
      let first = 0;
      let second = 0;
      let silent = 0;
      let cyrillic = 0;
      let isPlain = true;
      do {
        if (entry >= PLAIN) {
          const kind = entry & KIND;
          if (kind === CAPITAL) capitals += 1;
          else if (kind === CYRILLIC) cyrillic += 1;
          else if (kind >= SILENT) silent += 1;
          if (kind >= SILENT || (entry & SECOND_LETTER) !== 0) isPlain = false;
        }
        // Most letters are small and need no further work.
        do {
          first = Math.imul(first ^ (entry & FIRST_LETTER), FIRST_FACTOR);
          second = Math.imul(second ^ (entry & FIRST_LETTER), SECOND_FACTOR);
          at += 1;
          entry = table[read[at] as number] as number;
        } while (entry < PLAIN);
      } while (entry < SIGN);
      const wordEnd = silent === 0 ? at : trimmedEnd(at);
      if (!isPlain) {
        first = hashOf(codes, start, wordEnd, FIRST_FACTOR);
        second = hashOf(codes, start, wordEnd, SECOND_FACTOR);
        if (silent > 0 && isSplit(start, wordEnd)) splitWords += 1;
      }
      const length = at - start - silent;
      if (cyrillic > 0 && cyrillic < length) mixedWords += 1;
      letters += length;
      ids[count] = vocabulary.idOf(first, second);
      if (length >= LONG_WORD) {
        marks[long] = markOf(start, wordEnd);
        long += 1;
      } else if (length === 1) spaced.add(text, start);
      count += 1;
    } else if ((entry & KIND) === DIGIT) {
      at = numberEnd(at);
      ids[count] = NUMBER;
      count += 1;
    } else {
      const kind = entry & KIND;
      if (kind === SPACE || at === end) {
        const run = at - runStart;
        if (run > LONG_RUN && run > longestRun && !isLink(text, runStart)) longestRun = run;
        runStart = at + 1;
      } else if (kind === EXCLAMATION) exclamations += 1;
      else if (kind === SIGN) {
        ids[count] = vocabulary.idOf(
          hashOf(codes, at, at + 1, FIRST_FACTOR),
          hashOf(codes, at, at + 1, SECOND_FACTOR),
        );
        count += 1;
      }
      at += 1;
    }
  }
  spaced.close(text);
  return {
    count,
    ids: ids.slice(0, count),
    marks: marks.slice(0, long),
    letters,
    capitals,
    exclamations,
    splitWords,
    mixedWords,
    spacedWords: spaced.found,
    longestRun,
  };
};

// Parses links: the scheme, the host as A-labels, and signs that the host is disguised. Pure.

export interface Link {
  /** The scheme in lower case and without the colon; a relative link has none. */
  readonly scheme: string;
  /** Lower-case A-labels or an IP address; null if the link has no host. */
  readonly host: string | null;
  /** There is a user name before the host: `https://bank.example@other.example/`. */
  readonly hasUserInfo: boolean;
  /** The text that is shown for it; null if it cannot be clicked, or if the text is the link itself. */
  readonly text: string | null;
}

/** Most links match this, so that few need the URL parser. */
const USUAL =
  /^(https?):\/\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.[a-z]{2,63})(?:[/?#]|$)/i;
const SCHEME = /^([a-z][a-z0-9+.-]{0,30}):/i;
/** Browsers ignore them inside of a URL (URL Standard 4.4). */
const SKIPPED = /[\t\n\r]/g;
const LEADING = /^[\0-\x20]+/;

const none = (scheme: string, text: string | null): Link => ({
  scheme,
  host: null,
  hasUserInfo: false,
  text,
});

/** `target` is decoded and may be relative. */
export const parseLink = (target: string, text: string | null): Link => {
  const usual = USUAL.exec(target);
  if (usual) {
    const [, scheme = '', host = ''] = usual;
    return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), hasUserInfo: false, text };
  }
  const cleaned = target.replace(LEADING, '').replace(SKIPPED, '');
  const absolute = cleaned.startsWith('//') ? `https:${cleaned}` : cleaned;
  const scheme = SCHEME.exec(absolute)?.[1]?.toLowerCase() ?? '';
  if (scheme !== 'http' && scheme !== 'https') return none(scheme, text);
  const url = URL.parse(absolute);
  if (url === null || url.hostname === '') return none(scheme, text);
  const host = url.hostname.replace(/\.$/, '');
  return { scheme, host, hasUserInfo: url.username !== '' || url.password !== '', text };
};

/** The most links that are read in a text. */
const MAX_TEXT_LINKS = 500;
const TEXT_LINK = /(?:https?:\/\/|www\.)[^\s<>"\u00a0]{1,2000}/gi;
const TRAILING = /[.,;:!?)\]}'»“”*_]{1,20}$/;

export const linksInText = (text: string): Link[] => {
  // Most texts have no link, and this check is ten times as fast.
  if (!text.includes('://') && !/www\./i.test(text)) return [];
  const links: Link[] = [];
  for (const [found] of text.matchAll(TEXT_LINK)) {
    if (links.length >= MAX_TEXT_LINKS) break;
    const target = found.replace(TRAILING, '');
    links.push(parseLink(/^www\./i.test(target) ? `https://${target}` : target, null));
  }
  return links;
};

export const isIpAddress = (host: string): boolean =>
  host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);

/** Cyrillic and Greek letters that look like Latin ones. */
const LOOKALIKES = /^[аесорхуіјѕԁԛԝһӏкмтвнАВЕКМНОРСТХαονρικυ0-9-]+$/u;
const ASCII_SUFFIX = /\.[a-z]{2,63}$/;

/** Whether a label mixes two scripts, or has only foreign letters that look Latin below an ASCII top-level domain. */
export const isDeceptiveHost = (host: string): boolean => {
  if (!host.includes('xn--')) return false;
  const labels = domainToUnicode(host).split('.');
  return labels.some((label) => {
    if (!/[\u0370-\u052f]/.test(label)) return false;
    return /\p{Script=Latin}/u.test(label) || (LOOKALIKES.test(label) && ASCII_SUFFIX.test(host));
  });
};

/** Frequent top-level domains. */
const SUFFIX_LABELS: ReadonlySet<string> = new Set('com de net org eu at ch info'.split(' '));

/** Whether a whole domain comes before the registrable `domain`: `www.bank.de.login.example`. */
export const hasNestedDomain = (host: string, domain: string): boolean => {
  if (!host.endsWith(`.${domain}`)) return false;
  const labels = host.slice(0, -domain.length - 1).split('.');
  return labels.some((label, index) => {
    const before = labels[index - 1];
    return SUFFIX_LABELS.has(label) && before !== undefined && before !== 'www';
  });
};
