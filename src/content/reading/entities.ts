// Character references of HTML, as far as mail uses them: numbers, and the names that hide a link or are usual in German
// text. Pure.

const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  shy: '\u00ad',
  zwnj: '\u200c',
  zwj: '\u200d',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  euro: '€',
  percnt: '%',
  excl: '!',
  colon: ':',
  sol: '/',
  period: '.',
  commat: '@',
  num: '#',
  lowbar: '_',
  equals: '=',
  quest: '?',
  lpar: '(',
  rpar: ')',
  Tab: '\t',
  NewLine: '\n',
  ZeroWidthSpace: '\u200b',
};
const REFERENCE = /&(?:#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))|([a-z]{2,14}));?/gi;
const LAST_CODE_POINT = 0x10ffff;

const ofNumber = (digits: string, base: number): string => {
  const code = Number.parseInt(digits, base);
  return code > 0 && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : '\ufffd';
};

/** What is no reference, or has a name that is not known, stays as it stands. */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
        if (hex !== undefined) return ofNumber(hex, 16);
        if (decimal !== undefined) return ofNumber(decimal, 10);
        return name !== undefined && Object.hasOwn(names, name) ? (names[name] ?? whole) : whole;
      })
    : text;
