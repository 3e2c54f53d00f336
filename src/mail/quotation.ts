// Separates what a person wrote from the mail that they answer, by the marks with which mail programs introduce and mark what they
// quote. There is no standard for it: a text without known marks is taken as written. Pure.

/** UTF-16 code units of a line that may introduce a quotation; programs wrap it at some 76. */
const MAX_LINE = 300;
const MAX_WRAPPED = 3;
const MARKED = /^\s*[>|]/;
/** Gmail, Apple Mail, Thunderbird, Yahoo, K-9, Roundcube, Horde, in the languages around us. A date has digits. */
const INTRODUCTIONS: readonly RegExp[] = [
  /^(?=.{0,200}\d)\s*(?:am|on|le|el|il|op|em|den|w dniu)\s.{4,250}(?:schrieb|geschrieben|wrote|a .crit|escribi.|ha scritto|schreef|escreveu|skrev|pisze|napisa.)[^:]{0,80}:\s*$/i,
  /^.{1,150}\bschrieb am .{4,60}:\s*$/i,
  /^\s*zitat von .{3,150}:\s*$/i,
];
/** Lines that begin a quotation without marks: all behind them is quoted. */
const SEPARATORS: readonly RegExp[] = [
  /^[\s*_-]{0,20}(?:original[- ]?(?:nachricht|message)|urspr(?:ü|ue)ngliche nachricht|weitergeleitete nachricht|forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)|begin forwarded message)/i,
  /^\s*_{8,}\s*$/,
  /^-{3,}\s?.{3,150}(?:schrieb|wrote):? ?-{3,}$/i,
];
/** Outlook and GMX repeat header fields instead, GMX beginning with the date. */
const FIRST_FIELD = /^\s*\*?(?:von|from|gesendet|sent)\s?:\*?\s/i;
const NEXT_FIELD = /^\s*\*?(?:von|from|gesendet|sent|datum|date|an|to|cc|betreff|subject)\s?:/i;
const NEXT_FIELDS = 4;
/** What a rule in HTML becomes. */
const RULE = /^-{8,}$/;

/** How many lines introduce a quotation there; 0 if none does. */
const introductionAt = (lines: readonly string[], at: number): number => {
  let wrapped = '';
  for (let count = 1; count <= MAX_WRAPPED && at + count <= lines.length; count += 1) {
    const line = lines[at + count - 1] ?? '';
    if (line.trim() === '' || MARKED.test(line)) return 0;
    wrapped += ` ${line}`;
    if (wrapped.length <= MAX_LINE && INTRODUCTIONS.some((pattern) => pattern.test(wrapped.slice(1))))
      return count;
  }
  return 0;
};

const separatesAt = (lines: readonly string[], at: number): boolean => {
  const line = (lines[at] ?? '').slice(0, MAX_LINE);
  if (SEPARATORS.some((pattern) => pattern.test(line))) return true;
  if (!FIRST_FIELD.test(line)) return false;
  const isBelowRule = lines.slice(Math.max(0, at - 2), at).some((before) => RULE.test(before));
  const next = lines.slice(at + 1, at + 1 + NEXT_FIELDS);
  return isBelowRule || line.includes('@') || next.some((one) => NEXT_FIELD.test(one));
};

/** The text up to the first quotation. */
export const beforeQuotation = (text: string): string => {
  const lines = text.split('\n');
  const end = lines.findIndex(
    (line, at) => MARKED.test(line) || separatesAt(lines, at) || introductionAt(lines, at) > 0,
  );
  return lines.slice(0, end === -1 ? lines.length : end).join('\n');
};

/** UTF-16 code units that are read. */
const MAX_REPLY = 100_000;
/** RFC 3676 §4.3; many programs lose the space. */
const SIGNATURE = /^-- ?$/;
/** What programs on telephones add below. */
const OF_A_PROGRAM =
  /^(?:(?:von meine[mr]|sent from my|sent from|gesendet (?:von|mit|aus)|diese nachricht wurde von meinem|get outlook|outlook f.r (?:ios|android)|hol(?:e|en sie sich) outlook|envoy. de mon)\b.{0,100})$/i;

/** A person's own lines: without what is quoted, wherever it is, and without the signature. `text` has `\n` at line ends. */
export const replyTextOf = (text: string): string => {
  const lines = text.slice(0, MAX_REPLY).split('\n');
  const own: string[] = [];
  for (let at = 0; at < lines.length && !separatesAt(lines, at); ) {
    const introduction = introductionAt(lines, at);
    const next = lines.slice(at + introduction, at + introduction + 3).find((line) => line.trim() !== '');
    if (introduction > 0 && !MARKED.test(next ?? '')) break;
    const line = lines[at] ?? '';
    if (introduction === 0 && !/^\s*>/.test(line)) own.push(line.trimEnd());
    at += introduction || 1;
  }
  const signature = own.findIndex((line) => SIGNATURE.test(line));
  const said = signature === -1 ? own : own.slice(0, signature);
  while (said.length > 0 && /^$/.test(said.at(-1) ?? '')) said.pop();
  while (OF_A_PROGRAM.test(said.at(-1)?.trim() ?? '')) said.pop();
  return said
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};
