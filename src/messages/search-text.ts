// The text by which a message is found, and what a search looks for in it. Letters are compared without case and marks:
// `muller` finds `Müller`. Fields are kept apart by control characters, which no field holds: nothing is found across two
// of them. What is compared as a whole (a tag, the route, the project, the kind) stands in it too, so that one index of
// trigrams answers for all of it together. Pure.
import { hash } from 'node:crypto';

/** What a message is found by. */
export interface Findable {
  readonly seq: number;
  readonly subject: string;
  /** Recipients' addresses, and the names that stand beside addresses. */
  readonly addresses: readonly string[];
  readonly names: readonly string[];
  readonly tags: readonly string[];
  readonly routeId: string;
  readonly projectId: string;
  readonly kind: string;
}

/** What is looked for; null: whatever it is. */
export interface Wanted {
  /** Part of an address, a name, the subject or a tag. */
  readonly text: string | null;
  /** A tag as a whole. */
  readonly tag: string | null;
  readonly routeId: string | null;
  readonly kind: string | null;
  /** Ids of projects, any of which it may be. */
  readonly projects: readonly string[] | null;
}

/** Strings of which the text must hold one. */
export type Clause = readonly string[];

const FIELD = '\x1e';
const TAG = '\x1f';
const FACET = '\x1c';
const CONTROL = /[\x00-\x1f\x7f]/g;
const IS_ASCII = /^[\x20-\x7e]*$/;

/** As it is compared: without case, marks and differences of form (NFKD). By way of capitals: `ß` and `ẞ` are `ss`. */
export const fold = (text: string): string => {
  if (IS_ASCII.test(text)) return text.toLowerCase();
  const plain = text.toWellFormed().normalize('NFKD').replace(/\p{M}/gu, '').replace(CONTROL, ' ');
  return plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
};

/** Tags are told apart by their marks: only case is none of theirs. */
const wholeTag = (tag: string): string =>
  tag.toWellFormed().normalize('NFC').replace(CONTROL, ' ').toLowerCase();

/** Hangul syllables: of three octets each, and in no folded text, because NFKD takes them apart: nobody's words meet them. */
const LETTERS = 11_172;
const FIRST_LETTER = 0xac00;

/** Three characters, and so one trigram. Two values may share one: who relies on it compares the row as well. */
const facet = (name: 'route' | 'project' | 'kind' | 'block', value: string | number): string => {
  const number = Number.parseInt(hash('sha256', `${name}:${value}`).slice(0, 7), 16);
  const [first, second] = [Math.floor(number / LETTERS) % LETTERS, number % LETTERS];
  return FACET + String.fromCodePoint(FIRST_LETTER + first, FIRST_LETTER + second);
};

/**
 * Messages that are looked at together. FTS5 walks lists from their end until they first meet, whatever range of rows it is
 * asked for: the block's own list, which it skips to, is what bounds the walk.
 */
const BLOCK = 65_536;

/** The first number of the block that `seq` is in. */
export const blockStart = (seq: number): number => seq - (seq % BLOCK);

export const searchText = (message: Findable): string => {
  const { seq, subject, addresses, names, tags, routeId, projectId, kind } = message;
  const fields = [subject, ...new Set(addresses), ...new Set(names), ...tags].map(fold);
  const whole = tags.length === 0 ? '' : TAG + tags.map(wholeTag).join(TAG) + TAG;
  const facets = [
    facet('block', blockStart(seq)),
    facet('route', routeId),
    facet('project', projectId),
    facet('kind', kind),
  ];
  return [...fields, whole + facets.join('')].join(FIELD);
};

/** All of which must be true. */
export const clausesOf = ({ text, tag, routeId, kind, projects }: Wanted): Clause[] => {
  const clauses: (Clause | null)[] = [
    text === null ? null : [fold(text)],
    tag === null ? null : [TAG + wholeTag(tag) + TAG],
    routeId === null ? null : [facet('route', routeId)],
    kind === null ? null : [facet('kind', kind)],
    projects === null ? null : projects.map((project) => facet('project', project)),
  ];
  return clauses.filter((clause) => clause !== null && !clause.includes('')) as Clause[];
};

export const fits = (text: string, clauses: readonly Clause[]): boolean =>
  clauses.every((clause) => clause.some((wanted) => text.includes(wanted)));

/** More make a search no faster: each is a list to be walked. */
const MAX_TRIGRAMS = 8;
/** Who is limited to more projects than that is served by looking at what the rest finds. */
const MAX_CHOICES = 50;

/** Spread over the whole of it. */
const trigramsOf = (wanted: string): string[] => {
  const letters = [...wanted];
  const last = letters.length - 3;
  const count = Math.min(last + 1, MAX_TRIGRAMS);
  const places = Array.from({ length: Math.max(0, count) }, (_, index) =>
    count === 1 ? 0 : Math.round((index * last) / (count - 1)),
  );
  return [...new Set(places.map((at) => letters.slice(at, at + 3).join('')))];
};

/** A string of FTS5, whatever stands in it. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/**
 * The query (FTS5 §3) that finds at least all of a block that fits the clauses; null where none of them holds a trigram:
 * what is shorter is found by looking at the texts alone.
 */
export const trigramQuery = (clauses: readonly Clause[]): ((block: number) => string) | null => {
  const asked = clauses
    .filter(({ length }) => length <= MAX_CHOICES)
    .map((clause) => clause.map(trigramsOf))
    .filter((choices) => choices.every(({ length }) => length > 0));
  if (asked.length === 0) return null;
  const query = asked
    .map((choices) => `(${choices.map((all) => `(${all.map(quoted).join(' AND ')})`).join(' OR ')})`)
    .join(' AND ');
  return (block) => `${quoted(facet('block', block))} AND ${query}`;
};
