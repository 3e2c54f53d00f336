// Forwarding of mail received, and automatic replies to it.
import type { Accounts } from '#src/accounts/open.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Following } from '#src/events/follow.ts';
import type { Feedback } from '#src/feedback/open.ts';
import type { Report } from '#src/feedback/rules.ts';
import { automaticReplyStore } from '#src/inbound/automatic-reply/store.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { decodeForwardPath, type ForwardedCopy } from '#src/mail/srs.ts';
import { type Relay, retryPolicy } from '#src/relay/open.ts';
import { createForwardMails } from './ask.ts';
import { type ClaimDeps, isStranger, isSuppressed } from './claim.ts';
import { ONE_REPLY_IN_MS } from './fan-out.ts';
import { openForwardQueues } from './queue.ts';
import { forwardRoutes } from './routes.ts';
import { applyReport, type ReportedCopy } from './settle.ts';

export interface ForwardingDeps {
  readonly accounts: Accounts;
  readonly feedback: Feedback;
  readonly relay: Relay;
  readonly intake: Intake;
  readonly following: Following;
}

export const openForwarding = (
  base: Base,
  { accounts, feedback, relay, intake, following }: ForwardingDeps,
) => {
  const { config, limits, storage, clock, log, simulatorDomain, systemTenantId } = base;
  const { platform, tenants: files } = storage;
  const key = base.key('forwarding');
  const safeMode: ClaimDeps['safeMode'] = () => ({ simulatorDomain, config: config() });
  const mails = createForwardMails({
    ...accounts.ownerNotices,
    key,
    systemTenantId,
    hindranceOf: (db, address) => {
      if (tenantStore(db).practice().paused_at !== null) return 'paused';
      if (isStranger(db, address, { safeMode })) return 'safe_mode';
      return isSuppressed(db, address, feedback) ? 'suppressed' : null;
    },
  });
  openForwardQueues({
    files,
    clock,
    log,
    key,
    following,
    sendSource: relay.sendSource,
    accept: intake.accept,
    suppressionKey: feedback.suppressionKey,
    limits,
    safeMode,
    policy: () => retryPolicy(config()),
    serviceHost: config().service.host,
    notifyOwners: mails.wake,
  });

  /** Resolves once it is durable. Rejects where the file cannot be written. */
  const report = async (
    { tenantNumber, forwardSeq }: ForwardedCopy,
    found: Report,
  ): Promise<ReportedCopy> => {
    const tenant = await platform.read((db) => registryStore(db).anyByNumber(tenantNumber));
    if (!tenant) return 'unknown';
    const { result, ended } = await files.write(tenant.id, (db) =>
      applyReport(db, forwardSeq, found, clock.now()),
    );
    if (ended) mails.wake(tenant.id);
    return result;
  };

  return {
    /**
     * Called before the options of a tenant change and `setForwardTargets` is called: the registry then knows that its mail is
     * followed. The function that it resolves with is called afterwards, whether they have changed or not.
     */
    hold: async (tenantId: string): Promise<() => void> => {
      const { hold } = following;
      const releaseForwards = await hold('forwards', tenantId);
      const releaseReplies = await hold('replies', tenantId).catch((error) => {
        releaseForwards();
        throw error;
      });
      return () => {
        releaseForwards();
        releaseReplies();
        mails.wake(tenantId);
      };
    },
    /** Null for every address that is no return path of a forwarded copy, or too old a one. */
    decodeReturnPath: (address: string) => decodeForwardPath(key, address, clock.now()),
    report,
    routes: forwardRoutes({ platform, files, clock, key, serviceName: config().service.name, mails }),
    nightly: [
      { what: 'addresses that mail is to be forwarded to', run: mails.look },
      {
        what: 'senders who got an automatic reply',
        run: async (id) => {
          const now = clock.now();
          const before = now - ONE_REPLY_IN_MS;
          const isOld = await files.read(id, (db) => automaticReplyStore(db).hasBeyond(before, now));
          if (isOld) await files.write(id, (db) => automaticReplyStore(db).removeBeyond(before, now));
        },
      },
    ],
    stop: () => mails.stop(),
  } satisfies Room & Record<string, unknown>;
};
