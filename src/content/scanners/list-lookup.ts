// Looks names up in DNS block lists (RFC 5782), and keeps recent answers: lists seldom change faster, and a thousand mails with
// the same link, or from the same client, need one lookup.
import type { ZoneLookup } from '#src/kernel/dns-lookup.ts';
import { type Clock, MINUTE } from '#src/kernel/time.ts';
import { type ListAnswer, type ListFamily, readListAnswer } from './list-codes.ts';

const KEPT = 5 * MINUTE;
const MAX_KEPT = 20_000;

export interface DnsList {
  readonly zone: string;
  readonly family: ListFamily;
}

/** Keeps recent answers; if it is full, the oldest is removed. */
const createMemory = (clock: Clock) => {
  const kept = new Map<string, { readonly answer: ListAnswer; readonly until: number }>();
  return {
    get: (name: string): ListAnswer | null => {
      const found = kept.get(name);
      return found && found.until > clock.now() ? found.answer : null;
    },
    put: (name: string, answer: ListAnswer): void => {
      kept.delete(name);
      if (kept.size >= MAX_KEPT) for (const oldest of kept.keys()) if (kept.delete(oldest)) break;
      kept.set(name, { answer, until: clock.now() + KEPT });
    },
  };
};

/** Throws unless the answer to a name that no list may have (RFC 5782 §5) is that of a list: some abandoned ones have every name. */
export const refuseBroken = ({ family }: DnsList, { kind }: ListAnswer): void => {
  if (kind === 'listed') throw new Error(`${family.name} lists what no list may`);
  if (kind === 'unusable') throw new Error(`${family.name} does not answer as a list does`);
};

/** `label`: the part of the name before the zone. */
export const createListLookup = (lookup: Pick<ZoneLookup, 'ipv4'>, clock: Clock) => {
  const memory = createMemory(clock);
  const ask = async ({ zone, family }: DnsList, label: string): Promise<ListAnswer> => {
    const name = `${label}.${zone}`;
    const found = await lookup.ipv4(name);
    if (found.kind === 'failed') return { kind: 'unusable' };
    const answer: ListAnswer =
      found.kind === 'none' ? { kind: 'clean' } : readListAnswer(family, found.records);
    if (answer.kind !== 'unusable') memory.put(name, answer);
    return answer;
  };
  return {
    /** Asks the list now. */
    ask,
    /** Asks it unless it has answered recently. */
    look: async (list: DnsList, label: string): Promise<ListAnswer> =>
      memory.get(`${label}.${list.zone}`) ?? ask(list, label),
  };
};
