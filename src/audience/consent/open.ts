// The part of the consent ledger: its routes, what follows a confirmation mail or lets it go, and the retention of what is said of clients.
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { heldMailsTask } from './held-mails.ts';
import { mailsTask, removeUnsent } from './mails-task.ts';
import { removeOldClients } from './old-clients.ts';
import { consentRoutes } from './routes.ts';

export const openConsent = (context: AudienceContext): Part => ({
  routes: consentRoutes(context),
  tasks: [mailsTask(context), heldMailsTask(context)],
  nightly: [removeUnsent(context), removeOldClients(context)],
});
