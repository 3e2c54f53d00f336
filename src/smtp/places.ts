// Who gives way where all places of a listener are taken, so that a few clients cannot shut out the others. Pure.

export interface Place {
  /** Whose it is, as `clientKey` names them. */
  readonly client: string;
  /** When the connection last made progress, ms: commands that lead to nothing are none. Infinity while it waits for our reply. */
  readonly activeAt: number;
}

/**
 * The longest idle place of the client with the most, where one more of `newcomer` is counted: a client that has the most
 * takes it from itself. Null where none can be taken.
 */
export const placeToGive = <P extends Place>(places: Iterable<P>, newcomer: string): P | null => {
  const counts = new Map([[newcomer, 1]]);
  const candidates: P[] = [];
  for (const place of places) {
    counts.set(place.client, (counts.get(place.client) ?? 0) + 1);
    if (place.activeAt !== Infinity) candidates.push(place);
  }
  let found: P | null = null;
  const isBefore = (one: P, other: P): boolean => {
    const more = (counts.get(one.client) ?? 0) - (counts.get(other.client) ?? 0);
    return more > 0 || (more === 0 && one.activeAt < other.activeAt);
  };
  for (const place of candidates) if (found === null || isBefore(place, found)) found = place;
  return found;
};
