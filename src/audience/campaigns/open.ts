// Campaigns: a message to the people of lists, each once.
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { segmentRoutes } from '../segments/routes.ts';
import { campaignResultRoutes } from './results-routes.ts';
import { campaignRoutes } from './routes.ts';
import { statusRoutes } from './status-routes.ts';
import { campaignTask } from './task.ts';
import { campaignTrialRoutes } from './trial-routes.ts';

/** Each takes some seconds of the event loop for 100,000 people, in small pieces. */
const COUNTS_PER_MINUTE = 20;

export const openCampaigns = (base: AudienceContext): Part => {
  const limitCounts = createRateCheck(
    base.clock,
    () => perMinute(COUNTS_PER_MINUTE),
    say`Audiences are counted ${COUNTS_PER_MINUTE} times a minute at most.`,
  );
  const context = { ...base, limitCounts };
  return {
    routes: [
      ...campaignRoutes(context),
      ...statusRoutes(context),
      ...campaignTrialRoutes(context),
      ...segmentRoutes(base, limitCounts),
      ...campaignResultRoutes(context),
    ],
    tasks: [campaignTask(context)],
  };
};
