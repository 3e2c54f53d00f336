// Audience: lists of people, their consent and its proof, campaigns, public pages, and the rights of a person.

import type { Accounts } from '#src/accounts/open.ts';
import type { Following } from '#src/events/follow.ts';
import type { Feedback } from '#src/feedback/open.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { bounces, campaigns } from './campaigns/export-tables.ts';
import { openCampaigns } from './campaigns/open.ts';
import { heldMailsTask } from './consent/held-mails.ts';
import { mailsTask, removeUnsent } from './consent/mails-task.ts';
import { removeOldClients } from './consent/old-clients.ts';
import { consentRoutes } from './consent/routes.ts';
import type { AudienceContext, Part } from './context.ts';
import { openImports } from './imports/routes.ts';
import { letterheadRoutes } from './letterhead/routes.ts';
import { openLists } from './lists/routes.ts';
import { openLog } from './log/follow.ts';
import { createErasures, sealedAddresses } from './people/erase.ts';
import { eraseRoutes } from './people/erase-routes.ts';
import { rectifyRoute } from './people/rectify.ts';
import { personRoutes } from './people/routes.ts';
import { personalData } from './personal-data.ts';
import { confirmRoutes } from './public/confirm-routes.ts';
import { preferencesRoutes } from './public/preferences-routes.ts';
import { subscribeRoutes } from './public/subscribe-routes.ts';
import { removeUnconfirmed } from './subscribers/expire.ts';
import { forgetOldReadings } from './subscribers/old-readings.ts';
import { subscriberRoutes } from './subscribers/routes.ts';
import { openAudienceWork } from './work.ts';

/** The rooms that it uses. */
interface AudienceDeps {
  readonly accounts: Accounts;
  readonly feedback: Feedback;
  readonly leftAs: AudienceContext['leftAs'];
  readonly intake: Intake;
  readonly following: Following;
  /** What the other rooms hand in, in the order of an erasure. */
  readonly personalData: AudienceContext['personalData'];
}

export const openAudience = (base: Base, { following, ...rooms }: AudienceDeps) => {
  const context: AudienceContext = {
    ...base,
    ...rooms,
    personalData: [...rooms.personalData, personalData],
    files: base.storage.tenants,
    suppressionKey: rooms.feedback.suppressionKey,
    ledger: { key: base.key('consent ledger'), kept: () => base.config().retention },
    linkKey: base.key('audience links'),
    erasureKey: base.key('erasures'),
    hold: (tenantId) => following.hold('audience', tenantId),
    wake: (tenantId) => following.wake('audience', tenantId),
  };
  const parts: readonly Part[] = [
    openLists(context),
    { routes: subscriberRoutes(context), nightly: [removeUnconfirmed(context), forgetOldReadings(context)] },
    openCampaigns(context),
    { routes: letterheadRoutes(context) },
    {
      routes: consentRoutes(context),
      tasks: [mailsTask(context), heldMailsTask(context)],
      nightly: [removeUnsent(context), removeOldClients(context)],
    },
    openLog(context),
    openImports(context),
    {
      routes: [...personRoutes(context), rectifyRoute(context), ...eraseRoutes(context)],
      tasks: [createErasures(context)],
    },
    { routes: [...subscribeRoutes(context), ...confirmRoutes(context), ...preferencesRoutes(context)] },
  ];
  const work = openAudienceWork(
    context,
    following,
    parts.flatMap(({ tasks = [] }) => tasks),
  );
  return {
    routes: parts.flatMap(({ routes }) => routes),
    jobs: parts.flatMap(({ jobs = [] }) => jobs),
    nightly: parts.flatMap(({ nightly = [] }) => nightly),
    personalData,
    sealed: { tenant: [sealedAddresses] },
    exports: { campaigns, bounces },
    /** Ends what is worked on after the transaction in progress; before the followers stop. */
    stopWork: work.stop,
    stop: async () => {
      await Promise.all(parts.map(({ stop }) => stop?.()));
    },
  } satisfies Room & Record<string, unknown>;
};
