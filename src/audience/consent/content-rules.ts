// What is wrong with the content of an entry, apart from its place in the chain: personal values that are not those it commits to,
// documents that are not those it names. Pure.
import { type ConsentFacts, canonicalJson, commitmentOf, SALT_BYTES } from './entry.ts';

/** What is wrong with the ledger, and where. */
export interface Fault {
  /** The number of the entry; null: about no entry. */
  readonly seq: number | null;
  readonly id: string | null;
  readonly what: string;
}

/** A document that was looked for; `gone`: there is none. */
export type DocumentState = 'right' | 'changed' | 'gone';

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null unless the text is canonical and has what the check needs. */
const factsOf = (json: string): ConsentFacts | null => {
  const facts = parsed(json);
  return isObject(facts) && isObject(facts.commitments) && canonicalJson(facts) === json
    ? (facts as unknown as ConsentFacts)
    : null;
};

const isOpening = (value: unknown): value is { salt: string; value: string } =>
  isObject(value) &&
  typeof value.value === 'string' &&
  typeof value.salt === 'string' &&
  // If the length were another, some of the value could be taken for salt.
  Buffer.from(value.salt, 'base64').length === SALT_BYTES;

const documentKinds = ['wording', 'form', 'mail'] as const;

/** Null: nothing is wrong. */
export const contentFault = (
  facts_json: string,
  openings_json: string,
  documentState: (hash: string) => DocumentState,
): string | null => {
  const facts = factsOf(facts_json);
  if (facts === null) return 'its facts cannot be read';
  const openings = parsed(openings_json);
  if (!isObject(openings)) return 'its personal values cannot be read';
  const commitments: Readonly<Record<string, unknown>> = facts.commitments;
  for (const [name, opening] of Object.entries(openings))
    if (!isOpening(opening) || commitmentOf(opening) !== commitments[name])
      return `its ${name} is not the one that was written`;
  for (const kind of documentKinds) {
    const hash = facts[kind];
    const state = hash === null ? 'right' : documentState(hash);
    // The mails of a person are erased with what else is said of them.
    const isErased = kind === 'mail' && state === 'gone' && openings.address === undefined;
    if (state !== 'right' && !isErased)
      return `its ${kind} is ${state === 'gone' ? 'missing' : 'not the one that was written'}`;
  }
  return null;
};
