// Message kinds and the stream each belongs to. Whether a kind is marketing decides its route, its lane in the queue
// and how long it is retried.

import type { Stream } from '#src/kernel/stream.ts';

export const channels = ['termin', 'recall', 'newsletter', 'transactional', 'other'] as const;
export type Channel = (typeof channels)[number];

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
