// Feedback: what comes back about mail that was sent. Reports by SMTP and HTTP, opens and clicks, unsubscribing,
// suppressions, and the guardrail that pauses a tenant.
import type { Accounts } from '#src/accounts/open.ts';
import { type Base, CUT_OFF_MS, type Room } from '#src/kernel/base.ts';
import { createTrackingLinks, createUnsubscribeUrl } from '#src/mail/copy-links.ts';
import { createCopyAddresses } from '#src/mail/verp.ts';
import type { Messages } from '#src/messages/open.ts';
import { brakeOf } from './brake/brake.ts';
import { openBrake } from './brake/open.ts';
import type { LocateDeps } from './locate.ts';
import { personalData } from './personal-data.ts';
import { feedbackReceives } from './receives.ts';
import { reportedMessageRoute } from './reported-message.ts';
import { createGuardrail } from './reputation/guardrail.ts';
import { isUnnotified } from './reputation/pause.ts';
import { createPauseNotices } from './reputation/pause-notices.ts';
import { pauseRoutes } from './reputation/routes.ts';
import { suppressionRoutes } from './suppressions/routes.ts';
import { removeOldSoftBounces } from './suppressions/soft-bounces.ts';
import { suppressionTransferRoutes } from './suppressions/transfer-routes.ts';
import { createRecorder } from './tracking/recorder.ts';
import { trackingRoutes } from './tracking/routes.ts';
import { unsubscribeRoutes } from './unsubscribe/routes.ts';
import { confirmSubscription } from './upstream/confirm-subscription.ts';
import { upstreamEventRoutes } from './upstream/routes.ts';

export type Feedback = ReturnType<typeof openFeedback>;

export interface FeedbackOptions {
  /** See RecorderDeps.holdMs; the usual where undefined. */
  readonly holdMs?: number | undefined;
  readonly holderOf: LocateDeps['holderOf'];
}

export const openFeedback = (
  base: Base,
  accounts: Accounts,
  { queue }: Messages,
  { holdMs, holderOf }: FeedbackOptions,
) => {
  const { config, storage, clock, log, simulatorDomain, systemTenantId } = base;
  const { platform, tenants: files } = storage;
  const { name, public_origin: origin } = config().service;
  const suppressionKey = base.key('suppressions');
  const returnPathKey = base.key('return paths');
  const unsubscribeKey = base.key('unsubscribe links');
  const trackingKey = base.key('tracking links');

  const softBounces = () => config().suppressions.soft_bounces;
  const pauseNotices = createPauseNotices(accounts.ownerNotices);
  const slowing = openBrake(base, accounts, queue);
  const guardrail = createGuardrail({
    systemTenantId,
    notifyOwners: pauseNotices.notify,
    countOutcome: slowing.brake.countOutcome,
  });
  const received = {
    readPlatform: platform.read,
    files,
    clock,
    suppressionKey,
    simulatorDomain,
    guardrail,
    softBounces,
    feedbackSources: () => config().complaints.feedback_sources,
  };
  const locate = { readPlatform: platform.read, files, returnPathKey, unsubscribeKey, holderOf };
  const recorder = createRecorder({ platform, files, log, signals: received, holdMs });
  const suppressions = { files, clock, suppressionKey };
  return {
    suppressionKey,
    unsubscribeKey,
    returnPathKey,
    receives: feedbackReceives(base, returnPathKey, { locate, received, log }),
    /** What applying a signal takes. */
    received,
    /** The links that a copy contains. */
    links: {
      unsubscribeUrl: createUnsubscribeUrl(origin, unsubscribeKey),
      trackingLinks: createTrackingLinks(origin, trackingKey),
      addresses: config().smtp.inbound ? createCopyAddresses(returnPathKey) : null,
      service: { name, origin },
    },
    /** Slows tokens that leave their usual range. */
    brake: slowing.brake,
    /** What is shown of that. */
    brakeOf,
    personalData,
    routes: [
      ...slowing.routes,
      reportedMessageRoute(base, locate),
      ...suppressionRoutes(suppressions),
      ...suppressionTransferRoutes(suppressions),
      ...unsubscribeRoutes({ ...suppressions, platform, unsubscribeKey, serviceName: name, simulatorDomain }),
      ...pauseRoutes(base, pauseNotices.notify, queue),
      ...trackingRoutes(clock, trackingKey, recorder),
      ...upstreamEventRoutes({
        eventsOf: (upstreamName) => {
          const upstream = config().upstreams.find((one) => one.name === upstreamName);
          return upstream?.kind === 'smtp' ? upstream.events : null;
        },
        locate,
        received,
        confirm: confirmSubscription,
      }),
    ],
    jobs: [slowing.job],
    nightly: [
      slowing.nightly,
      removeOldSoftBounces(files, clock, softBounces),
      {
        what: 'pauses whose owners are not notified',
        run: async (id) => {
          if (await files.read(id, isUnnotified)) pauseNotices.notify(id);
        },
      },
    ],
    /** The tenant is gone. */
    forget: slowing.forget,
    /** Writes the opens and clicks, and what tokens sent, that are still in memory. */
    stop: async () => {
      await recorder.stop();
      await slowing
        .write(AbortSignal.timeout(CUT_OFF_MS))
        .catch((error) => log.warn({ err: error }, 'what tokens sent was not noted'));
    },
    /** Called after the last signal: sends what owners are still to be notified of. */
    stopNotices: async () => {
      await pauseNotices.stop();
      await slowing.stopNotices();
    },
  } satisfies Room & Record<string, unknown>;
};
