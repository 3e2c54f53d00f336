// Chat alerts: part of the composition root.
import type { Follower } from '#src/events/following.ts';
import type { Visitor } from '#src/retention/nightly-job.ts';
import type { FollowerDeps } from './follower-parts.ts';
import type { Part } from './part.ts';

export interface AlertParts extends Part {
  readonly follower: Follower;
  readonly visitors: readonly Visitor[];
}

export const alertParts = (_deps: FollowerDeps): AlertParts => ({
  routes: [],
  jobs: [],
  visitors: [],
  follower: { name: 'alerts', turn: async () => 'nobody' },
  stop: async () => {},
});
