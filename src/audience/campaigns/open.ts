// Campaigns: a message to the people of lists, each once.
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { campaignResultRoutes } from './results-routes.ts';
import { campaignRoutes } from './routes.ts';
import { statusRoutes } from './status-routes.ts';
import { campaignTask } from './task.ts';
import { campaignTrialRoutes } from './trial-routes.ts';

export const openCampaigns = (context: AudienceContext): Part => ({
  routes: [
    ...campaignRoutes(context),
    ...statusRoutes(context),
    ...campaignTrialRoutes(context),
    ...campaignResultRoutes(context),
  ],
  tasks: [campaignTask(context)],
});
