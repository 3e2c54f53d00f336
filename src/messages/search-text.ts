// The text by which a message is found, and what a search looks for in it. Values that are compared as a whole (a tag, the
// route, the template, the project, the kind) are in the text too, so that one trigram index answers all filters together. Pure.
import { foldFields, foldPart, hasWord, typedWords } from '#src/kernel/typed-words.ts';

/** The values by which a message is found. */
export interface Findable {
  readonly seq: number;
  readonly subject: string;
  /** Recipients' addresses, and the display names beside addresses. */
  readonly addresses: readonly string[];
  readonly names: readonly string[];
  readonly tags: readonly string[];
  readonly routeId: string;
  /** The id of the stored template that it was made from. */
  readonly templateId: string | null;
  readonly projectId: string;
  readonly kind: string;
}

/** What a search looks for; null: any value. */
export interface Wanted {
  /** The text as it is typed: words, each the beginning of one of an address, a name, the subject or a tag. */
  readonly text: string | null;
  /** A part of an address, a name, the subject or a tag, at least one of these. What is found may differ from it slightly. */
  readonly parts: readonly string[] | null;
  /** A tag as a whole. */
  readonly tag: string | null;
  readonly routeId: string | null;
  readonly templateId: string | null;
  readonly kind: string | null;
  /** Ids of projects; the message must belong to one of them. */
  readonly projects: readonly string[] | null;
}

/** The text must have at least one of the strings. */
export interface Clause {
  readonly anyOf: readonly string[];
  readonly has: (text: string, wanted: string) => boolean;
}

const FIELD = '\x1e';
const TAG = '\x1f';
const FACET = '\x1c';
const CONTROL = /[\x00-\x1f\x7f]/g;

/** Tags that differ in their marks are different tags; only case is ignored. */
const wholeTag = (tag: string): string =>
  tag.toWellFormed().normalize('NFC').replace(CONTROL, ' ').toLowerCase();

/** Hangul syllables never occur in folded text, because NFKD takes them apart; so no text of a message matches a facet. */
const LETTERS = 11_172;
const FIRST_LETTER = 0xac00;

/** FNV-1a, 32 bits: every message has four facets or five, and a cryptographic hash of each cost a third of its text. */
const numberOf = (text: string): number => {
  let number = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) number = Math.imul(number ^ text.charCodeAt(at), 0x01000193);
  return number >>> 0;
};

/** A value as three characters, which are one trigram. Two values may share a facet, so callers also compare the row. */
const facet = (name: 'route' | 'template' | 'project' | 'kind' | 'block', value: string | number): string => {
  const number = numberOf(`${name}:${value}`);
  const [first, second] = [Math.floor(number / LETTERS) % LETTERS, number % LETTERS];
  return FACET + String.fromCodePoint(FIRST_LETTER + first, FIRST_LETTER + second);
};

/**
 * Messages in one block. FTS5 walks the lists of all trigrams from their end until they first meet, even where the query
 * names a range of rows. If the block's own trigram is in the query, it skips to that block, which bounds the walk.
 */
const BLOCK = 65_536;

/** The first number of the block that `seq` is in. */
export const blockStart = (seq: number): number => seq - (seq % BLOCK);

export const searchText = (message: Findable): string => {
  const { seq, subject, addresses, names, tags, routeId, templateId, projectId, kind } = message;
  const fields = foldFields([subject, ...new Set(addresses), ...new Set(names), ...tags]);
  const whole = tags.length === 0 ? '' : TAG + tags.map(wholeTag).join(TAG) + TAG;
  const facets = [
    facet('block', blockStart(seq)),
    facet('route', routeId),
    facet('project', projectId),
    ...(templateId === null ? [] : [facet('template', templateId)]),
    facet('kind', kind),
  ];
  return `${fields}${FIELD}${whole}${facets.join('')}`;
};

const isPart = (text: string, wanted: string): boolean => text.includes(wanted);

/** The clauses of a search. A message fits if all of them are true. */
export const clausesOf = ({ text, parts, tag, routeId, templateId, kind, projects }: Wanted): Clause[] => {
  const whole = [
    parts?.map(foldPart),
    tag === null ? null : [TAG + wholeTag(tag) + TAG],
    routeId === null ? null : [facet('route', routeId)],
    templateId === null ? null : [facet('template', templateId)],
    kind === null ? null : [facet('kind', kind)],
    projects?.map((project) => facet('project', project)),
  ];
  return [
    ...typedWords(text ?? '').map((word) => ({ anyOf: [word], has: hasWord })),
    ...whole.flatMap((anyOf) => (anyOf && !anyOf.includes('') ? { anyOf, has: isPart } : [])),
  ];
};

export const fits = (text: string, clauses: readonly Clause[]): boolean =>
  clauses.every(({ anyOf, has }) => anyOf.some((wanted) => has(text, wanted)));

/** More trigrams make a search no faster, because each adds a list to walk. */
const MAX_TRIGRAMS = 8;
/** A clause with more choices is left out of the query; `fits` then checks it on each candidate. */
const MAX_CHOICES = 50;

/** Where more words are typed, the first are left out of the query likewise. */
const MAX_CLAUSES = 8;

/** Returns at most `MAX_TRIGRAMS` trigrams, spread evenly over the string. */
const trigramsOf = (wanted: string): string[] => {
  const letters = [...wanted];
  const last = letters.length - 3;
  const count = Math.min(last + 1, MAX_TRIGRAMS);
  const places = Array.from({ length: Math.max(0, count) }, (_, index) =>
    count === 1 ? 0 : Math.round((index * last) / (count - 1)),
  );
  return [...new Set(places.map((at) => letters.slice(at, at + 3).join('')))];
};

/** Any text as a string literal of FTS5. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/**
 * The query (FTS5 §3) that finds at least all messages of a block that fit the clauses. Null if no clause is as long as a
 * trigram; shorter ones are found only by reading the texts.
 */
export const trigramQuery = (clauses: readonly Clause[]): ((block: number) => string) | null => {
  const asked = clauses
    .filter(({ anyOf }) => anyOf.length <= MAX_CHOICES)
    .map(({ anyOf }) => anyOf.map(trigramsOf))
    .filter((choices) => choices.every(({ length }) => length > 0))
    .slice(-MAX_CLAUSES);
  if (asked.length === 0) return null;
  const query = asked
    .map((choices) => `(${choices.map((all) => `(${all.map(quoted).join(' AND ')})`).join(' OR ')})`)
    .join(' AND ');
  return (block) => `${quoted(facet('block', block))} AND ${query}`;
};
