// At which shares of the plan's cap its owners are told. Pure.

/** Per cent, rising. */
export const toldShares = [70, 90, 100] as const;
export type ToldShare = (typeof toldShares)[number];

/** The highest of them that is reached; 0 where none is. */
export const reachedShare = (used: number, cap: number): ToldShare | 0 =>
  toldShares.findLast((share) => used * 100 >= cap * share) ?? 0;
