// Mail from the world: the listener, what becomes of what it takes, and the mailbox simulator. Part of the composition root.

import { domainRegistryStore } from '#src/domains/registry-store.ts';
import { createComplaints } from '#src/feedback/complaints.ts';
import { readReport } from '#src/feedback/read-report.ts';
import { receiveReport } from '#src/feedback/receive.ts';
import { returnPathStanding } from '#src/feedback/return-path.ts';
import { answerTo } from '#src/feedback/simulator.ts';
import { createOperatorMail } from '#src/intake/operator-mail.ts';
import { sendTestRoutes } from '#src/intake/send-test.ts';
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Route } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import { headOf } from '#src/mail/field-block.ts';
import { decodeReturnPath } from '#src/mail/verp.ts';
import { createCaptureUpstream } from '#src/relay/capture/upstream.ts';
import { createSmtpUpstream } from '#src/relay/smtp/upstream.ts';
import type { Upstream } from '#src/relay/upstream.ts';
import { createInbound, type InboundStats, type InboundWork } from '#src/smtp/inbound.ts';
import { readCertificate, renewCertificate } from '#src/smtp/tls.ts';
import type { SendingParts } from './sending-parts.ts';

export interface InboundPartsDeps {
  /** As it is now. */
  readonly config: () => Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly sending: Pick<SendingParts, 'intake' | 'keys' | 'received'>;
  readonly systemTenantId: () => string | null;
  /** ms: what outlives the drain has so long to notice. */
  readonly cutOff: number;
}

export interface InboundParts {
  readonly routes: readonly Route[];
  /** Resolves with the port; null where it is off. */
  start(): Promise<number | null>;
  stop(timeoutMs: number): Promise<void>;
  /** Reads the certificate again. */
  renewCertificate(): void;
  /** What health shows of it; null where it is off. */
  facts(): InboundStats | null;
}

/** Content under way, of all connections together. */
const HELD_BYTES = 64 * 1_024 * 1_024;
/** Of the operator's mails, where no address is named for them. */
const KEPT_MAILS = 1_000;
/** Connections by which the simulator brings its answers here. */
const ANSWERS_AT_ONCE = 4;

/** Where a listener is reached from this machine. */
const ownAddress = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
};

/** Throws where the certificate cannot be used. */
export const inboundParts = (deps: InboundPartsDeps): InboundParts => {
  const { config, storage, clock, log, version, sending, systemTenantId, cutOff } = deps;
  const { service, smtp } = config();
  const simulatorDomain = `simulator.${service.host}`;
  const { keys } = sending;
  const settings = smtp.inbound ?? null;
  const mailbox = createCaptureUpstream({
    name: 'operator',
    keep: KEPT_MAILS,
    files: storage.tenants,
    clock,
    key: keys.capturedMail,
  });
  const tellOperator = createOperatorMail({
    intake: sending.intake,
    systemTenantId,
    operator: () => config().smtp.inbound?.postmaster ?? null,
    keep: async (tenantId, { recipient, mailFrom, content }) => {
      const envelope = { recipient, returnPath: mailFrom, envelopeId: '' };
      const transcript = await mailbox.transmit(envelope, content, { tenantId, messageId: newId() });
      if (transcript.result !== 'accepted') throw new Error('the mail could not be kept');
      log.warn({ recipient }, 'mail for the operator was kept: smtp.inbound.postmaster names nobody');
    },
  });

  const complain = createComplaints({
    locate: {
      readPlatform: storage.platform.read,
      files: storage.tenants,
      returnPathKey: keys.returnPaths,
      unsubscribeKey: keys.unsubscribeLinks,
    },
    received: sending.received,
    log,
  });

  /** The simulator's way back in; null until the listener has its port. */
  let answers: Upstream | null = null;
  const work: InboundWork = {
    standing: (target) => returnPathStanding(sending.received, target),
    complain,
    report: async (targets, content) => {
      const report = await readReport(content);
      return Promise.all(targets.map((target) => receiveReport(sending.received, target, report)));
    },
    simulate: async ({ behaviour, recipient, returnPath }, content) => {
      const now = clock.now();
      const mail = { behaviour, recipient, returnPath, head: headOf(content) };
      const answer = answerTo(mail, { serviceHost: service.host, version, id: newId(), now });
      if (answer === null) return true;
      if (answers === null) return false;
      // The null sender: nobody answers an answer (RFC 3464 §2, RFC 3834 §3.3).
      const envelope = { returnPath: '', recipient: returnPath, envelopeId: '' };
      const transcript = await answers.transmit(envelope, answer, { tenantId: '', messageId: '' });
      if (transcript.result !== 'accepted') log.warn({ transcript }, 'the simulator could not answer');
      return transcript.result === 'accepted';
    },
    tellOperator,
  };

  const inbound =
    settings &&
    createInbound({
      listen: settings.listen,
      certificate: settings.tls ? readCertificate(settings.tls) : null,
      serviceHost: service.host,
      simulatorDomain,
      decodeReturnPath: (address) => decodeReturnPath(keys.returnPaths, address),
      isSendingHost: (host) => storage.platform.peek((db) => domainRegistryStore(db).tokensOf(host)) !== null,
      budget: createByteBudget(HELD_BYTES),
      work,
      now: () => clock.now(),
      log,
    });

  const start = async (): Promise<number | null> => {
    if (!inbound || !settings) return null;
    const { port } = await inbound.start();
    answers = createSmtpUpstream(
      {
        name: 'simulator',
        host: ownAddress(settings.listen.host),
        port,
        tls: 'none',
        pool: ANSWERS_AT_ONCE,
        ehloName: simulatorDomain,
        deliveredOn: 'accept',
        timeouts: { stop: cutOff },
      },
      log,
    );
    return port;
  };

  return {
    routes: sendTestRoutes({ intake: sending.intake, simulatorDomain, receives: inbound !== null }),
    start,
    stop: async (timeoutMs) => {
      // What the simulator has not answered by then is brought to it again.
      await Promise.all([inbound?.stop(timeoutMs), answers?.stop()]);
      await mailbox.stop();
    },
    renewCertificate: () => {
      if (inbound && settings?.tls)
        renewCertificate(config().smtp.inbound?.tls ?? settings.tls, [inbound], log);
    },
    facts: () => inbound?.stats() ?? null,
  };
};
