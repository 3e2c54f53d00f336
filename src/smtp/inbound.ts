// The listener for mail from the world (RFC 5321): mail to the mailboxes of tenants, reports at return paths, complaints, mail to
// the simulator, and what people write to postmaster. It relays nothing, offers no AUTH, and answers 250 once all that follows
// is durable.

import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import type { CertificateSource } from '#src/kernel/certificate.ts';
import { freeNow } from '#src/kernel/large-octets.ts';
import type { Log } from '#src/kernel/log.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import { headOf, readFields } from '#src/mail/field-block.ts';
import {
  mailRefusalReasons,
  type ReceivedMail,
  type Receives,
  type Reception,
  type ReportResult,
  type ReturnPath,
  type SimulatedRecipient,
} from '#src/mail/reception.ts';
import { receivedField, returnPathField, type Traced } from '#src/mail/trace.ts';
import { COMPLAINTS } from '#src/mail/verp.ts';
import { RecipientRefusal } from './destination.ts';
import type { ExpectedMail } from './expected-mail.ts';
import type { inboundSchema } from './health.ts';
import {
  createListener,
  type ListenAddress,
  type Listener,
  type ListenerLimits,
  saysUtf8,
} from './listener.ts';
import type { CommandDuration } from './metrics.ts';
import { type HandOn, handOnTo, type MovedRecipient, type Once } from './moved-recipients.ts';
import { holdsNul, replaceNul, SmtpRefusal } from './read-data.ts';
import {
  createRecipients,
  type Recipient,
  type RecipientFacts,
  type RecipientWork,
  senderOf,
} from './recipients.ts';
import type { SmtpSession } from './strict-server.ts';

/** What is done with accepted mail. */
export interface InboundWork
  extends RecipientWork,
    Pick<Receives<never>, 'receive' | 'domainReport' | 'unsubscribe' | 'forwardReport' | 'mailOperator'>,
    Pick<ExpectedMail, 'expected'> {
  readonly report: (returnPaths: readonly ReturnPath[], mail: ReceivedMail) => Promise<ReportResult[] | null>;
  readonly complain: (mail: ReceivedMail) => Promise<ReportResult | null>;
  /** False where the answer could not be delivered. */
  readonly simulate: (mail: SimulatedRecipient, content: Buffer) => Promise<boolean>;
  /** Sends mail to the host that a tenant has moved to. */
  readonly handOn: HandOn;
}

export interface InboundOptions extends RecipientFacts {
  readonly listen: ListenAddress;
  readonly certificates: CertificateSource | null;
  readonly budget: ByteBudget;
  readonly work: InboundWork;
  /** Octets of a message. */
  readonly messageBytes: number;
  readonly log: Log;
  readonly commands?: CommandDuration;
  readonly limits?: Partial<ListenerLimits>;
}

export interface Inbound extends Pick<Listener, 'start' | 'stop'> {
  stats(): NonNullable<z.output<typeof inboundSchema>>;
}

const inboundLimits: Omit<ListenerLimits, 'messageBytes'> = {
  connections: 200,
  // One relay may bring all answers of the world.
  perClient: 50,
  // RFC 5321 §4.5.3.1.8
  recipients: 100,
  mistakes: 20,
};

/** What comes at return paths that are proven. */
const REPORTS: ReadonlySet<Recipient['kind']> = new Set(['report', 'forward_report']);

/**
 * Why a mail is refused behind its content. `loop`: it has been through too many servers. `too_many`: of its sender, to the operator
 * or with reports. `failed`: what it takes could not be done at the moment.
 */
export const contentRefusals = [...mailRefusalReasons, 'full', 'loop', 'too_many', 'failed'] as const;
type ContentRefusalReason = (typeof contentRefusals)[number];

class ContentRefusal extends SmtpRefusal {
  readonly reason: ContentRefusalReason;

  constructor(reason: ContentRefusalReason, code: number, text: string) {
    super(code, text);
    this.reason = reason;
  }
}

/** RFC 5321 §6.3 */
const MAX_HOPS = 100;

const MAX_REMEMBERED = 1_000;

/** A thousand of them may be kept, and no one has enabled a mailbox for it. */
const MAX_OPERATOR_BYTES = 10 * 1_024 * 1_024;

/** Bytes and fields of a header: what is read of one (field-block.ts, mime-parts.ts), less what the fields of the reception take. */
const MAX_HEAD = { bytes: 245_760, fields: 980 };

