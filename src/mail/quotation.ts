// Separates what a person wrote from the mail that they answer, by the marks with which mail programs introduce and mark what they
// quote. There is no standard for it: a text without known marks is taken as written. quotation-words.ts has the words. Pure, and
// linear in the length of the text: patterns only read lines that were cut.
import {
  BEGINS_INTRODUCTION,
  END_OF_ORIGINAL,
  FORWARDED,
  headerKindOf,
  isOfProgram,
  ORIGINAL,
  QUOTES_NAMED,
  SUBJECT_OF_FORWARDED,
  WROTE,
} from './quotation-words.ts';

/** UTF-16 code units of an introduction; programs wrap it at some 76. */
const MAX_INTRODUCTION = 300;
const MAX_WRAPPED = 4;
const MARKED = /^\s*[>＞|]/;
const QUOTED = /^\s*[>＞]/;
/** Some programs write the initials of the author or a number before the mark. */
const NUMBERED = /^\s{0,2}(?:\p{Lu}{1,3}|\d{1,3})>/u;
/** Days and times as `20.11.2026`, `2026年`, `10:15`, `10.15`, `10h15`. */
const DATE = /(?<!\d)(?:(?:19|20)\d\d(?!\d)|\d{1,2}[.:h]\d\d(?!\d)|\d{1,2}[./]\s?\d{1,2}[./])/;
const ADDRESS = /[^\s<>@]@[^\s<>@]/;
const ENDS_IN_ADDRESS = /@[^\s<>@]{3,255}[>)\]]\s?[:：]$/;
/** `Anna schrieb am 20.11.2026 10:15:` */
const NAME_THEN_DATE = /^.{1,150}(?:schrieb am|wrote on|a écrit le|escribió el|ha scritto il|schreef op)\s/i;
/** The line of such a quotation ends without a colon. */
const DATE_AND_ADDRESS = /^\s*(?:19|20)\d\d[-/.].{1,200}<[^\s<>@]{1,64}@[^\s<>@]{1,255}>$/;
/** Yahoo begins the quotation in the line of its introduction. */
const WITH_TEXT_BEHIND = /^.{10,250}?@.{3,150}?[:：](?=\s{2,10}\S)/;

const blank = (line: string | undefined): boolean => line === undefined || line.trim() === '';
const cut = (line: string | undefined): string => (line ?? '').slice(0, MAX_INTRODUCTION + 1);

/** The index of the first line from `at` on that is not blank. */
const nextLine = (lines: readonly string[], at: number): number => {
  let index = at;
  while (index < lines.length && index - at < 4 && blank(lines[index])) index += 1;
  return index;
};

