// Message kinds and the stream each belongs to. Whether a kind is marketing decides its route, its lane in the queue
// and how long it is retried.

export const channels = ['termin', 'recall', 'newsletter', 'transactional', 'other'] as const;
export type Channel = (typeof channels)[number];

export const streams = ['transactional', 'marketing'] as const;
/** Also the type of a route: the two streams never share reputation or volume counters. */
export type Stream = (typeof streams)[number];

interface KindFacts {
  readonly stream: Stream;
  readonly channel: Channel;
  readonly legalBasis: 'contract' | 'consent';
}

export const kinds = {
  termin: { stream: 'transactional', channel: 'termin', legalBasis: 'contract' },
  recall: { stream: 'transactional', channel: 'recall', legalBasis: 'contract' },
  transactional: { stream: 'transactional', channel: 'transactional', legalBasis: 'contract' },
  doi: { stream: 'transactional', channel: 'newsletter', legalBasis: 'consent' },
  newsletter: { stream: 'marketing', channel: 'newsletter', legalBasis: 'consent' },
  custom: { stream: 'marketing', channel: 'other', legalBasis: 'consent' },
  quality: { stream: 'transactional', channel: 'transactional', legalBasis: 'contract' },
  test: { stream: 'transactional', channel: 'transactional', legalBasis: 'contract' },
} as const satisfies Record<string, KindFacts>;

export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as [Kind, ...Kind[]];

/** What a message is where its sender names no kind. */
export const defaultKind: Readonly<Record<Stream, Kind>> = {
  transactional: 'transactional',
  marketing: 'newsletter',
};

/** Queue lanes; the smaller number goes first. */
export const laneOf: Readonly<Record<Stream, Lane>> = { transactional: 0, marketing: 1 };
export type Lane = 0 | 1;
export const lanes: readonly Lane[] = [0, 1];
