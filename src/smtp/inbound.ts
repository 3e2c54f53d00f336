// The listener for mail from the world (RFC 5321): reports at return paths, mail to the simulator, and what people write to
// postmaster. It relays nothing, knows no AUTH, and answers 250 once all that follows is durable.
import type { SMTPServerSession } from 'smtp-server';
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import type { Log } from '#src/kernel/log.ts';
import { headOf, readFields } from '#src/mail/field-block.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { type Destination, type DestinationFacts, destinationOf } from './destination.ts';
import { type Certificate, createListener, type Listener, type ListenerLimits } from './listener.ts';
import { SmtpRefusal } from './read-data.ts';

export type ReportOutcome = 'changed' | 'unchanged' | 'unknown';

/** What becomes of accepted mail. Each resolves once it is durable, and rejects where it is not: the sender comes again. */
export interface InboundWork {
  /** Reads the content once for all its return paths. */
  readonly report: (targets: readonly ReturnPathTarget[], content: Buffer) => Promise<ReportOutcome[]>;
  /** False where the answer could not be handed over. */
  readonly simulate: (mail: Extract<Destination, { kind: 'simulator' }>, content: Buffer) => Promise<boolean>;
  /** False where too many such mails came of late. */
  readonly tellOperator: (mail: OperatorMail) => Promise<boolean>;
}

export interface OperatorMail {
  /** As in RCPT TO. */
  readonly recipient: string;
  readonly mailFrom: string;
  readonly clientAddress: string;
  /** With Return-Path and Received (RFC 5321 §4.4) before it. */
  readonly content: Buffer;
}

export interface InboundOptions extends DestinationFacts {
  readonly listen: { readonly host: string; readonly port: number };
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
  /** Since the start: reports that changed something, that changed nothing, whose recipient is gone. */
  readonly reports: Readonly<Record<ReportOutcome, number>>;
  readonly simulated: number;
  readonly to_operator: number;
  /** Recipients that were refused. */
  readonly refused: number;
}

export interface Inbound extends Pick<Listener, 'start' | 'stop' | 'useCertificate'> {
  stats(): InboundStats;
}

const MIB = 1_024 * 1_024;
export const inboundLimits: ListenerLimits = {
  connections: 200,
  // One relay may bring all that the world answers.
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

/** What stands in a trace field must not end it, nor its comments. */
const traced = (text: string): string => text.replace(/[^!-'*-[\]-~]/g, '?').slice(0, 255);

const traceOf = (session: SMTPServerSession, mailFrom: string, serviceHost: string, now: number): string => {
  const date = new Date(now).toUTCString().replace('GMT', '+0000');
  const client = session.remoteAddress.includes(':')
    ? `IPv6:${session.remoteAddress}`
    : session.remoteAddress;
  return [
    `Return-Path: <${traced(mailFrom)}>\r\n`,
    `Received: from ${traced(session.hostNameAppearsAs)} ([${client}])\r\n`,
    ` by ${serviceHost} with ${session.transmissionType} id ${session.id};\r\n ${date}\r\n`,
  ].join('');
};

export const createInbound = (options: InboundOptions): Inbound => {
  const { work, log, serviceHost } = options;
  const reports: Record<ReportOutcome, number> = { changed: 0, unchanged: 0, unknown: 0 };
  let simulated = 0;
  let toOperator = 0;
  let refused = 0;

  const senderOf = ({ envelope }: SMTPServerSession): string =>
    envelope.mailFrom === false ? '' : envelope.mailFrom.address;

  const deliver = async (
    destinations: readonly Destination[],
    content: Buffer,
    session: SMTPServerSession,
  ): Promise<void> => {
    const targets = destinations.flatMap((one) => (one.kind === 'report' ? [one.target] : []));
    if (targets.length > 0) for (const outcome of await work.report(targets, content)) reports[outcome] += 1;
    for (const one of destinations) {
      if (one.kind === 'simulator') {
        if (!(await work.simulate(one, content)))
          throw new SmtpRefusal(451, '4.4.0 the answer could not be delivered, try again later');
        simulated += 1;
      }
      if (one.kind === 'operator') {
        const mailFrom = senderOf(session);
        const trace = Buffer.from(traceOf(session, mailFrom, serviceHost, options.now()), 'latin1');
        const mail = { recipient: one.recipient, mailFrom, clientAddress: session.remoteAddress };
        if (!(await work.tellOperator({ ...mail, content: Buffer.concat([trace, content]) })))
          throw new SmtpRefusal(450, '4.7.1 too many messages, try again later');
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
      // Anyone may send; what is refused is decided by who is to get it.
      mail: () => {},
      rcpt: (address, session) => {
        try {
          destinationOf(address, senderOf(session), options);
        } catch (error) {
          refused += 1;
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
      refused,
    }),
  };
};
