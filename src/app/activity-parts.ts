// The activity of a practice, as pages and live: part of the composition root.
import { createLive, usualLimits } from '#src/followers/activity/live.ts';
import { activityRoutes } from '#src/followers/activity/routes.ts';
import type { FollowerDeps } from './follower-parts.ts';
import type { Part } from './part.ts';

export interface ActivityParts extends Pick<Part, 'routes'> {
  /** Ends the live streams; new ones are refused. */
  endStreams(): void;
}

export const activityParts = ({ storage, streamBeatMs }: FollowerDeps): ActivityParts => {
  const files = storage.tenants;
  const live = createLive(files, {
    ...usualLimits,
    ...(streamBeatMs === undefined ? {} : { beatMs: streamBeatMs }),
  });
  return { routes: activityRoutes({ files, live }), endStreams: () => live.stop() };
};
