// Cards of address books: vCard 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350). Of each card the preferred address and the name are read, and
// nothing else. Libraries for it keep whole cards with their photos in memory, or read one version only. Pure.
import { createCsvRows } from './csv-rows.ts';

/** Code units of a line, with those that continue it. */
const MAX_LINE = 4_000;

interface Card {
  readonly line: number;
  readonly emails: { readonly text: string; readonly rank: number }[];
  full: string;
  parts: string;
  isGroup: boolean;
}

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' || letter === 'N' ? ' ' : letter));

/** RFC 2045 §6.7, as vCard 2.1 has it. */
const fromQuotedPrintable = (text: string, charset: string | undefined): string => {
  const bytes = Buffer.from(
    text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  const isLatin = /8859|1252|latin/i.test(charset ?? '');
  return isLatin ? new TextDecoder('windows-1252').decode(bytes) : bytes.toString();
};

/** `N`: family name, given name and more. */
const nameOf = (parts: string): string => {
  const [family = '', given = ''] = parts.split(/(?<!\\);/).map((part) => unescaped(part).trim());
  return `${given} ${family}`.trim();
};

/** 1 is the most preferred (RFC 6350 §5.3); `TYPE=pref` in 3.0, `PREF` in 2.1. */
const rankOf = (parameters: readonly string[]): number => {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.toUpperCase().split('=');
    if (name === 'PREF') return value === '' ? 1 : Number(value) || 100;
    if (name === 'TYPE' && value.replaceAll('"', '').split(',').includes('PREF')) return 1;
  }
  return 101;
};

const NEEDED = /^(?:[\w-]+\.)?(?:BEGIN|END|EMAIL|FN|N|KIND|X-ADDRESSBOOKSERVER-KIND)[;:]/i;
const PROPERTY = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^":;])*)*):(.*)$/s;

const createReader = () => {
  const made = createCsvRows();
  let card: Card | null = null;
  const close = (): void => {
    if (card && !card.isGroup) {
      const [email] = card.emails.toSorted((a, b) => a.rank - b.rank);
      made.add(card.line, [email?.text ?? '', card.full || nameOf(card.parts)]);
    }
    card = null;
  };
  const read = (text: string, line: number): void => {
    const found = PROPERTY.exec(text);
    if (!found) return;
    const [, name = '', given = '', raw = ''] = found;
    const parameters = given.split(';').slice(1);
    const encoded = parameters.some((one) => /^(?:ENCODING=)?QUOTED-PRINTABLE$/i.test(one));
    const charset = parameters.find((one) => /^CHARSET=/i.test(one));
    const value = (encoded ? fromQuotedPrintable(raw, charset) : raw).trim();
    switch (name.toUpperCase()) {
      case 'BEGIN':
        close();
        card = { line, emails: [], full: '', parts: '', isGroup: false };
        return;
      case 'END':
        close();
        return;
      case 'EMAIL':
        if (value !== '') card?.emails.push({ text: unescaped(value), rank: rankOf(parameters) });
        return;
      case 'FN':
        if (card) card.full ||= unescaped(value);
        return;
      case 'N':
        if (card) card.parts ||= value;
        return;
      default:
        if (card && /^group$/i.test(value)) card.isGroup = true;
    }
  };
  return { read, end: close, take: made.take };
};

/** The cards as rows of comma-separated values, address and name, on the lines on which they begin. */
export function* cardRows(parts: Iterable<string>): Generator<Buffer> {
  const reader = createReader();
  let rest = '';
  let number = 0;
  /** The property that may go on in the next line; null: one that is not needed, such as a photo. */
  let open: { text: string; readonly line: number } | null = null;
  const take = (line: string): void => {
    number += 1;
    // A soft line break of quoted-printable ends with `=`.
    const isSoft = open?.text.endsWith('=') && /QUOTED-PRINTABLE/i.test(open.text);
    if (open && isSoft) open.text = open.text.slice(0, -1) + line.replace(/^[ \t]/, '').slice(0, MAX_LINE);
    else if (/^[ \t]/.test(line)) {
      if (open && open.text.length < MAX_LINE) open.text += line.slice(1);
    } else {
      if (open) reader.read(open.text, open.line);
      open = NEEDED.test(line) ? { text: line.slice(0, MAX_LINE), line: number } : null;
    }
  };
  for (const part of parts) {
    const lines = (rest + part).split(/\r\n|\n|\r(?!$)/);
    // A line without end is kept only from its beginning.
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) take(line);
    const taken = reader.take(false);
    if (taken) yield taken;
  }
  take(rest);
  take('');
  reader.end();
  const taken = reader.take(true);
  if (taken) yield taken;
}
