// Message kinds and the stream each belongs to. Whether a kind is marketing decides its route, its lane in the queue
// and how long it is retried.

import type { Stream } from '#src/kernel/stream.ts';

export const channels = ['termin', 'recall', 'newsletter', 'transactional', 'other'] as const;
export type Channel = (typeof channels)[number];

interface KindFacts {
  readonly stream: Stream;
  readonly channel: Channel;
  readonly legalBasis: 'contract' | 'consent';
  /** Whether opens and clicks are tracked if the message does not say so itself. */
  readonly tracking: 'off' | 'as its route';
}

export const kinds = {
  termin: { stream: 'transactional', channel: 'termin', legalBasis: 'contract', tracking: 'off' },
  recall: { stream: 'transactional', channel: 'recall', legalBasis: 'contract', tracking: 'off' },
  transactional: {
    stream: 'transactional',
    channel: 'transactional',
    legalBasis: 'contract',
    tracking: 'as its route',
  },
  doi: { stream: 'transactional', channel: 'newsletter', legalBasis: 'consent', tracking: 'off' },
  newsletter: { stream: 'marketing', channel: 'newsletter', legalBasis: 'consent', tracking: 'as its route' },
  custom: { stream: 'marketing', channel: 'other', legalBasis: 'consent', tracking: 'as its route' },
  quality: { stream: 'transactional', channel: 'transactional', legalBasis: 'contract', tracking: 'off' },
  test: { stream: 'transactional', channel: 'transactional', legalBasis: 'contract', tracking: 'off' },
} as const satisfies Record<string, KindFacts>;

export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as [Kind, ...Kind[]];

/** The kind of a message whose sender names none. */
export const defaultKind: Readonly<Record<Stream, Kind>> = {
  transactional: 'transactional',
  marketing: 'newsletter',
};
