// Accounts: tenants with their projects, routes and billing, who may enter them, abuse tickets, the waiting list, and the
// outbox of the service's own mails.

import type { Written } from '#src/events/written.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { createRateCheck } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { abuseRoutes } from './abuse/routes.ts';
import { sourcesOfClient } from './abuse/rules.ts';
import { ticketRetentionJob } from './abuse/tickets.ts';
import { openBilling } from './billing/billing.ts';
import { stats } from './counters/export-table.ts';
import { createEnterTenant, createMayCreatePractice } from './entry/enter.ts';
import { practiceOwners } from './entry/owners.ts';
import { registerEntry } from './entry/registers.ts';
import { credentialStore } from './entry/token-store.ts';
import { createOutbox, type OwnerNoticesDeps } from './mails/outbox.ts';
import { pageRoutes } from './pages/routes.ts';
import { personalData } from './personal-data.ts';
import { type CreateTenantDeps, createRegisterProjects } from './tenants/create.ts';
import { sendFaultNotices } from './tenants/fault-notices.ts';
import { fileHealth } from './tenants/file-health.ts';
import { createFileJob } from './tenants/file-job.ts';
import { fileMetrics } from './tenants/file-metrics.ts';
import type { TenantHosts } from './tenants/hosts.ts';
import { operatorRoutes } from './tenants/operator-routes.ts';
import { practiceRoutes } from './tenants/practice-routes.ts';
import { projectRoutes } from './tenants/project-routes.ts';
import { createRegisters } from './tenants/registers.ts';
import { registryStore } from './tenants/registry-store.ts';
import { createReplicaNotices } from './tenants/replica-notices.ts';
import type { Answering } from './tenants/reply-address.ts';
import { tenantStore } from './tenants/store.ts';
import { createSummaries } from './tenants/summaries.ts';
import { openWaitlist } from './waitlist/routes.ts';

export type Accounts = ReturnType<typeof openAccounts>;

/** What it asks of rooms that are opened later. */
interface Asks {
  /** When a tenant is created. */
  readonly hosts: () => TenantHosts;
  /** Where an address for answers is set. */
  readonly answering: () => Answering;
  /** After each commit that has put a notice into the outbox. */
  readonly sendNotices: () => () => void;
}

export const openAccounts = (base: Base, written: Written, { hosts, answering, sendNotices }: Asks) => {
  const { config, storage, clock, log } = base;
  const { platform, tenants: files } = storage;
  const { service } = config();
  const origin = service.public_origin;
  const serviceName = service.name;

  const outbox = createOutbox(base.key('notices'));
  const notices = { enqueue: outbox.enqueue, wake: () => sendNotices()() };
  const ownersOf = practiceOwners(storage);
  const ownerNotices: OwnerNoticesDeps = { files, platform, notices, ownersOf, clock, log, origin };

  const limitEmail = createRateCheck(
    clock,
    () => base.limits().signInPerEmail,
    say`Too many requests for this e-mail address.`,
  );
  const limitSources = createRateCheck(
    clock,
    () => sourcesOfClient,
    say`Too much reported mail from this network today: send the report without the mail.`,
  );
  const tenantDeps: CreateTenantDeps = {
    storage,
    clock,
    hosts,
    safeModeDefault: () => config().safe_mode.default,
    keys: base,
  };
  const billing = openBilling(base, ownerNotices);
  const waitlist = openWaitlist(base, limitEmail);

  const operator = (): string | null => config().admin.mail ?? config().smtp.inbound?.postmaster ?? null;
  const endFaultNotices = sendFaultNotices(base, notices, origin, operator);

  const { job: fileJob, strays } = createFileJob(storage, log);
  const registerTenant = createRegisters(base);
  const summaries = createSummaries(base, written);

  return {
    outbox,
    notices,
    limitEmail,
    ownersOf,
    ownerNotices,
    /** The address of who runs the service. */
    operator,
    replicaNotices: createReplicaNotices(base, notices, origin, operator),
    tenantDeps,
    joinForm: waitlist.joinForm,
    isInSafeMode: (id: string) => files.read(id, (db) => tenantStore(db).practice().safe_mode === 1),
    tenantExists: (id: string) => platform.peek((db) => registryStore(db).get(id)) !== undefined,
    /** Throws TenantMoved. */
    requireHere: (number: number): void => {
      platform.peek((db) => registryStore(db).anyByNumber(number));
    },
    someMoved: () => platform.peek((db) => registryStore(db).someMoved()),
    /** The practice of that project; the id itself where no project has it. */
    practiceNamed: (id: string) => platform.peek((db) => registryStore(db).tenantOfProject(id)) ?? id,
    enterTenant: createEnterTenant(storage),
    mayCreatePractice: createMayCreatePractice(storage),
    exports: { stats },
    health: fileHealth(storage, strays),
    metrics: fileMetrics(storage),
    personalData,
    sealed: {
      platform: [
        {
          table: 'notices',
          keys: ['seq'],
          column: 'sealed',
          purpose: 'notices',
          with: ['id'],
          boundTo: ({ id }) => String(id),
        },
        {
          table: 'tenant_keys',
          keys: ['tenant_id'],
          column: 'sealed',
          purpose: 'lasting keys',
          boundTo: ({ tenant_id }) => String(tenant_id),
        },
      ],
    },
    knownBy: (db, tenantId) => ({ tokens: credentialStore(db).hashesOf(tenantId) }),
    registers: (tenant, registering) => {
      const writes = [registerTenant, registerEntry].map((registers) => registers(tenant, registering));
      return (db) => {
        for (const write of writes) write(db);
      };
    },
    routes: [
      ...practiceRoutes({ ...tenantDeps, notices, origin }, answering),
      ...operatorRoutes({ ...base, summaries }),
      ...pageRoutes(base),
      ...projectRoutes(base, answering),
      ...abuseRoutes({ platform, notices, limitEmail, limitSources, clock, serviceName }),
      ...waitlist.routes,
      ...billing.routes,
    ],
    nightly: [
      // A registry that was restored from another backup than the file may have another summary.
      { what: 'summaries of practices', run: (id) => summaries.bringUpToDate([id]) },
      { what: 'projects that the registry does not know', run: createRegisterProjects(storage) },
      ...billing.nightly,
    ],
    jobs: [
      fileJob,
      { name: 'bring the summaries of practices up to date', schedule: '* * * * *', run: summaries.look },
      ticketRetentionJob(platform, () => config().retention.abuse_tickets, clock),
      waitlist.job,
    ],
    /** `stop` comes after all that writes to tenants' files. */
    stop: async () => {
      endFaultNotices();
      await billing.stop();
      await summaries
        .bringUpToDate()
        .catch((error) => log.warn({ err: error }, 'summaries of practices are not brought up to date'));
    },
  } satisfies Room & Record<string, unknown>;
};
