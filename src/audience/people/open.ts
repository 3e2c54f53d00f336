// The rights of a person: what is held of one address over all of a practice, exported, rectified, erased.
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { createErasures } from './erase.ts';
import { eraseRoutes } from './erase-routes.ts';
import { rectifyRoute } from './rectify.ts';
import { personRoutes } from './routes.ts';

export const openPeople = (context: AudienceContext): Part => ({
  routes: [...personRoutes(context), rectifyRoute(context), ...eraseRoutes(context)],
  tasks: [createErasures(context)],
});
