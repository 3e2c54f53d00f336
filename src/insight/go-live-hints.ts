// What the hints of the go-live checks name: what is missing, and what is not right. Pure.

import { missingLegal } from '#src/accounts/tenants/legal.ts';
import type { HostCheck } from '#src/domains/records/host-check.ts';
import { dnsTrouble, failingIn, type GoLiveFacts } from './rules.ts';

/** Enough names, like `TXT example.org (multiple)`, to begin with; `check-dns` returns all of them. */
const MAX_NAMED = 5;
const namesOfFailing = (check: HostCheck | undefined): string => {
  const failing = (check === undefined ? [] : failingIn(check)).map(
    ({ type, name, status }) => `${type} ${name} (${status})`,
  );
  return [...failing.slice(0, MAX_NAMED), ...(failing.length > MAX_NAMED ? ['…'] : [])].join(', ');
};

export interface HintFacts extends Pick<GoLiveFacts, 'host' | 'pendingDomain' | 'publicOrigin' | 'isHeld'> {
  /** Fields of the legal block. */
  readonly missing: readonly string[];
  /** The records of the DNS that are not right; null: they were not checked for too long. */
  readonly failing: string | null;
}

export const hintFactsOf = (facts: GoLiveFacts, now: number): HintFacts => ({
  ...facts,
  missing: missingLegal(facts),
  failing: dnsTrouble(facts, now) === 'failing' ? namesOfFailing(facts.lastCheck?.check) : null,
});
