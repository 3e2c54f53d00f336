// Subscribers of lists: their routes, and the end of those who never confirm.
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { removeUnconfirmed } from './expire.ts';
import { subscriberRoutes } from './routes.ts';

export const openSubscribers = (context: AudienceContext): Part => ({
  routes: subscriberRoutes(context),
  nightly: [removeUnconfirmed(context)],
});
