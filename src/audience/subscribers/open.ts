import type { AudienceContext, Part } from '#src/audience/context.ts';
import { subscriberRoutes } from './routes.ts';

export const openSubscribers = (context: AudienceContext): Part => ({ routes: subscriberRoutes(context) });
