// Which upstream takes the next message: the first of the list that may. Pure.

export interface Candidate<U> {
  readonly upstream: U;
  /** May it be tried now (closed), tried once (half-open), or not at all (open until `retryAt`). */
  readonly state: 'closed' | 'half_open' | 'open';
  readonly retryAt: number | null;
}

export type Choice<U> =
  | { readonly kind: 'use'; readonly upstream: U }
  /** One message may find out whether it is back. */
  | { readonly kind: 'probe'; readonly upstream: U }
  /** None may be tried before `until`. */
  | { readonly kind: 'wait'; readonly until: number | null };

/**
 * A healthy one before any probe: it bounds how much may be under way. Where none is healthy, the first that may be
 * probed. (One set aside that stands before a healthy one gets single probes: ways-out.ts, `take`.)
 */
export const chooseUpstream = <U>(candidates: readonly Candidate<U>[]): Choice<U> => {
  const healthy = candidates.find(({ state }) => state === 'closed');
  if (healthy) return { kind: 'use', upstream: healthy.upstream };
  const probe = candidates.find(({ state }) => state === 'half_open');
  if (probe) return { kind: 'probe', upstream: probe.upstream };
  const times = candidates.flatMap(({ retryAt }) => (retryAt === null ? [] : [retryAt]));
  return { kind: 'wait', until: times.length === 0 ? null : Math.min(...times) };
};
