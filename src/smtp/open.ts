// The SMTP listeners: submission for mail programs, and mail from the world.
import type { Accounts } from '#src/accounts/open.ts';
import { domainRegistryStore } from '#src/domains/registry-store.ts';
import type { Feedback } from '#src/feedback/open.ts';
import { readReport } from '#src/feedback/read-report.ts';
import { type ReportResult, receiveReport, receiveUnsubscription } from '#src/feedback/receive.ts';
import { returnPathStatus } from '#src/feedback/return-path.ts';
import { answerTo } from '#src/feedback/simulator.ts';
import type { Inbound } from '#src/inbound/open.ts';
import type { Insight } from '#src/insight/open.ts';
import { controlsOf } from '#src/intake/gates/control-headers.ts';
import type { Intake } from '#src/intake/open.ts';
import { createOperatorMail } from '#src/intake/operator-mail.ts';
import { type Base, CUT_OFF_MS } from '#src/kernel/base.ts';
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import type { Config } from '#src/kernel/config/config.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { newId } from '#src/kernel/id.ts';
import { isAutoReply } from '#src/mail/auto-reply.ts';
import { headFieldsOf, headOf } from '#src/mail/field-block.ts';
import { decodeReturnPath, decodeUnsubscribeAddress } from '#src/mail/verp.ts';
import { createCaptureUpstream } from '#src/relay/capture/upstream.ts';
import { createSmtpUpstream } from '#src/relay/smtp/upstream.ts';
import type { Upstream } from '#src/relay/upstream.ts';
import { type ClientLists, createClientLists } from './client-lists.ts';
import { createGreylist } from './greylist.ts';
import { greylistIn } from './greylist-store.ts';
import { createInbound, type InboundWork, inboundLimits } from './inbound.ts';
import type { Certificate } from './listener.ts';
import { ownCertificate } from './own-certificate.ts';
import { createSubmission, type SubmissionPorts } from './submission.ts';
import { readCertificate, renewCertificate } from './tls.ts';

interface Rooms {
  readonly accounts: Accounts;
  readonly feedback: Feedback;
  readonly intake: Intake;
  readonly insight: Insight;
  readonly inbound: Inbound;
}

const MIB = 1_024 * 1_024;
/** Content of messages that are being received, of all connections together; twice the largest message where that is more. */
const INBOUND_BYTES = 96 * MIB;
/** Of it for one client: the largest message just fits. */
const CLIENT_SHARE = 0.5;
/** How many of the operator's mails are kept where no address is configured for them. */
const KEPT_MAILS = 1_000;
/** Connections by which mail to the simulator comes in here, and as many for its answers. */
const SIMULATED_AT_ONCE = 4;

const ONLY_SIMULATOR: NonNullable<Config['smtp']['inbound']> = {
  listen: { host: '127.0.0.1', port: 0 },
  max_message_mib: 36,
  dnsbl: [],
};

/** Where a listener is reached from this machine. */
const ownAddress = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
};

const openClientLists = ({ config, clock, log }: Base, stopping: AbortSignal): ClientLists | null => {
  const { dns, scanners, smtp } = config();
  const { dnsbl: zones = [] } = smtp.inbound ?? {};
  if (zones.length === 0) return null;
  // A resolver gets two tries within the time.
  const lookup = createDnsLookup(dns.resolvers, { tryMs: Math.ceil(scanners.dnsbl_timeout / 2), stopping });
  const places = inboundLimits.connections;
  return createClientLists({ zones, lookup, timeout: scanners.dnsbl_timeout, places, clock, log });
};