/** A header of which only a part would be read could show another sender than it has. */
const refuseHead = (content: Buffer): void => {
  const head = headOf(content);
  const fields = readFields(head);
  if (head.length > MAX_HEAD.bytes || fields.length > MAX_HEAD.fields)
    throw new ContentRefusal(
      'too_large',
      552,
      `5.3.4 the header has more than ${MAX_HEAD.bytes} bytes or ${MAX_HEAD.fields} fields`,
    );
  const hops = fields.filter(({ name }) => name === 'received').length;
  if (hops > MAX_HOPS) throw new ContentRefusal('loop', 554, '5.4.6 too many hops');
};

/** Throws SmtpRefusal. */
const requireStored = (reception: Reception): void => {
  if (reception.kind === 'refused')
    throw new ContentRefusal(reception.reason, reception.code, reception.text);
};

const tooMany = (): SmtpRefusal =>
  new ContentRefusal('too_many', 450, '4.7.1 too many messages, try again later');

const envelopeOf = (session: SmtpSession): Traced => {
  const { envelope, transmissionType } = session;
  const isUtf8 = envelope.mailFrom !== false && saysUtf8(envelope.mailFrom.args);
  return {
    mailFrom: senderOf(session),
    clientAddress: session.remoteAddress,
    helo: session.hostNameAppearsAs,
    // RFC 6531 §4.3
    protocol: isUtf8 ? transmissionType.replace(/^ESMTP/, 'UTF8SMTP') : transmissionType,
    sessionId: session.id,
  };
};