const LINK = /^\s{0,3}[(<]?https?:\/\/\S+(?:\s+[)>]+)?\s*$/;
const IS_OPEN = /[(<][^()<>]{0,300}$/;
/** Programs that wrap what they have marked leave the end of a long line without a mark. */
const isRestOfMarked = (lines: readonly string[], at: number): boolean => {
  const before = cut(lines[at - 1]);
  if (!QUOTED.test(before) || !QUOTED.test(cut(lines[at + 1]))) return false;
  const isLong = before.length >= 66 && /^[\p{Ll}\d(]/u.test(lines[at] ?? '');
  if (isLong || LINK.test(lines[at] ?? '')) return true;
  return IS_OPEN.test(before.replace(QUOTED, '')) && /[)>]/.test(cut(lines[at]));
};

const isQuoted = (lines: readonly string[], at: number): boolean => {
  const line = lines[at] ?? '';
  if (QUOTED.test(line) || isRestOfMarked(lines, at)) return true;
  return NUMBERED.test(line) && [at - 1, at + 1].some((near) => NUMBERED.test(lines[near] ?? ''));
};

const isMarked = (lines: readonly string[], at: number): boolean =>
  MARKED.test(lines[at] ?? '') || isQuoted(lines, at);

const SENTENCE_WITHIN = /\p{Ll}{4}[.!?] \p{Lu}/u;

/** Introduces a quotation whether that is marked or not. */
const isClear = (text: string): boolean => {
  if (QUOTES_NAMED.test(text)) return true;
  if (!DATE.test(text) || SENTENCE_WITHIN.test(text)) return false;
  const begins = BEGINS_INTRODUCTION.test(text);
  if (WROTE.test(text)) return begins || ADDRESS.test(text) || NAME_THEN_DATE.test(text);
  return begins && ENDS_IN_ADDRESS.test(text);
};

/** Only where marked lines follow. */
const isVague = (text: string): boolean => WROTE.test(text) || (DATE.test(text) && ADDRESS.test(text));

/** An address that was broken before its closing bracket. */
const continues = (joined: string, line: string): boolean =>
  joined.lastIndexOf('<') > joined.lastIndexOf('>') && /^\s*>.{0,40}[:：]\s*$/.test(line);

/** How many lines introduce a quotation there; 0 if none does. */
const introductionAt = (lines: readonly string[], at: number): number => {
  const first = cut(lines[at]);
  if (blank(first) || MARKED.test(first)) return 0;
  const behind = WITH_TEXT_BEHIND.exec(first)?.[0];
  if (behind !== undefined && isClear(behind)) return 1;
  if (DATE_AND_ADDRESS.test(first) && isMarked(lines, nextLine(lines, at + 1))) return 1;
  let joined = '';
  for (let count = 1; count <= MAX_WRAPPED && joined.length <= MAX_INTRODUCTION; count += 1) {
    const line = cut(lines[at + count - 1]);
    if (blank(line) || (count > 1 && MARKED.test(line) && !continues(joined, line))) return 0;
    // A sentence of the person ends there.
    if (count > 1 && /[.!?]\s*$/.test(joined) && /^\s*\p{Lu}/u.test(line)) return 0;
    joined = `${joined} ${line}`.trim();
    if (joined.length > MAX_INTRODUCTION) break;
    if (/[:：]$/.test(joined)) {
      // Without its first line it still is one: that line is the person's.
      if (count > 1 && isClear(joined.slice(first.trim().length).trim())) return 0;
      if (isClear(joined)) return count;
      return count === 1 && isVague(joined) && isMarked(lines, nextLine(lines, at + 1)) ? 1 : 0;
    }
    if (count > 1 && !DATE.test(first) && !ADDRESS.test(first)) return 0;
  }
  return 0;
};

/** A line of marks. */
const RULE = /^\s*(?:[-_=*~—–]\s?){3,}\s*$/;
const UNDERSCORES = /^\s*_{8,}\s*$/;
const IN_MARKS = /^[\s>]{0,4}[-_*=—]{2,20}\s?[^-_*=—].{1,100}$/;
const NOTES = /^-{3,}\s?.{3,150}(?:schrieb|wrote):? ?-{3,}$/i;
/** Apple Mail and old programs write no marks. */
const ALONE =
  /^\s*(?:original[- ](?:nachricht|message)|(?:anfang|begin|start|début|inicio|inizio|início|początek|začátek).{0,30}(?:message|nachricht|mail|mensaje|messaggio|mensagem|bericht|brev|besked|melding|wiadomości|zprávy))\b.{0,20}$/iu;
const MAX_FIELDS = 10;
const FIELD_OF_FORM = /^\s*\p{L}[\p{L} -]{0,30}:/u;

/** How many lines there repeat the header of another mail; 0 if they do not. */
const headerAt = (lines: readonly string[], at: number): number => {
  const first = cut(lines[at]);
  if (headerKindOf(first) === null) return 0;
  const kinds = new Set<string>();
  let [end, others, isFirm] = [at, 0, ADDRESS.test(first)];
  for (let index = at; index < lines.length && index < at + MAX_FIELDS && others < 2; index += 1) {
    const line = cut(lines[index]);
    const kind = headerKindOf(line);
    if (kind === null) {
      others += 1;
      continue;
    }
    if (kind === 'from') isFirm ||= ADDRESS.test(line);
    kinds.add(kind);
    others = 0;
    end = index + 1;
  }
  isFirm ||= lines.slice(Math.max(0, at - 2), at).some((line) => RULE.test(cut(line)));
  if (!kinds.has('from')) {
    const ofOldHotmail = kinds.has('sent') && kinds.has('to') && /\d:\d\d/.test(first);
    return ofOldHotmail && lines.slice(at, end).some((line) => ADDRESS.test(cut(line))) ? end - at : 0;
  }
  // Forms of websites have a sender among other fields.
  const isAlone = isFirm && !FIELD_OF_FORM.test(cut(lines[nextLine(lines, at + 1)]));
  return kinds.size >= 3 || (kinds.size === 2 && (isFirm || kinds.has('sent'))) || isAlone ? end - at : 0;
};

interface Separator {
  readonly kind: 'quoted' | 'forwarded';
  /** Lines that are no text of the other mail. */
  readonly count: number;
}

/** What begins a quotation without marks there: all behind it is quoted. */
const separatorAt = (lines: readonly string[], at: number): Separator | null => {
  const line = cut(lines[at]);
  const header = headerAt(lines, at);
  if (header > 0) return { kind: 'quoted', count: header };
  if (!IN_MARKS.test(line) && !ALONE.test(line) && !UNDERSCORES.test(line)) return null;
  if (FORWARDED.test(line)) return { kind: 'forwarded', count: 1 };
  const below = nextLine(lines, at + 1);
  const count = below - at + headerAt(lines, below);
  const isKnown = UNDERSCORES.test(line) || ORIGINAL.test(line) || NOTES.test(line);
  return isKnown || (/[-_*=]{2,}\s*$/.test(line) && headerAt(lines, below) > 0)
    ? { kind: 'quoted', count }
    : null;
};

/** The text up to the first quotation. */
export const beforeQuotation = (text: string): string => {
  const lines = text.split('\n');
  const end = lines.findIndex(
    (line, at) => MARKED.test(line) || separatorAt(lines, at) !== null || introductionAt(lines, at) > 0,
  );
  return lines.slice(0, end === -1 ? lines.length : end).join('\n');
};

/** UTF-16 code units that are read. */
const MAX_REPLY = 100_000;
/** RFC 3676 §4.3; many programs lose the space. */
const SIGNATURE = /^-- ?$/;

/** Lines between two quotations, without the signature and the lines of programs below them. */
const withoutSignature = (lines: readonly string[]): readonly string[] => {
  const signature = lines.findIndex(
    (line, at) => SIGNATURE.test(line) || (at > 0 && blank(lines[at - 1]) && isOfProgram(line.trim())),
  );
  const own = signature === -1 ? [...lines] : lines.slice(0, signature);
  let end = own.length;
  const last = (): string => (own[end - 1] ?? '').trim();
  while (end > 0 && (last() === '' || RULE.test(cut(last())) || isOfProgram(last()))) end -= 1;
  return [...own.slice(0, end), ...(end < lines.length ? [''] : [])];
};

const tidy = (lines: readonly string[]): string =>
  lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

/** What the person wrote in the line in which a program put its introduction. */
const BEFORE_INTRODUCTION =
  /^(.{0,150}?[^\s-])[\s-]{1,8}(?:On|Am|Le|El|Il|Em|Op|Den)\s(?=(?:\p{L}{2,12}[.,]{0,2}\s){0,2}\d)/u;

/** A person's own lines: without what is quoted, wherever it is, and without signatures. What the person forwards stays. Where
 * nothing is above a quotation without marks, the answer is below it or within it, and all of it stays. `text` has `\n` at line
 * ends. */
export const replyTextOf = (text: string, subject = ''): string => {
  const lines = text
    .slice(0, MAX_REPLY)
    .split('\n')
    .map((line) => line.trimEnd());
  const own: string[] = [];
  let block: string[] = [];
  const endBlock = (): void => {
    own.push(...withoutSignature(block));
    block = [];
  };
  const hasOwn = (): boolean => own.some((line) => line !== '');
  for (let at = 0; at < lines.length; ) {
    const separator = separatorAt(lines, at);
    const introduction = separator === null ? introductionAt(lines, at) : 0;
    if (separator === null && introduction === 0) {
      if (isQuoted(lines, at)) endBlock();
      else block.push(lines[at] ?? '');
      at += 1;
      continue;
    }
    if (introduction === 1 && !BEGINS_INTRODUCTION.test(cut(lines[at])))
      block.push(BEFORE_INTRODUCTION.exec(cut(lines[at]))?.[1] ?? '');
    endBlock();
    const count = separator?.count ?? introduction;
    if (introduction > 0 && isMarked(lines, nextLine(lines, at + count))) {
      at += count;
      continue;
    }
    const isForwarded =
      separator?.kind === 'forwarded' || (separator !== null && SUBJECT_OF_FORWARDED.test(subject));
    if (isForwarded) return tidy([...own, '', ...lines.slice(at)]);
    const end = lines.findIndex((line, index) => index > at && END_OF_ORIGINAL.test(cut(line)));
    if (end === -1) return tidy(hasOwn() ? own : lines.slice(at + count));
    at = end + 1;
  }
  endBlock();
  return tidy(own);
};
