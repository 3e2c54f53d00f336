// The SMTP listeners: submission for mail programs, and mail from the world.

import { controlsOf } from '#src/intake/gates/envelope-gates.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Authenticate } from '#src/kernel/access.ts';
import type { Base } from '#src/kernel/base.ts';
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import type { CertificateSource } from '#src/kernel/certificate.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { healthPart } from '#src/kernel/health.ts';
import type { Receives } from '#src/mail/reception.ts';
import { createExpectedMail, type ExpectedMail } from './expected-mail.ts';
import { createGreylist } from './greylist.ts';
import { greylistIn } from './greylist-store.ts';
import { inboundSchema, submissionSchema } from './health.ts';
import { createInbound, type InboundWork } from './inbound.ts';
import { type CommandDuration, commandDuration, inboundMetrics } from './metrics.ts';
import type { HandOn } from './moved-recipients.ts';
import { personalData } from './personal-data.ts';
import { createSubmission, type SubmissionPorts } from './submission.ts';

/** What the rooms hand in. */
interface SmtpParts<Reporter> {
  readonly authenticate: Authenticate;
  readonly accept: Intake['accept'];
  readonly receives: Receives<Reporter>;
  /** Delivers an answer of the simulator to a return path, at the listener itself; false where it could not. */
  readonly answer: (returnPath: string, content: Buffer) => Promise<boolean>;
  readonly handOn: HandOn;
  readonly requireHere: (tenantNumber: number) => void;
  /** Null where the listener shows none. */
  readonly certificates: Readonly<Record<'inbound' | 'submission', CertificateSource | null>>;
}

const MIB = 1_024 * 1_024;
/** Content of messages that are being received, of all connections together; twice the largest message where that is more. */
const INBOUND_BYTES = 96 * MIB;
/** One client has this share of it: the largest message just fits. */
const CLIENT_SHARE = 0.5;
const ONLY_SIMULATOR: NonNullable<Config['smtp']['inbound']> = {
  listen: { host: '127.0.0.1', port: 0 },
  max_message_mib: 36,
  dnsbl: [],
};

const openInbound = <Reporter>(
  base: Base,
  { receives, answer, handOn, requireHere, certificates }: SmtpParts<Reporter>,
  { isExpected, expected }: ExpectedMail,
  commands: CommandDuration,
) => {
  const { config, storage, clock, log, simulatorDomain } = base;
  const { service, smtp } = config();
  /** The simulator's mail comes in here too, so that without it the listener is still there for this machine. */
  const settings = smtp.inbound ?? ONLY_SIMULATOR;
  const messageBytes = settings.max_message_mib * MIB;
  const work: InboundWork = {
    ...receives,
    expected,
    handOn,
    requireHere,
    complain: (mail) => receives.complain(mail, receives.reporterOf(mail)),
    report: (returnPaths, mail) => receives.report(returnPaths, mail, receives.reporterOf(mail)),
    simulate: async (mail, content) => {
      const answered = receives.simulate(mail, content);
      return answered === null || answer(mail.returnPath, answered);
    },
  };

  const greylist =
    settings.greylist === undefined
      ? null
      : createGreylist({ wait: settings.greylist, clock, storage: greylistIn(storage), log });
  const inbound = createInbound({
    ...receives,
    isExpected,
    listen: settings.listen,
    // Only this machine is a client where there is no listener.
    certificates: certificates.inbound,
    serviceHost: service.host,
    simulatorDomain,
    managedSuffix: service.managed_suffix,
    greylist,
    clientRate: () => base.limits().inboundPerClient,
    messageBytes,
    budget: createByteBudget(Math.max(INBOUND_BYTES, messageBytes / CLIENT_SHARE), undefined, CLIENT_SHARE),
    work,
    commands,
    now: () => clock.now(),
    log,
  });

  const start = async () => {
    const { port } = await inbound.start();
    return { inboundPort: smtp.inbound ? port : null, listener: { host: settings.listen.host, port } };
  };

  return {
    start,
    stop: async (timeoutMs: number) => {
      await inbound.stop(timeoutMs);
      await greylist?.stop();
    },
    stats: () => (smtp.inbound ? inbound.stats() : null),
    health: healthPart({ schema: inboundSchema, now: () => (smtp.inbound ? inbound.stats() : null) }),
  };
};

/** Null where it is off. */
const openSubmission = <Reporter>(
  base: Base,
  { authenticate, accept, certificates }: SmtpParts<Reporter>,
  commands: CommandDuration,
) => {
  const { config, limits, clock, log } = base;
  const { service, smtp } = config();
  if (smtp.submission === undefined) return null;
  const { listen, implicit_listen } = smtp.submission;
  const submission = createSubmission({
    listen: listen ?? null,
    implicitListen: implicit_listen ?? null,
    hostName: service.host,
    certificates: certificates.submission,
    budget: base.messageBudget,
    accept,
    authenticate: async (token, clientAddress) =>
      authenticate(
        { bearer: token, adminToken: null, cookie: null, csrfToken: null, isWrite: true, isOnceMore: false },
        clientAddress,
      ),
    controls: () => controlsOf(config().upstreams),
    limits,
    clock,
    commands,
    log,
  });
  return {
    start: submission.start,
    stop: submission.stop,
    facts: () => {
      const stats = submission.listeners.map((listener) => listener.stats());
      return {
        /** Whether all listeners that are configured listen. */
        listening: stats.every(({ listening }) => listening),
        connections: stats.reduce((sum, { connections }) => sum + connections, 0),
      };
    },
  };
};

const NO_PORTS: SubmissionPorts = { port: null, implicitPort: null };

export const openSmtp = <Reporter>(base: Base, parts: SmtpParts<Reporter>) => {
  const expectedMail = createExpectedMail();
  const commands = commandDuration();
  const submission = openSubmission(base, parts, commands);
  const inbound = openInbound(base, parts, expectedMail, commands);
  return {
    personalData,
    /** Waits for mail that the service has sent to itself. */
    waitForMail: expectedMail.wait,
    /** Resolves with the ports; null where a listener is off. `listener` takes mail to the simulator in any case. */
    start: async () => ({
      submissionPorts: (await submission?.start()) ?? NO_PORTS,
      ...(await inbound.start()),
    }),
    /** Refuses new connections; resolves when messages in flight have ended, or after `drainMs`. */
    stop: async (drainMs: number) => {
      await Promise.all([inbound.stop(drainMs), submission?.stop(drainMs)]);
    },
    health: {
      inbound: inbound.health,
      submission: healthPart({ schema: submissionSchema, now: () => submission?.facts() ?? null }),
    },
    metrics: [commands.metric, ...inboundMetrics(inbound.stats)],
  };
};
