// Intake: the one way in. The API's routes that send, the scanners that content passes, and the senders inside the
// service itself: the postman of its own mails and the mail to its operator.
import { readFileSync } from 'node:fs';
import type { Accounts } from '#src/accounts/open.ts';
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import { attachmentPolicy } from '#src/content/attachment-policy.ts';
import { openScanners } from '#src/content/open-scanners.ts';
import type { Feedback } from '#src/feedback/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createOutbound } from '#src/kernel/outbound/create-outbound.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { Receives } from '#src/mail/reception.ts';
import type { Messages } from '#src/messages/open.ts';
import { type AcceptHere, accept, transact } from './accept.ts';
import { createRequestQueue, removeExpiredAnswers } from './answer.ts';
import { contentCheckRoute } from './content-check/routes.ts';
import { documentRoutes } from './documents/routes.ts';
import type { DocumentTools, LoadTools } from './documents/write-content.ts';
import type { Submission } from './evaluate.ts';
import { scores } from './export-table.ts';
import { createImageLinks } from './images/image-links.ts';
import { publicImageRoute } from './images/public-route.ts';
import { imageRoutes } from './images/routes.ts';
import type { IntakeContext, Utf8Addresses } from './intake-context.ts';
import { acceptedMessages } from './metrics.ts';
import { createOperatorMail, type OperatorMailDeps } from './operator-mail.ts';
import { personalData } from './personal-data.ts';
import { createPostman } from './postman.ts';
import { practiceMailRoutes } from './practice-mail/routes.ts';
import { sendRoutes } from './routes.ts';
import { sendAgainRoute } from './send-again.ts';
import { sendTestRoutes } from './send-test.ts';
import { templateRoutes } from './templates/routes.ts';
import { presetRoutes } from './templates/seed.ts';
import { createUsageNotices } from './usage-notices.ts';
import { type ValidateEmailsDeps, validateEmailsRoutes } from './validate-emails/routes.ts';

/** What a host has to answer a request about a link of a mail. */
const LINK_MS = 5 * SECOND;

export type Intake = ReturnType<typeof openIntake>;

export interface IntakeOptions {
  /** How long a request waits for an earlier one under its idempotency key, ms; half a minute where undefined. */
  readonly keyPatienceMs?: number | undefined;
  /** The room with the mailboxes is opened after this one. */
  readonly answering: () => Answering;
  readonly utf8: Utf8Addresses;
  readonly lookup: ValidateEmailsDeps['lookup'];
  readonly isDkimBroken: IntakeContext['isDkimBroken'];
  readonly keepForOperator: OperatorMailDeps['keep'];
}

export const openIntake = (
  base: Base,
  accounts: Accounts,
  { queue, indexer }: Messages,
  { suppressionKey, brake }: Feedback,
  options: IntakeOptions,
) => {
  const { config, storage, clock, log, simulatorDomain, systemTenantId } = base;
  const { platform, tenants: files } = storage;
  const scanners = openScanners(base);
  const usageNotices = createUsageNotices(accounts.ownerNotices, base.limits);
  const accepted = acceptedMessages();
  const imageKey = base.key('tracking links');
  const images = createImageLinks(config().service.public_origin, imageKey);
  let loaded: Promise<DocumentTools> | undefined;
  const tools: LoadTools = () => {
    loaded ??= import('./documents/tools.ts').then(({ createTools }) => createTools(images.find));
    return loaded;
  };
  const { service, security } = config();
  const outbound = createOutbound({
    allow: () => config().security.outbound_allow,
    allowHttp: () => false,
    timeout: () => LINK_MS,
    ...(security.outbound_ca_file === undefined
      ? {}
      : { ca: readFileSync(security.outbound_ca_file, 'utf8') }),
    ownOrigin: service.public_origin,
    lookup: options.lookup,
  });
  const context: IntakeContext = {
    ...base,
    images,
    accepted,
    files,
    content: scanners.content,
    requests: createRequestQueue(options.keyPatienceMs),
    contentKey: base.key('service mail'),
    suppressionKey,
    brake,
    answering: options.answering,
    isDkimBroken: options.isDkimBroken,
    utf8: options.utf8,
    holdDue: queue.hold,
    claimAlong: queue.claimAlong,
    wake: queue.wake,
    stored: indexer.accepted,
    usageReached: usageNotices.wake,
  };
  const postman = createPostman({
    platform,
    outbox: accounts.outbox,
    intake: context,
    systemTenantId,
    log,
    serviceName: config().service.name,
  });
  const receives: Pick<Receives<unknown>, 'mailOperator'> = {
    mailOperator: createOperatorMail({
      accept: (submission) => accept(context, submission),
      clock,
      systemTenantId,
      operator: () => config().smtp.inbound?.postmaster ?? null,
      keep: options.keepForOperator,
    }),
  };
  return {
    receives,
    /** The one way in. */
    accept: (submission: Submission) => accept(context, submission),
    /** See `transact`. */
    transact: <T>(tenantId: string, work: (db: TenantDb, accept: AcceptHere) => T) =>
      transact(context, tenantId, work),
    context,
    /** What documents are made with. */
    tools,
    scanners,
    attachmentPolicy,
    postman,
    exports: { scores },
    health: { scanners: scanners.health },
    metrics: [accepted.metric],
    personalData,
    routes: [
      ...sendRoutes(context),
      sendAgainRoute(context),
      ...sendTestRoutes(context),
      ...templateRoutes({ files, clock, tools }),
      ...presetRoutes({ files, clock, tools }),
      ...documentRoutes({ files, config, tools }),
      ...imageRoutes(base, images),
      publicImageRoute(base, imageKey),
      ...practiceMailRoutes(context),
      contentCheckRoute(context, tools, { outbound, clock, ownOrigin: service.public_origin }),
      ...validateEmailsRoutes({
        files,
        clock,
        lookup: options.lookup,
        suppressionKey,
        simulatorDomain,
        utf8: options.utf8,
      }),
    ],
    jobs: scanners.jobs,
    nightly: [
      {
        what: 'answers under idempotency keys',
        run: (id, signal, pace) => removeExpiredAnswers(files, id, clock.now(), signal, pace),
      },
    ],
    /** Sends what owners are still to be notified of; then the postman takes no more notices. */
    stop: async () => {
      await usageNotices.stop();
      await postman.stop();
      scanners.stop();
      outbound.stop();
    },
  } satisfies Room & Record<string, unknown>;
};
