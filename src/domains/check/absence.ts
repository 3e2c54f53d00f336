// What is behind "there is no such record": a name that the provider put its zone behind, a wildcard that answers for
// everything, a domain that is not in the DNS.

import type { WantedRecord } from '../records/host-check.ts';
import { type CheckLookup, type Texts, valuesOf } from './check-lookup.ts';
import { type Judgement, quote, sentences } from './judgement.ts';

/** 255 octets (RFC 1035 §2.3.4) as text. */
const MAX_NAME_CHARACTERS = 253;
/** Nobody has a record of that name, unless by a wildcard. */
const PROBE_LABEL = 'no-such-record-q7x2m4';

export interface Absence {
  /** A name that it was entered under, with a zone's name behind it once more. */
  readonly enteredAt: string | null;
  /** What is there is an alias that the name has only by a wildcard. */
  readonly isWildcardAlias: boolean;
  /** False: the domain itself is not in the DNS. */
  readonly domainExists: boolean;
}

/** A name beside `name` that has records only by a wildcard that answers for `name` too. */
export const besideOf = (name: string): string => `${PROBE_LABEL}.${name.slice(name.indexOf('.') + 1)}`;

const isWildcardAlias = async (asking: CheckLookup, name: string): Promise<boolean> => {
  const [target] = valuesOf(await asking.cname(name));
  return target !== undefined && valuesOf(await asking.cname(besideOf(name))).includes(target);
};

/**
 * `isThere`: whether a name has just the record that is looked for. `zones`: what the provider may have put behind the
 * name as entered, the domain itself first.
 */
export const askWhyAbsent = async (
  asking: CheckLookup,
  name: string,
  zones: readonly string[],
  isThere: (name: string) => Promise<boolean>,
): Promise<Absence> => {
  const [apex = name] = zones;
  const enteredIn = async (zone: string): Promise<string | null> => {
    const entered = `${name}.${zone}`;
    if (entered.length > MAX_NAME_CHARACTERS || !(await isThere(entered))) return null;
    // A wildcard of the zone answers there too.
    return (await isThere(`${PROBE_LABEL}.${zone}.${zone}`)) ? null : entered;
  };
  const [servers, byWildcard, ...entered] = await Promise.all([
    asking.ns(apex),
    isWildcardAlias(asking, name),
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

export const wildcardHint = (wanted: WantedRecord): string =>
  `A wildcard record (*) of the zone answers for this name; the record itself is not there. Add the ${shown(wanted)} at ${wanted.name}: it goes before the wildcard.`;

export const absentHint = (
  { enteredAt, isWildcardAlias, domainExists }: Absence,
  wanted: WantedRecord,
): string => {
  const { name } = wanted;
  if (name.length > MAX_NAME_CHARACTERS)
    return `No record can have this name: it is longer than ${MAX_NAME_CHARACTERS} characters.`;
  if (isWildcardAlias) return wildcardHint(wanted);
  if (enteredAt !== null) {
    const zone = enteredAt.slice(name.length + 1);
    const relative = name === zone ? '@' : name.slice(0, -zone.length - 1);
    return `It was entered as ${enteredAt}: your provider puts ${zone} behind every name itself. Enter the name as "${relative}".`;
  }
  if (!domainExists)
    return 'The domain itself is not in the DNS: is it registered, and are its name servers set at the registrar?';
  return `There is no such record yet: add the ${shown(wanted)} at ${name}. A new record can take an hour to be seen.`;
};

/** `alias`: where the name leads, if it is an alias. */
export const absentTextHint = (
  absence: Absence | null,
  wanted: WantedRecord,
  alias: string | undefined,
): string => {
  if (alias !== undefined && !absence?.isWildcardAlias)
    return `${wanted.name} is an alias (CNAME) of ${alias}, where there is no such record. A name with a CNAME cannot have other records: put it right there, or remove the CNAME and add the ${shown(wanted)}.`;
  return absence ? absentHint(absence, wanted) : '';
};

// What is asked for where a TXT record is wanted that is known by its beginning.

export interface TextFacts {
  readonly texts: Texts;
  /** Null where there is such a record, or nobody knows. */
  readonly absence: Absence | null;
}

/** Each record's strings joined without anything between them, as all readers do. */
export const joined = (texts: Texts): string[] => valuesOf(texts.answer).map((strings) => strings.join(''));

export const askForText = async (
  asking: CheckLookup,
  { name }: WantedRecord,
  zones: readonly string[],
  isWanted: (text: string) => boolean,
): Promise<TextFacts> => {
  const texts = await asking.texts(name);
  const isThere = async (at: string) => joined(await asking.texts(at)).some(isWanted);
  const isAbsent = texts.answer.kind !== 'failed' && !joined(texts).some(isWanted);
  return { texts, absence: isAbsent ? await askWhyAbsent(asking, name, zones, isThere) : null };
};

export const absentText = (wanted: WantedRecord, { texts, absence }: TextFacts, before = ''): Judgement => ({
  status: 'missing',
  found: [],
  hint: sentences(before, absentTextHint(absence, wanted, texts.aliases.at(-1))),
});