export const createInbound = (options: InboundOptions): Inbound => {
  const { work, log, serviceHost } = options;
  const reports: Record<ReportResult, number> = { changed: 0, unchanged: 0, unknown: 0 };
  const recipients = createRecipients(options, work);
  const domainReports = { taken: 0, not_taken: 0 };
  /** Mails of transactions that failed after the operator or another host had them, with their recipients: they come again. */
  const broughtOn = new Set<string>();
  const refusedContent = Object.fromEntries(contentRefusals.map((reason) => [reason, 0])) as Record<
    ContentRefusalReason,
    number
  >;
  let received = 0;
  let simulated = 0;
  let toOperator = 0;
  let handedOn = 0;

  /** `forget` is for the end of a transaction in which nothing failed: the same mail is another one when it comes again. */
  const bringOnce = (mailFrom: string, content: Buffer): Once & { readonly forget: () => void } => {
    const given: string[] = [];
    const nameOf = (recipient: string): string =>
      createHash('sha256').update(`${recipient} ${mailFrom} `).update(content).digest('base64');
    return {
      has: (recipient) => {
        const name = nameOf(recipient);
        if (!broughtOn.has(name)) return false;
        given.push(name);
        return true;
      },
      note: (recipient) => {
        const name = nameOf(recipient);
        given.push(name);
        if (broughtOn.size >= MAX_REMEMBERED) broughtOn.clear();
        broughtOn.add(name);
      },
      forget: () => {
        for (const name of given) broughtOn.delete(name);
      },
    };
  };

  const handOn = async (
    to: readonly MovedRecipient[],
    envelope: Traced,
    content: Buffer,
    once: Once,
  ): Promise<void> => {
    await handOnTo(to, envelope, content, { ...options, handOn: work.handOn, once });
    if (to.length > 0) handedOn += 1;
  };

  /** Whose mail it is about shows its content: where that tenant has moved, the address for complaints there gets it. */
  const complain = async (envelope: Traced, content: Buffer, once: Once): Promise<ReportResult | null> => {
    try {
      return await work.complain({ envelope, content });
    } catch (error) {
      if (!(error instanceof TenantMoved)) throw error;
      const { newHost } = error;
      const address = `${COMPLAINTS}@${newHost.host}`;
      await handOn([{ kind: 'moved', address, newHost }], envelope, content, once);
      return 'unchanged';
    }
  };

  const deliver = async (to: readonly Recipient[], content: Buffer, session: SmtpSession): Promise<void> => {
    const hadNul = replaceNul(content);
    const envelope = envelopeOf(session);
    const { mailFrom, clientAddress } = envelope;
    if (content.length > MAX_OPERATOR_BYTES && to.some(({ kind }) => kind === 'operator'))
      throw new ContentRefusal(
        'too_large',
        552,
        `5.3.4 postmaster and abuse take ${MAX_OPERATOR_BYTES} bytes at most`,
      );
    const once = bringOnce(mailFrom, content);
    await handOn(
      to.filter((one) => one.kind === 'moved'),
      envelope,
      content,
      once,
    );
    const returnPaths = to.filter((one) => one.kind === 'report');
    const mailboxes = to.filter((one) => one.kind === 'mailbox');
    const outcomes = returnPaths.length > 0 ? await work.report(returnPaths, { envelope, content }) : [];
    for (const outcome of outcomes ?? []) reports[outcome] += 1;
    // The mail is no report, and mail with a NUL is not kept.
    if (outcomes === null && hadNul) throw holdsNul();
    const answered = outcomes === null ? returnPaths : [];
    const readers = await recipients.readers(mailboxes, answered, session, content.length);
    reports.unchanged += answered.length - (readers.length - mailboxes.length);
    for (const one of to) {
      if (one.kind === 'expected') work.expected(one.address, { envelope, content });
      if (one.kind === 'forward_report')
        reports[await work.forwardReport(one.copy, { envelope, content })] += 1;
      if (one.kind === 'unsubscribe') reports[await work.unsubscribe(one.target, { envelope, content })] += 1;
      if (one.kind === 'complaint') {
        const outcome = await complain(envelope, content, once);
        if (outcome === null) throw tooMany();
        reports[outcome] += 1;
      }
      if (one.kind === 'domain_report') {
        const { report: kind } = one;
        const outcome = await work.domainReport({ kind, envelope, content });
        if (outcome === 'busy') throw tooMany();
        domainReports[outcome] += 1;
      }
      if (one.kind === 'simulator') {
        if (!(await work.simulate(one, content)))
          throw new ContentRefusal('failed', 451, '4.4.0 the answer could not be delivered, try again later');
        simulated += 1;
      }
      if (one.kind === 'operator') {
        if (once.has(one.recipient)) continue;
        const trace = returnPathField(mailFrom) + receivedField(envelope, serviceHost, options.now());
        const mail = { recipient: one.recipient, mailFrom, clientAddress };
        const whole = Buffer.concat([Buffer.from(trace), content]);
        if (!(await work.mailOperator({ ...mail, content: whole }))) throw tooMany();
        toOperator += 1;
        once.note(one.recipient);
      }
    }
    // Last: where something before fails, no one has the mail twice when it comes again.
    if (readers.length > 0) {
      requireStored(await work.receive(readers, { envelope, content }));
      received += 1;
    }
    once.forget();
    // The mailboxes have what they keep of it on the disk. Others may still send it somewhere.
    if (to.every(({ kind }) => kind === 'mailbox')) freeNow(content);
  };

  const listener = createListener({
    name: 'inbound',
    listen: options.listen,
    hostName: serviceHost,
    certificates: options.certificates,
    limits: { ...inboundLimits, messageBytes: options.messageBytes, ...options.limits },
    smtpUtf8: true,
    budget: options.budget,
    noteCommand: (command, seconds) => options.commands?.note?.({ listener: 'inbound', command }, seconds),
    log,
    handlers: {
      // Anyone may send: the recipient decides what is refused.
      mail: () => {},
      // One after the other on each connection, so that a client has no more of them at a time than connections.
      rcpt: recipients.add,
      // Servers return with a report what was in the mail; the HMAC proves that they had it from us.
      takesNul: (session) => recipients.of(session).every(({ kind }) => REPORTS.has(kind)),
      data: async (content, session) => {
        try {
          refuseHead(content);
          await deliver(recipients.of(session), content, session);
        } catch (error) {
          // A recipient that is refused only now is counted with the others.
          if (!(error instanceof RecipientRefusal))
            refusedContent[error instanceof ContentRefusal ? error.reason : 'failed'] += 1;
          throw error;
        }
        return '2.0.0 received';
      },
    },
  });

  return {
    start: listener.start,
    stop: listener.stop,
    stats: () => ({
      ...listener.stats(),
      reports: { ...reports },
      received,
      domain_reports: { ...domainReports },
      simulated,
      to_operator: toOperator,
      handed_on: handedOn,
      refused: { ...recipients.refused },
      refused_content: { ...refusedContent },
    }),
  };
};