/** Throws where the certificate cannot be used. */
const openInbound = (base: Base, { feedback, intake, insight, inbound: mailboxes }: Rooms) => {
  const { config, storage, clock, log, version, simulatorDomain, systemTenantId } = base;
  const { service, smtp } = config();
  /** The simulator's mail comes in here too, so that without it the listener is still there for this machine. */
  const settings = smtp.inbound ?? ONLY_SIMULATOR;
  const certificate = (): Certificate =>
    settings.tls
      ? readCertificate(config().smtp.inbound?.tls ?? settings.tls)
      : ownCertificate(config().data_dir, service.host, clock.now());
  const messageBytes = settings.max_message_mib * MIB;
  const stopping = new AbortController();
  const mailbox = createCaptureUpstream({
    name: 'operator',
    keep: KEPT_MAILS,
    files: storage.tenants,
    clock,
    key: base.key('captured mail'),
  });
  const mailOperator = createOperatorMail({
    accept: intake.accept,
    clock,
    systemTenantId,
    operator: () => config().smtp.inbound?.postmaster ?? null,
    keep: async (tenantId, { recipient, mailFrom, content }) => {
      const envelope = { recipient, returnPath: mailFrom, envelopeId: '' };
      const transcript = await mailbox.transmit(envelope, content, { tenantId, messageId: newId() });
      if (transcript.result !== 'accepted') throw new Error('the mail could not be kept');
      log.warn({ recipient }, 'mail for the operator was kept: smtp.inbound.postmaster is not set');
    },
  });

  /** By which the simulator's answers come in; null until the listener has its port. */
  let answers: Upstream | null = null;
  const work: InboundWork = {
    returnPathStatus: (target) => returnPathStatus(feedback.received, target),
    admit: mailboxes.admit,
    admitAnswers: mailboxes.admitAnswers,
    writeTo: mailboxes.writeTo,
    receive: mailboxes.receive,
    domainReport: insight.receiveDomainReport,
    complain: (mail) =>
      feedback.complain(
        { clientAddress: mail.envelope.clientAddress, content: mail.content },
        mailboxes.reporterOf(mail),
      ),
    report: async (returnPaths, mail) => {
      const report = await readReport(mail.content, mail.envelope);
      if (report.kind === 'other') return null;
      const reporter = mailboxes.reporterOf(mail);
      // One after another, because each may take some milliseconds to judge.
      const results: Promise<ReportResult>[] = [];
      for (const { target } of returnPaths) {
        const result = receiveReport(feedback.received, target, report, reporter);
        results.push(result);
        await Promise.allSettled([result]);
      }
      return Promise.all(results);
    },
    unsubscribe: async (target, { content, envelope }) => {
      const { kind } = await readReport(content, envelope);
      // Programs that unsubscribe for a person say in the text that they do so by themselves, so only the header counts.
      const isAutomatic = kind === 'auto_reply' && isAutoReply(headFieldsOf(content));
      const isWish = envelope.mailFrom !== '' && (kind === 'other' || kind === 'auto_reply') && !isAutomatic;
      return isWish ? receiveUnsubscription(feedback.received, target) : 'unchanged';
    },
    forwardReport: async (copy, mail) =>
      mailboxes.forwarded.report(copy, await readReport(mail.content, mail.envelope)),
    simulate: async ({ behaviour, recipient, returnPath }, content) => {
      const now = clock.now();
      const mail = { behaviour, recipient, returnPath, head: headOf(content) };
      const answer = answerTo(mail, { serviceHost: service.host, version, id: newId(), now });
      if (answer === null) return true;
      if (answers === null) return false;
      // With the null sender, because an answer must not be answered (RFC 3464 §2, RFC 3834 §3.3).
      const envelope = { returnPath: '', recipient: returnPath, envelopeId: '' };
      const transcript = await answers.transmit(envelope, answer, { tenantId: '', messageId: '' });
      if (transcript.result !== 'accepted') log.warn({ transcript }, 'the simulator could not answer');
      return transcript.result === 'accepted';
    },
    mailOperator,
  };

  const greylist =
    settings.greylist === undefined
      ? null
      : createGreylist({ wait: settings.greylist, clock, storage: greylistIn(storage), log });
  const inbound = createInbound({
    listen: settings.listen,
    // Without the listener only this machine is a client.
    certificate: smtp.inbound ? certificate() : null,
    serviceHost: service.host,
    simulatorDomain,
    managedSuffix: service.managed_suffix,
    decodeReturnPath: (address) => decodeReturnPath(feedback.returnPathKey, address),
    decodeUnsubscribeAddress: (address) => decodeUnsubscribeAddress(feedback.returnPathKey, address),
    decodeForwardPath: mailboxes.forwarded.decodeReturnPath,
    isSendingHost: (host) => storage.platform.peek((db) => domainRegistryStore(db).holderOf(host)) !== null,
    clientLists: openClientLists(base, stopping.signal),
    greylist,
    clientRate: () => base.limits().inboundPerClient,
    messageBytes,
    budget: createByteBudget(Math.max(INBOUND_BYTES, messageBytes / CLIENT_SHARE), undefined, CLIENT_SHARE),
    work,
    now: () => clock.now(),
    log,
  });

  /** A client of the listener. Mail and its answer have one each, because a mail is not taken before its answer is. */
  const ownClient = (port: number): Upstream =>
    createSmtpUpstream(
      {
        name: 'simulator',
        host: ownAddress(settings.listen.host),
        port,
        tls: 'none',
        pool: SIMULATED_AT_ONCE,
        ehloName: simulatorDomain,
        deliveredOn: 'dsn',
        timeouts: { stop: CUT_OFF_MS },
      },
      log,
    );

  const start = async (): Promise<{ inboundPort: number | null; simulator: Upstream }> => {
    const { port } = await inbound.start();
    answers = ownClient(port);
    return { inboundPort: smtp.inbound ? port : null, simulator: ownClient(port) };
  };

  return {
    start,
    stop: async (timeoutMs: number) => {
      stopping.abort();
      // A mail that the simulator has not answered by then is sent to it again.
      await Promise.all([inbound.stop(timeoutMs), answers?.stop()]);
      await greylist?.stop();
      await mailbox.stop();
    },
    /** Reads the certificate again. */
    renewCertificate: () => {
      if (smtp.inbound) renewCertificate(certificate, [inbound], log);
    },
    /** For the operator's health page; null where it is off. */
    facts: () => (smtp.inbound ? inbound.stats() : null),
  };
};

