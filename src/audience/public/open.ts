// The public part of an audience: the pages and forms of people who subscribe, confirm, and choose among their lists.
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { confirmRoutes } from './confirm-routes.ts';
import { preferencesRoutes } from './preferences-routes.ts';
import { subscribeRoutes } from './subscribe-routes.ts';

export const openPublicPages = (context: AudienceContext): Part => ({
  routes: [...subscribeRoutes(context), ...confirmRoutes(context), ...preferencesRoutes(context)],
});
