// Why a wanted record was not found: the provider appended its zone to the name, a wildcard answers for every name, or
// the domain is not in the DNS.
import { nothing, say, type Text } from '#src/kernel/say.ts';
import type { WantedRecord } from '../records/host-check.ts';
import { type CheckLookup, type Texts, valuesOf } from './check-lookup.ts';
import { type Judgement, quote, sentences } from './judgement.ts';

/** 255 octets (RFC 1035 §2.3.4), as text. */
const MAX_NAME_CHARACTERS = 253;
/** A label that no zone has; a name with it exists only through a wildcard. */
const PROBE_LABEL = 'no-such-record-q7x2m4';

export interface Absence {
  /** The name under which the record was entered, with the zone's name appended a second time. */
  readonly enteredAt: string | null;
  /** The name is an alias only through a wildcard. */
  readonly isWildcardAlias: boolean;
  /** False: the domain itself is not in the DNS. */
  readonly domainExists: boolean;
}

/** A sibling of `name` that has records only through a wildcard, which then also answers for `name`. */
export const besideOf = (name: string): string => `${PROBE_LABEL}.${name.slice(name.indexOf('.') + 1)}`;

const isWildcardAlias = async (lookup: CheckLookup, name: string): Promise<boolean> => {
  const [target] = valuesOf(await lookup.cname(name));
  return target !== undefined && valuesOf(await lookup.cname(besideOf(name))).includes(target);
};

/**
 * `isThere` says whether a name has the wanted record. `zones` are the names that a provider may have appended to the
 * name as entered, the domain itself first.
 */
export const askWhyAbsent = async (
  lookup: CheckLookup,
  name: string,
  zones: readonly string[],
  isThere: (name: string) => Promise<boolean>,
): Promise<Absence> => {
  const [apex = name] = zones;
  const enteredIn = async (zone: string): Promise<string | null> => {
    const entered = `${name}.${zone}`;
    if (entered.length > MAX_NAME_CHARACTERS || !(await isThere(entered))) return null;
    // A wildcard of the zone would answer for this name too.
    return (await isThere(`${PROBE_LABEL}.${zone}.${zone}`)) ? null : entered;
  };
  const [servers, byWildcard, ...entered] = await Promise.all([
    lookup.ns(apex),
    isWildcardAlias(lookup, name),
    ...zones.map(enteredIn),
  ]);
  return {
    enteredAt: entered.find((at) => at !== null) ?? null,
    isWildcardAlias: byWildcard,
    domainExists: servers.kind !== 'none' || servers.nameExists,
  };
};

const shown = ({ type, priority, value }: WantedRecord): string =>
  type === 'TXT' ? `TXT ${quote(value)}` : type === 'MX' ? `MX ${priority} ${value}` : `CNAME ${value}`;

export const wildcardHint = (wanted: WantedRecord): Text =>
  say`A wildcard record (*) of the zone answers for this name; the record itself is not there. Add the ${shown(wanted)} at ${wanted.name}: it goes before the wildcard.`;

export const absentHint = (
  { enteredAt, isWildcardAlias, domainExists }: Absence,
  wanted: WantedRecord,
): Text => {
  const { name } = wanted;
  if (name.length > MAX_NAME_CHARACTERS)
    return say`No record can have this name: it is longer than ${MAX_NAME_CHARACTERS} characters.`;
  if (isWildcardAlias) return wildcardHint(wanted);
  if (enteredAt !== null) {
    const zone = enteredAt.slice(name.length + 1);
    const relative = name === zone ? '@' : name.slice(0, -zone.length - 1);
    return say`It was entered as ${enteredAt}: your provider puts ${zone} behind every name itself. Enter the name as "${relative}".`;
  }
  if (!domainExists)
    return say`The domain itself is not in the DNS: is it registered, and are its name servers set at the registrar?`;
  return say`There is no such record yet: add the ${shown(wanted)} at ${name}. A new record can take an hour to be seen.`;
};

/** `alias` is the name that the wanted name is an alias of. */
export const absentTextHint = (
  absence: Absence | null,
  wanted: WantedRecord,
  alias: string | undefined,
): Text => {
  if (alias !== undefined && !absence?.isWildcardAlias)
    return say`${wanted.name} is an alias (CNAME) of ${alias}, where there is no such record. A name with a CNAME cannot have other records: put it right there, or remove the CNAME and add the ${shown(wanted)}.`;
  return absence ? absentHint(absence, wanted) : nothing;
};

// What is looked up for a TXT record that is recognized by its beginning.

export interface TextFacts {
  readonly texts: Texts;
  /** Null if the record exists, or if the lookup failed. */
  readonly absence: Absence | null;
}

/** Readers join the strings of a record without a separator. */
export const joined = (texts: Texts): string[] => valuesOf(texts.answer).map((strings) => strings.join(''));

export const askForText = async (
  lookup: CheckLookup,
  { name }: WantedRecord,
  zones: readonly string[],
  isWanted: (text: string) => boolean,
): Promise<TextFacts> => {
  const texts = await lookup.texts(name);
  const isThere = async (at: string) => joined(await lookup.texts(at)).some(isWanted);
  const isAbsent = texts.answer.kind !== 'failed' && !joined(texts).some(isWanted);
  return { texts, absence: isAbsent ? await askWhyAbsent(lookup, name, zones, isThere) : null };
};

export const absentText = (
  wanted: WantedRecord,
  { texts, absence }: TextFacts,
  before = nothing,
): Judgement => ({
  status: 'missing',
  found: [],
  hint: sentences(before, absentTextHint(absence, wanted, texts.aliases.at(-1))),
});
