// What a judge says about one record, and the sentences that all judges share. Text from the DNS can come from any
// zone, so it is bounded and cleaned here. Pure.
import type { LookupFailure, MxAnswer } from '#src/kernel/dns-lookup.ts';
import { joined, nothing, say, type Text, type Value } from '#src/kernel/say.ts';
import type { CheckedRecord, RecordStatus, WantedRecord } from '../records/host-check.ts';

export interface Judgement {
  readonly status: RecordStatus;
  readonly found: readonly string[];
  /** Advice, or nothing if the record is right. */
  readonly hint: Text;
  /** The record to publish, if that differs from the wanted one. */
  readonly value?: string;
}

const MAX_FOUND = 10;
const MAX_FOUND_CHARACTERS = 1_000;
const MAX_QUOTED_CHARACTERS = 120;
/** The longest names are shorter (RFC 1035 §2.3.4). */
const MAX_SAID_CHARACTERS = 300;
/** A TXT has at most 65,535 octets; no record of ours comes near. */
const MAX_VALUE_CHARACTERS = 4_000;

/** Shows control characters and broken surrogates as `?`. */
const clean = (text: string): string => text.toWellFormed().replace(/[\0-\x1f\x7f-\x9f]/g, '?');

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** A piece of found text, short enough for a sentence. */
export const quote = (text: string): string => `"${cut(clean(text), MAX_QUOTED_CHARACTERS)}"`;

export const isNothing = ({ key }: Text): boolean => key === '';

export const sentences = (...parts: readonly (Text | false | null)[]): Text => {
  const said = parts.filter((part) => part !== false && part !== null && !isNothing(part));
  return said.length === 0 ? nothing : joined(said as readonly Text[], ' ');
};

/** What is from the DNS is in the values. */
const cleaned = (value: Value): Value => {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return cut(clean(value), MAX_SAID_CHARACTERS);
  return 'key' in value ? { key: value.key, values: value.values.map(cleaned) } : value.map(cleaned);
};

export const bounded = (found: readonly string[]): string[] =>
  found.slice(0, MAX_FOUND).map((text) => cut(clean(text), MAX_FOUND_CHARACTERS));

export const checked = (wanted: WantedRecord, judgement: Judgement): CheckedRecord => ({
  ...wanted,
  // A cut record would be invalid.
  value:
    judgement.value !== undefined && judgement.value.length <= MAX_VALUE_CHARACTERS
      ? clean(judgement.value)
      : wanted.value,
  status: judgement.status,
  found: bounded(judgement.found),
  hint: cleaned(judgement.hint) as Text,
});

export const mxText = ({ preference, exchange }: MxAnswer): string =>
  `${preference} ${exchange === '' ? '.' : exchange}`;

const usualReasons: Readonly<Record<LookupFailure, Text>> = {
  servfail: say`the name servers failed (SERVFAIL). Usually DNSSEC is broken (the DS record at the registrar does not match the zone), or the name servers are down or do not have the zone`,
  refused: say`the name server refused to answer (REFUSED). Usually the domain is delegated to a name server that does not have its zone`,
  timeout: say`no name server answered in time. Usually the name servers are down or cannot be reached`,
  malformed: say`the answer could not be read. Usually a name server or firewall on the way is broken`,
};

/** A failed lookup proves nothing: the record may exist. */
export const unknownText = (name: string, reason: LookupFailure): Text =>
  say`Whether the record is there could not be found out: when asked for ${name}, ${usualReasons[reason]}.`;

export const unknown = (name: string, reason: LookupFailure): Judgement => ({
  status: 'error',
  found: [],
  hint: unknownText(name, reason),
});

export const because = (reason: LookupFailure): Text => usualReasons[reason];
