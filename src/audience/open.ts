// Audience: lists of people, their consent and its proof, campaigns, public pages, and the rights of a person.
import { createSecretKey } from 'node:crypto';
import type { Accounts } from '#src/accounts/open.ts';
import type { Feedback } from '#src/feedback/open.ts';
import type { Followers } from '#src/followers/open.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { Relay } from '#src/relay/open.ts';
import { openCampaigns } from './campaigns/open.ts';
import { openConsent } from './consent/open.ts';
import type { AudienceContext, Part } from './context.ts';
import { openImports } from './imports/routes.ts';
import { openLists } from './lists/routes.ts';
import { openLog } from './log/follow.ts';
import { openPeople } from './people/open.ts';
import { openPublicPages } from './public/open.ts';
import { openSubscribers } from './subscribers/open.ts';
import { openAudienceWork } from './work.ts';

/** The rooms that it uses. */
interface AudienceDeps {
  readonly accounts: Accounts;
  readonly feedback: Feedback;
  readonly relay: Relay;
  readonly intake: Intake;
  readonly followers: Followers;
}

export const openAudience = (base: Base, { followers, ...rooms }: AudienceDeps) => {
  const { following } = followers;
  const context: AudienceContext = {
    ...base,
    ...rooms,
    files: base.storage.tenants,
    suppressionKey: rooms.feedback.suppressionKey,
    ledger: { key: createSecretKey(base.key('consent ledger')), kept: () => base.config().retention },
    linkKey: createSecretKey(base.key('audience links')),
    erasureKey: base.key('erasures'),
    hold: (tenantId) => following.hold('audience', tenantId),
    wake: (tenantId) => following.wake('audience', tenantId),
  };
  const openPart: readonly ((context: AudienceContext) => Part)[] = [
    openLists,
    openSubscribers,
    openCampaigns,
    openConsent,
    openLog,
    openImports,
    openPeople,
    openPublicPages,
  ];
  const parts = openPart.map((open) => open(context));
  const work = openAudienceWork(
    { ...context, following },
    parts.flatMap(({ tasks = [] }) => tasks),
  );
  return {
    routes: parts.flatMap(({ routes }) => routes),
    jobs: parts.flatMap(({ jobs = [] }) => jobs),
    nightly: parts.flatMap(({ nightly = [] }) => nightly),
    /** Ends what is worked on after the transaction in progress; before the followers stop. */
    stopWork: work.stop,
    stop: async () => {
      await Promise.all(parts.map(({ stop }) => stop?.()));
    },
  } satisfies Room & Record<string, unknown>;
};
