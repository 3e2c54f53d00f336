// The activity of a practice, as pages and live: part of the composition root.
import type { FollowerDeps } from './follower-parts.ts';
import type { Part } from './part.ts';

export interface ActivityParts extends Pick<Part, 'routes'> {
  /** Ends the live streams; new ones are refused. */
  endStreams(): void;
}

export const activityParts = (_deps: FollowerDeps): ActivityParts => ({ routes: [], endStreams: () => {} });
