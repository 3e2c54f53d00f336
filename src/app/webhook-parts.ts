// Webhooks: part of the composition root.
import type { Follower } from '#src/events/following.ts';
import type { Visitor } from '#src/retention/nightly-job.ts';
import type { FollowerDeps } from './follower-parts.ts';
import type { Part } from './part.ts';

export interface WebhookParts extends Part {
  readonly follower: Follower;
  readonly visitors: readonly Visitor[];
  facts(): Readonly<Record<string, number>>;
}

export const webhookParts = (_deps: FollowerDeps): WebhookParts => ({
  routes: [],
  jobs: [],
  visitors: [],
  facts: () => ({ in_flight: 0 }),
  follower: { name: 'webhooks', turn: async () => 'nobody' },
  stop: async () => {},
});
