// The two streams of mail, which must never harm each other: a route belongs to one of them, counters and reputation are kept
// apart, and in the queue each is a lane of its own.

export const streams = ['transactional', 'marketing'] as const;
export type Stream = (typeof streams)[number];

/** Lanes of the queue; the smaller number goes first. */
export type Lane = 0 | 1;
export const lanes: readonly Lane[] = [0, 1];
export const laneOf: Readonly<Record<Stream, Lane>> = { transactional: 0, marketing: 1 };
