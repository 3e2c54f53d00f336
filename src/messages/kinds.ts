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

/** Kinds about health, or which ask for a consent that has not been given yet: they carry no advertising and are not tracked. */
export const delicateKinds: ReadonlySet<Kind> = new Set(['termin', 'recall', 'doi']);

/** The kind of campaigns to people who consented to that channel; undefined: there are none. */
export const campaignKind = (channel: Channel): Kind | undefined =>
  kindNames.find((kind) => kinds[kind].channel === channel && kinds[kind].stream === 'marketing');

/** The slug of the route of each stream that every practice has from its beginning. */
export const builtInRoute: Readonly<Record<Stream, string>> = {
  transactional: 'outgoing',
  marketing: 'broadcast',
};

/** The kind of a message whose sender names none. */
export const defaultKind: Readonly<Record<Stream, Kind>> = {
  transactional: 'transactional',
  marketing: 'newsletter',
};
