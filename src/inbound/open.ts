// Mail from the world to the mailboxes of tenants: whether and how they receive it, and what was received.
import type { Domains } from '#src/domains/open.ts';
import { readReport } from '#src/feedback/read-report.ts';
import type { Reporter } from '#src/feedback/reporter.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import type { Receives } from '#src/mail/reception.ts';
import { practiceUrlAt } from '#src/messages/published-event.ts';
import { createAdmission } from './admit.ts';
import { createAnswering } from './answering.ts';
import { applyDnsRoute } from './apply-dns-route.ts';
import { openChecks } from './checks/open.ts';
import { deskRoutes } from './desk/routes.ts';
import { openForms } from './forms/open.ts';
import { heldForwards } from './forwarding/held.ts';
import { type ForwardingDeps, openForwarding } from './forwarding/open.ts';
import { openHooks } from './hooks/open.ts';
import { hookKeyStore } from './hooks/store.ts';
import { createMailSources } from './mailbox/download.ts';
import { removeOldMail } from './mailbox/remove-old.ts';
import { mailboxRoutes } from './mailbox/routes.ts';
import { createWholeMail } from './mailbox/whole-mail.ts';
import { personalData } from './personal-data.ts';
import { createReception } from './receive.ts';
import { registers } from './registers.ts';
import { registerInbound } from './settings.ts';
import { settingsRoutes } from './settings-routes.ts';

const MIB = 1_024 * 1_024;

/** The rooms that it uses. */
interface InboundDeps extends ForwardingDeps {
  readonly domains: Domains;
}

export const openInbound = (
  base: Base,
  rooms: InboundDeps,
  { dnsAgainMs }: { readonly dnsAgainMs?: number | undefined } = {},
) => {
  const { domains, feedback, intake } = rooms;
  const { config, limits, storage, clock } = base;
  const files = storage.tenants;
  const answering = createAnswering(() => config().smtp.inbound !== undefined);
  const checks = openChecks(base, intake.scanners.received, dnsAgainMs);
  const settings = { storage, clock, queue: createKeyedQueue() };
  const sourceOf = createMailSources(files, clock);
  const forwarding = openForwarding(base, rooms);
  const hooks = openHooks(base, intake);
  const forms = openForms(base, { intake, answering });
  const receives: Pick<
    Receives<Reporter>,
    | 'admit'
    | 'admitAnswers'
    | 'writeTo'
    | 'receive'
    | 'reporterOf'
    | 'listing'
    | 'decodeForwardPath'
    | 'forwardReport'
  > = {
    ...createAdmission(base, answering),
    receive: createReception({
      files,
      clock,
      limits,
      serviceHost: config().service.host,
      check: checks.check,
      signals: feedback.received,
    }),
    reporterOf: checks.reporterOf,
    listing: checks.listing,
    decodeForwardPath: forwarding.decodeReturnPath,
    forwardReport: async (copy, { content, envelope }) =>
      forwarding.report(copy, await readReport(content, envelope)),
  };
  return {
    receives,
    answering,
    /** See `openInsight`. */
    proveAuthor: checks.proveAuthor,
    health: { resolver: checks.health },
    /** See `openInsight`. */
    sourceOf,
    /** See `openFollowers`. */
    wholeMail: createWholeMail(files, practiceUrlAt(config().service.public_origin)),
    personalData,
    registers,
    knownBy: (db, tenantId) => ({ hooks: hookKeyStore(db).idsOf(tenantId) }),
    held: { ...heldForwards, expect: forwarding.hold },
    routes: [
      ...settingsRoutes({
        ...settings,
        hold: forwarding.hold,
        answering,
        receiving: domains.receiving,
        quotaBytes: () => limits().inbound_mib * MIB,
        retention: () => config().retention.inbound,
      }),
      ...mailboxRoutes(files, clock, sourceOf),
      applyDnsRoute(domains.receiving),
      ...forwarding.routes,
      ...hooks.routes,
      ...forms.routes,
      ...deskRoutes(files, clock),
    ],
    jobs: hooks.jobs,
    nightly: [
      ...forwarding.nightly,
      ...forms.nightly,
      {
        what: 'practices that receive mail, in the registry',
        run: (id) => registerInbound(settings, id),
      },
      {
        what: 'mail received',
        run: (id, signal, pace) =>
          removeOldMail(
            id,
            { files, installation: config().retention.inbound, now: clock.now(), pace },
            signal,
          ),
      },
    ],
    stop: async () => {
      checks.stop();
      await Promise.all([forwarding.stop(), hooks.stop()]);
    },
  } satisfies Room & Record<string, unknown>;
};
