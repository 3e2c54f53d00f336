// The listener for mail from the world (RFC 5321): reports at return paths, complaints, mail to the simulator, and what people
// write to postmaster. It relays nothing, offers no AUTH, and answers 250 once all that follows is durable.
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import type { Log } from '#src/kernel/log.ts';
import { headOf, readFields } from '#src/mail/field-block.ts';
import { receivedField, returnPathField, type Traced } from '#src/mail/trace.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import {
  type Destination,
  type DestinationFacts,
  destinationOf,
  RecipientRefusal,
  type RefusalReason,
  refusalReasons,
} from './destination.ts';
import {
  type Certificate,
  createListener,
  type ListenAddress,
  type Listener,
  type ListenerLimits,
} from './listener.ts';
import { SmtpRefusal } from './read-data.ts';
import type { SmtpSession } from './strict-server.ts';

/** Why a genuine return path cannot be used. */
export type PathFault = Extract<RefusalReason, 'unknown' | 'replayed' | 'expired'>;

export type ReportOutcome = 'changed' | 'unchanged' | 'unknown';

/** What is done with accepted mail. Each resolves once that is durable, and rejects where it is not: the sender tries again. */
export interface InboundWork {
  /** Of a genuine return path. Rejects where it cannot be found out at the moment. */
  readonly returnPathStatus: (target: ReturnPathTarget) => Promise<'current' | PathFault>;
  /** Reads the content once for all its return paths. */
  readonly report: (
    targets: readonly ReturnPathTarget[],
    mail: Pick<OperatorMail, 'mailFrom' | 'content'>,
  ) => Promise<ReportOutcome[]>;
  /** Null where too many came recently. */
  readonly complain: (mail: Pick<OperatorMail, 'clientAddress' | 'content'>) => Promise<ReportOutcome | null>;
  /** False where the answer could not be delivered. */
  readonly simulate: (mail: Extract<Destination, { kind: 'simulator' }>, content: Buffer) => Promise<boolean>;
  /** False where too many such mails came recently. */
  readonly mailOperator: (mail: OperatorMail) => Promise<boolean>;
}

export interface OperatorMail {
  /** As in RCPT TO. */
  readonly recipient: string;
  readonly mailFrom: string;
  readonly clientAddress: string;
  /** Begins with Return-Path and Received (RFC 5321 §4.4). */
  readonly content: Buffer;
}

export interface InboundOptions extends DestinationFacts {
  readonly listen: ListenAddress;
  readonly certificate: Certificate | null;
  readonly budget: ByteBudget;
  readonly work: InboundWork;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly log: Log;
  readonly limits?: Partial<ListenerLimits>;
}

export interface InboundStats {
  readonly listening: boolean;
  readonly connections: number;
  /** Since the start, with complaints: those that changed something, that changed nothing, whose message is unknown. */
  readonly reports: Readonly<Record<ReportOutcome, number>>;
  readonly simulated: number;
  readonly to_operator: number;
  /** Recipients that were refused. */
  readonly refused: Readonly<Record<RefusalReason, number>>;
}

export interface Inbound extends Pick<Listener, 'start' | 'stop' | 'useCertificate'> {
  stats(): InboundStats;
}

const MIB = 1_024 * 1_024;
export const inboundLimits: ListenerLimits = {
  connections: 200,
  // One relay may bring all answers of the world.
  perClient: 50,
  // Notices return a message's head, some all of it.
  messageBytes: 10 * MIB,
  // RFC 5321 §4.5.3.1.8
  recipients: 100,
  mistakes: 20,
};

/** RFC 5321 §6.3 */
const MAX_HOPS = 100;

const refuseLoop = (content: Buffer): void => {
  const hops = readFields(headOf(content)).filter(({ name }) => name === 'received').length;
  if (hops > MAX_HOPS) throw new SmtpRefusal(554, '5.4.6 too many hops');
};

const tooMany = (): SmtpRefusal => new SmtpRefusal(450, '4.7.1 too many messages, try again later');

export const createInbound = (options: InboundOptions): Inbound => {
  const { work, log, serviceHost } = options;
  const reports: Record<ReportOutcome, number> = { changed: 0, unchanged: 0, unknown: 0 };
  let simulated = 0;
  let toOperator = 0;
  const refused = Object.fromEntries(refusalReasons.map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >;

  const senderOf = ({ envelope }: SmtpSession): string =>
    envelope.mailFrom === false ? '' : envelope.mailFrom.address;

  const envelopeOf = (session: SmtpSession): Traced => ({
    mailFrom: senderOf(session),
    clientAddress: session.remoteAddress,
    helo: session.hostNameAppearsAs,
    protocol: session.transmissionType,
    sessionId: session.id,
  });

  const deliver = async (
    destinations: readonly Destination[],
    content: Buffer,
    session: SmtpSession,
  ): Promise<void> => {
    const targets = destinations.flatMap((one) => (one.kind === 'report' ? [one.target] : []));
    const mailFrom = senderOf(session);
    if (targets.length > 0)
      for (const outcome of await work.report(targets, { mailFrom, content })) reports[outcome] += 1;
    for (const one of destinations) {
      if (one.kind === 'complaint') {
        const outcome = await work.complain({ clientAddress: session.remoteAddress, content });
        if (outcome === null) throw tooMany();
        reports[outcome] += 1;
      }
      if (one.kind === 'simulator') {
        if (!(await work.simulate(one, content)))
          throw new SmtpRefusal(451, '4.4.0 the answer could not be delivered, try again later');
        simulated += 1;
      }
      if (one.kind === 'operator') {
        const traced = envelopeOf(session);
        const trace = Buffer.from(
          returnPathField(mailFrom) + receivedField(traced, serviceHost, options.now()),
          'latin1',
        );
        const mail = { recipient: one.recipient, mailFrom, clientAddress: session.remoteAddress };
        if (!(await work.mailOperator({ ...mail, content: Buffer.concat([trace, content]) })))
          throw tooMany();
        toOperator += 1;
      }
    }
  };

  const listener = createListener({
    name: 'inbound',
    listen: options.listen,
    hostName: serviceHost,
    certificate: options.certificate,
    limits: { ...inboundLimits, ...options.limits },
    budget: options.budget,
    log,
    handlers: {
      // Anyone may send: the recipient decides what is refused.
      mail: () => {},
      rcpt: async (address, session) => {
        try {
          const destination = destinationOf(address, senderOf(session), options);
          // One after the other on each connection, so that a client has no more of them at a time than connections.
          const status =
            destination.kind === 'report' ? await work.returnPathStatus(destination.target) : 'current';
          if (status !== 'current') throw new RecipientRefusal(status);
        } catch (error) {
          if (error instanceof RecipientRefusal) refused[error.reason] += 1;
          throw error;
        }
      },
      data: async (content, session) => {
        refuseLoop(content);
        const sender = senderOf(session);
        const destinations = session.envelope.rcptTo.map(({ address }) =>
          destinationOf(address, sender, options),
        );
        await deliver(destinations, content, session);
        return '2.0.0 received';
      },
    },
  });

  return {
    start: listener.start,
    stop: listener.stop,
    useCertificate: listener.useCertificate,
    stats: () => ({
      ...listener.stats(),
      reports: { ...reports },
      simulated,
      to_operator: toOperator,
      refused: { ...refused },
    }),
  };
};
