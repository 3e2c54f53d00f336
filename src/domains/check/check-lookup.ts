// The lookups of one check: each question is asked once, a bounded number at a time, and aliases are followed.

import { limitConcurrency } from '#src/kernel/concurrency.ts';
import type { DnsLookup, Lookup } from '#src/kernel/dns-lookup.ts';

/** A check asks about 20 questions at first. The resolver has other work as well. */
const MAX_AT_ONCE = 24;
/** Resolvers follow about as many (BIND 16, Unbound 11). */
const MAX_ALIASES = 10;

/** The TXT records of a name, or those at the end of its aliases. */
export interface Texts {
  readonly answer: Lookup<readonly string[]>;
  /** The targets of the aliases, in order. */
  readonly aliases: readonly string[];
}

export interface CheckLookup extends DnsLookup {
  /**
   * Follows aliases itself, because an authoritative server that is asked directly does not follow them into other
   * zones.
   */
  texts(name: string): Promise<Texts>;
  /** The targets of an alias in order; empty for a name that is no alias. */
  aliases(name: string): Promise<readonly string[]>;
}

export const valuesOf = <T>(answer: Lookup<T>): readonly T[] =>
  answer.kind === 'found' ? answer.records : [];

const once = <T>(ask: (name: string) => Promise<T>): ((name: string) => Promise<T>) => {
  const asked = new Map<string, Promise<T>>();
  return (name) => {
    const key = name.toLowerCase();
    const answer = asked.get(key) ?? ask(key);
    asked.set(key, answer);
    return answer;
  };
};

export const createCheckLookup = (lookup: DnsLookup): CheckLookup => {
  const inTurn = limitConcurrency(MAX_AT_ONCE);
  const limited = <T>(ask: (name: string) => Promise<Lookup<T>>) =>
    once((name: string) => inTurn(() => ask(name)));
  const txt = limited((name) => lookup.txt(name));
  const cname = limited((name) => lookup.cname(name));
  const aliases = async (name: string): Promise<readonly string[]> => {
    const chain: string[] = [];
    for (let at = name; chain.length < MAX_ALIASES; ) {
      const [next] = valuesOf(await cname(at));
      if (next === undefined || next === name || chain.includes(next)) break;
      chain.push(next);
      at = next;
    }
    return chain;
  };
  const texts = async (name: string): Promise<Texts> => {
    const answer = await txt(name);
    if (answer.kind !== 'none') return { answer, aliases: [] };
    const chain = await aliases(name);
    const end = chain.at(-1);
    const next = await cname(end ?? name);
    // The name may be an alias of one that has TXT records.
    if (next.kind === 'failed') return { answer: next, aliases: chain };
    return { answer: end === undefined ? answer : await txt(end), aliases: chain };
  };
  return {
    txt,
    cname,
    mx: limited((name) => lookup.mx(name)),
    ns: limited((name) => lookup.ns(name)),
    addresses: limited((name) => lookup.addresses(name)),
    texts,
    aliases,
  };
};
