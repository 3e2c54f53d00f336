// Accounts: tenants with their projects, routes and billing, the people in them and how they sign in, abuse tickets, the waiting
// list, and the outbox of the service's own mails.

import { auditRoutes } from '#src/events/audit-routes.ts';
import { type Base, CUT_OFF_MS, type Room } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { createRateCheck } from '#src/kernel/rate-limit.ts';
import { abuseRoutes } from './abuse/routes.ts';
import { sourcesOfClient } from './abuse/rules.ts';
import { ticketRetentionJob } from './abuse/tickets.ts';
import { openBilling } from './billing/billing.ts';
import { createOutbox, type OwnerNoticesDeps } from './mails/outbox.ts';
import { pageRoutes } from './pages/routes.ts';
import { accountRoutes } from './people/account-routes.ts';
import { createAuthenticate } from './people/authenticate.ts';
import { createEnterTenant, createMayCreatePractice } from './people/enter.ts';
import { invitationRoutes } from './people/invitation-routes.ts';
import { createInvitationLimit, type InviteDeps } from './people/inviting.ts';
import { createSessionsLastUsed, createTokensLastUsed, lastUsedJob } from './people/last-used.ts';
import { memberRoutes, membershipRoutes } from './people/member-routes.ts';
import { createFindOperator, createNoteEntrance } from './people/operators.ts';
import { practiceOwners } from './people/owners.ts';
import { createPasswords } from './people/passwords.ts';
import { roleRoutes } from './people/role-routes.ts';
import { sessionRoutes } from './people/session-routes.ts';
import { createSessions } from './people/sessions.ts';
import { sessionsCleanupJob } from './people/sessions-cleanup.ts';
import { createSignInCodes } from './people/sign-in-codes.ts';
import { signInRoutes } from './people/sign-in-routes.ts';
import { tokenRoutes } from './people/token-routes.ts';
import { type CreateTenantDeps, createRegisterProjects } from './tenants/create.ts';
import { sendFaultNotices } from './tenants/fault-notices.ts';
import { createFileJob } from './tenants/file-job.ts';
import type { TenantHosts } from './tenants/hosts.ts';
import { operatorRoutes } from './tenants/operator-routes.ts';
import { practiceRoutes } from './tenants/practice-routes.ts';
import { projectRoutes } from './tenants/project-routes.ts';
import { registryStore } from './tenants/registry-store.ts';
import type { Answering } from './tenants/reply-address.ts';
import { routeRoutes } from './tenants/route-routes.ts';
import { waitlistRoutes } from './waitlist/routes.ts';

export type Accounts = ReturnType<typeof openAccounts>;

/** `hosts` is asked when a tenant is created, `answering` where an address for answers is set; the rooms behind both are opened later. */
export const openAccounts = (base: Base, hosts: () => TenantHosts, answering: () => Answering) => {
  const { config, storage, clock, log } = base;
  const { platform, tenants: files } = storage;
  const { service, admin } = config();
  const origin = service.public_origin;
  const serviceName = service.name;

  const outbox = createOutbox(base.key('notices'));
  let notifyPostman = (): void => undefined;
  const notices = { enqueue: outbox.enqueue, wake: () => notifyPostman() };
  const ownersOf = practiceOwners(storage);
  const ownerNotices: OwnerNoticesDeps = { files, platform, notices, ownersOf, clock, log, origin };

  const tokensLastUsed = createTokensLastUsed(files, clock);
  const sessionsLastUsed = createSessionsLastUsed(platform, clock);
  const findOperator = createFindOperator(() => config().operators);
  const sessions = createSessions({
    platform,
    clock,
    lastUsed: sessionsLastUsed,
    findOperator,
    csrfKey: base.key('csrf'),
    isHttps: origin.startsWith('https:'),
  });
  const limitEmail = createRateCheck(
    clock,
    () => base.limits().signInPerEmail,
    'Too many requests for this e-mail address.',
  );
  const limitSources = createRateCheck(
    clock,
    () => sourcesOfClient,
    'Too much reported mail from this network today: send the report without the mail.',
  );
  const tenantDeps: CreateTenantDeps = {
    storage,
    clock,
    hosts,
    safeModeDefault: () => config().safe_mode.default,
  };
  const signIn = {
    storage,
    clock,
    codes: createSignInCodes(base.key('sign-in codes')),
    sessions,
    passwords: createPasswords(),
    notices,
    origin,
    limitEmail,
    findOperator,
    passwordLogin: () => config().auth.password_login,
  };
  const people: InviteDeps = {
    storage,
    clock,
    queue: createKeyedQueue(),
    notices,
    origin,
    limitEmail,
    limitInvitations: createInvitationLimit(clock),
  };

  const billing = openBilling(base, ownerNotices);

  const endFaultNotices = sendFaultNotices({
    storage,
    notices,
    clock,
    log,
    origin,
    operator: () => config().admin.mail ?? config().smtp.inbound?.postmaster ?? null,
  });

  const { job: fileJob, strays } = createFileJob(storage, log);

  return {
    outbox,
    notices,
    ownersOf,
    ownerNotices,
    tenantDeps,
    /** `listener` is called after each commit that has put a notice into the outbox. */
    onNotice: (listener: () => void) => {
      notifyPostman = listener;
    },
    /** Directories that belong to no tenant. */
    strays,
    tenantExists: (id: string) => platform.peek((db) => registryStore(db).get(id)) !== undefined,
    /** The practice of that project; the id itself where no project has it. */
    practiceNamed: (id: string) => platform.peek((db) => registryStore(db).tenantOfProject(id)) ?? id,
    authenticate: createAuthenticate({
      platform,
      clock,
      adminToken: admin.token?.reveal() ?? null,
      lastUsed: tokensLastUsed,
      sessions,
    }),
    enterTenant: createEnterTenant(storage),
    noteEntrance: createNoteEntrance(files, clock),
    mayCreatePractice: createMayCreatePractice(storage),
    routes: [
      ...practiceRoutes({ ...tenantDeps, notices, origin }, answering),
      ...operatorRoutes(base),
      ...pageRoutes(base),
      ...auditRoutes(storage),
      ...projectRoutes(base, answering),
      ...routeRoutes(base, answering),
      ...signInRoutes(signIn),
      ...accountRoutes(signIn),
      ...sessionRoutes(signIn),
      ...memberRoutes(people),
      ...roleRoutes(base),
      ...invitationRoutes({ ...people, sessions, serviceName }),
      ...membershipRoutes(people),
      ...tokenRoutes(base),
      ...abuseRoutes({ platform, notices, limitEmail, limitSources, clock, serviceName }),
      ...waitlistRoutes({ platform, limitEmail, clock, serviceName }),
      ...billing.routes,
    ],
    nightly: [
      { what: 'projects that the registry does not know', run: createRegisterProjects(storage) },
      ...billing.nightly,
    ],
    jobs: [
      lastUsedJob('note when tokens were used', tokensLastUsed),
      lastUsedJob('note when sessions were used', sessionsLastUsed),
      sessionsCleanupJob(platform, clock, signIn.codes.removeOld),
      fileJob,
      ticketRetentionJob({ platform, keep: () => config().retention.abuse_tickets, clock }),
    ],
    /** Writes when credentials were last used; what cannot be written in time looks a minute older. */
    stop: async () => {
      endFaultNotices();
      await billing.stop();
      for (const lastUsed of [tokensLastUsed, sessionsLastUsed])
        await lastUsed
          .flush(AbortSignal.timeout(CUT_OFF_MS))
          .catch((error) => log.warn({ err: error }, 'the last use was not noted'));
    },
  } satisfies Room & Record<string, unknown>;
};