const certificateFiles = ({ smtp }: Config) => smtp.submission?.tls ?? smtp.inbound?.tls ?? null;

/** Null where it is off. Throws where the certificate cannot be used. */
const openSubmission = (base: Base, { accounts: { authenticate }, intake }: Rooms) => {
  const { config, limits, clock, log } = base;
  const { service, smtp } = config();
  if (smtp.submission === undefined) return null;
  const { listen, implicit_listen } = smtp.submission;
  const files = certificateFiles(config());
  const submission = createSubmission({
    listen: listen ?? null,
    implicitListen: implicit_listen ?? null,
    hostName: service.host,
    certificate: files && readCertificate(files),
    budget: base.messageBudget,
    accept: intake.accept,
    authenticate: (token, clientAddress) =>
      authenticate(
        { bearer: token, adminToken: null, cookie: null, csrfToken: null, isWrite: true, isOnceMore: false },
        clientAddress,
      ),
    controls: () => controlsOf(config().upstreams),
    limits,
    clock,
    log,
  });
  return {
    start: submission.start,
    stop: submission.stop,
    renewCertificate: () => {
      if (!files) return;
      renewCertificate(() => readCertificate(certificateFiles(config()) ?? files), submission.listeners, log);
    },
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

/** Throws where a certificate cannot be used. */
export const openSmtp = (base: Base, rooms: Rooms) => {
  const submission = openSubmission(base, rooms);
  const inbound = openInbound(base, rooms);
  return {
    /** Resolves with the ports; null where a listener is off. `simulator` takes mail to the mailbox simulator. */
    start: async () => ({
      submissionPorts: (await submission?.start()) ?? NO_PORTS,
      ...(await inbound.start()),
    }),
    /** Refuses new connections; resolves when messages in flight have ended, or after `drainMs`. */
    stop: async (drainMs: number) => {
      await Promise.all([inbound.stop(drainMs), submission?.stop(drainMs)]);
    },
    renewCertificates: () => {
      inbound.renewCertificate();
      submission?.renewCertificate();
    },
    /** For the operator's health page; null for a listener that is off. */
    facts: () => ({ submission: submission?.facts() ?? null, inbound: inbound.facts() }),
  };
};
