// The lookups of one check: each question once, all at the same time as far as bounds allow, and along aliases.

import { limitConcurrency } from '#src/kernel/concurrency.ts';
import type { DnsLookup, Lookup } from '#src/kernel/dns-lookup.ts';

/** What a check asks without waiting for anything: about 20 questions. The resolver has others to serve. */
const MAX_AT_ONCE = 24;
/** Resolvers follow about as many (BIND 16, Unbound 11). */
const MAX_ALIASES = 10;

/** The TXT records of a name, those at the end of its aliases. */
export interface Texts {
  readonly answer: Lookup<readonly string[]>;
  /** What the name is an alias of, in the order of the way. */
  readonly aliases: readonly string[];
}

export interface CheckLookup extends DnsLookup {
  /** Follows aliases itself: a server that is asked without a resolver in between follows none into another zone. */
  texts(name: string): Promise<Texts>;
  /** Where an alias leads, link by link; empty where the name is none. */
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
    // It may be an alias of a name that has some.
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
