// Message submission (RFC 6409) with an API token as password (RFC 4954): on port 587 with STARTTLS, on 465 with TLS from the
// first byte (RFC 8314). A message goes through the same intake as one by HTTP. The envelope's sender is ignored, because every
// copy leaves with a return path of its own; its recipients are those who get the message.

import type { Accept, Accepted } from '#src/intake/accept.ts';
import { fromMime } from '#src/intake/from-mime.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { ByteBudget } from '#src/kernel/byte-budget.ts';
import type { CertificateSource } from '#src/kernel/certificate.ts';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { isCredentialFault } from '#src/kernel/credentials.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { type Log, SUBMISSION_LINE } from '#src/kernel/log.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import { clientKey, createRateLimiter } from '#src/kernel/rate-limit.ts';
import { toAppError } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { AddressError, needsSmtpUtf8, parseAddress } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { createListener, type ListenAddress, type Listener, type ListenerHandlers } from './listener.ts';
import type { CommandDuration } from './metrics.ts';
import { SmtpRefusal } from './read-data.ts';
import type { SmtpCredentials, SmtpSession } from './strict-server.ts';

/** Office networks and application servers open one for each message that they send at a time. */
const CONNECTIONS_PER_CLIENT = 50;
const CONNECTIONS = 1_000;
const MISTAKES = 20;
/** Parsing a message of the largest size needs twice its size for a moment. */
const PARSED_AT_ONCE = 2;

export interface SubmissionOptions {
  /** The address for clients that begin in clear and change to TLS; null: none. */
  readonly listen: ListenAddress | null;
  /** The address for clients that begin with TLS; null: none. */
  readonly implicitListen: ListenAddress | null;
  readonly hostName: string;
  /** Null: only clients on this machine may sign in. */
  readonly certificates: CertificateSource | null;
  readonly budget: ByteBudget;
  readonly accept: Accept;
  /** Rejects with `unauthorized`, which says why. */
  readonly authenticate: (token: string, clientAddress: string) => Promise<Caller>;
  /** The header fields by which relays take orders. */
  readonly controls: () => readonly string[];
  /** Messages are limited per credential, as requests are; failed attempts to sign in per client address. */
  readonly limits: () => Limits;
  readonly clock: Clock;
  readonly commands?: CommandDuration;
  readonly log: Log;
}

/** Null where it does not listen. */
export interface SubmissionPorts {
  readonly port: number | null;
  readonly implicitPort: number | null;
}

export interface Submission {
  /** Rejects where an address is taken. */
  start(): Promise<SubmissionPorts>;
  readonly listeners: readonly Listener[];
  stop(timeoutMs: number): Promise<void>;
}

/** The caller that has signed in on a connection, and a check whether its token is still good. */
interface SignedIn {
  readonly caller: Caller;
  readonly authorized: () => Promise<Caller>;
}

/** RFC 5735 §4, RFC 4291 §2.5.3. */
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

const mayAuthenticate = ({ secure, remoteAddress }: SmtpSession): boolean =>
  secure || isLoopback(remoteAddress);

const signedIn = ({ user }: SmtpSession): SignedIn => {
  if (user === undefined || user === false)
    throw new SmtpRefusal(530, '5.7.0 sign in first: AUTH over TLS, with an API token as password');
  return user as SignedIn;
};

const isSender = (caller: Caller): caller is Caller & { readonly tenantId: string } =>
  (caller.kind === 'team_token' || caller.kind === 'project_token') &&
  caller.tenantId !== null &&
  caller.permissions.has('messages.send');

const notForSending = (): AppError =>
  new AppError('unauthorized', say`The password is not an API token.`, {
    hint: say`Mail is submitted with a team or project token as password.`,
  });

/** RFC 5321 §4.5.3.1.5 allows 512 octets with the codes and CRLF. */
const MAX_REPLY_TEXT = 450;

const NOT_PRINTABLE = /[^\x20-\x7e]+/g;

/** Umlauts lose their dots, quotation marks their shape; other characters that are not ASCII become `?`. */
const toAscii = (text: string): string =>
  text
    .replace(/[„“”«»]/g, '"')
    .replace(/ß/g, 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(NOT_PRINTABLE, (found) => (found.trim() === '' ? ' ' : '?'));

const shorten = (text: string): string =>
  text.length <= MAX_REPLY_TEXT ? text : `${text.slice(0, MAX_REPLY_TEXT - 3)}...`;

/** The refusal is temporary, so that what waits at a mail server is not lost until that knows the new host. */
const hasMoved = ({ newHost }: TenantMoved): SmtpRefusal =>
  new SmtpRefusal(454, `4.7.0 this practice has moved: submit its mail at ${newHost.mail.host}`);

/** An error of the service as the reply that refuses a command: `<code>: <error> <hint>` on one line of ASCII. */
export const refusalOf = (error: AppError): SmtpRefusal => {
  if (error instanceof TenantMoved) return hasMoved(error);
  const { code, message, hint } = error;
  const { smtp } = errorTable[code];
  const [reply = '', status = ''] = smtp.split(' ');
  return new SmtpRefusal(Number(reply), shorten(toAscii(`${status} ${code}: ${message} ${hint}`)));
};

const parseRecipient = (text: string): Address => {
  try {
    const { address } = parseAddress(text);
    if (!needsSmtpUtf8(address)) return address;
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw refusalOf(
      new AppError('invalid_recipient', say`${error.text}.`, { extra: { recipients: [text.slice(0, 254)] } }),
    );
  }
  throw new SmtpRefusal(553, '5.6.7 invalid_recipient: SMTPUTF8 is not offered; use an address of ASCII');
};

const SAID = {
  recipient_suppressed: ' (recipient_suppressed: every recipient is suppressed, nothing is sent)',
  recipients_suppressed: ' (recipients_suppressed: some recipients are suppressed, the others get it)',
} as const;

/** Throws the error of a message that was blocked. */
const replyTo = (accepted: Accepted): string => {
  if (accepted.kind === 'blocked') throw accepted.error;
  const { id, code } = accepted.answer;
  return `2.0.0 queued as ${id}${code === undefined ? '' : SAID[code]}`;
};

export const createSubmission = (options: SubmissionOptions): Submission => {
  const { accept, authenticate, controls, limits, clock, log } = options;
  const failures = createRateLimiter();
  const messages = createRateLimiter();
  const parsing = limitConcurrency(PARSED_AT_ONCE);

  const signIn = async ({ password }: SmtpCredentials, { remoteAddress }: SmtpSession): Promise<SignedIn> => {
    const token = password ?? '';
    const authorized = async (): Promise<Caller> => {
      const caller = await authenticate(token, remoteAddress).catch((thrown) => {
        throw thrown instanceof TenantMoved ? refusalOf(thrown) : thrown;
      });
      if (!isSender(caller)) throw notForSending();
      return caller;
    };
    const caller = await authorized().catch((thrown) => {
      if (!isCredentialFault(thrown)) throw thrown;
      // 256 bits cannot be guessed: right tokens pass however many wrong ones come from the same network.
      const { allowed } = failures.take(clientKey(remoteAddress), clock.now(), limits().signInPerAddress);
      throw allowed ? refusalOf(thrown) : new SmtpRefusal(421, '4.7.0 too many failed attempts to sign in');
    });
    return { caller, authorized };
  };

  const mail = async (address: string, session: SmtpSession): Promise<void> => {
    const { caller, authorized } = signedIn(session);
    await authorized().catch((thrown) => {
      throw isCredentialFault(thrown) ? new SmtpRefusal(421, '4.7.0 the token is no longer valid') : thrown;
    });
    if (session.envelope.smtpUtf8) throw new SmtpRefusal(555, '5.5.4 SMTPUTF8 is not offered');
    if (address === '')
      throw new SmtpRefusal(550, '5.7.1 reports and automatic notices are not sent through this service');
    const { allowed, retryAfterSeconds } = messages.take(caller.credentialId, clock.now(), limits().requests);
    if (!allowed)
      throw refusalOf(
        new AppError('rate_limited', say`Too many messages in a short time.`, {
          extra: { retry_after: retryAfterSeconds },
        }),
      );
  };

  const rcpt = (address: string, { envelope }: SmtpSession): void => {
    const limit = limits().recipients;
    if (envelope.rcptTo.length >= limit)
      throw refusalOf(
        new AppError('too_many_recipients', say`A message has at most ${limit} recipients.`, {
          extra: { count: envelope.rcptTo.length + 1, limit },
        }),
      );
    parseRecipient(address);
  };

  const take = async (content: Buffer, session: SmtpSession): Promise<string> => {
    const { caller } = signedIn(session);
    if (!isSender(caller)) throw notForSending();
    const recipients = session.envelope.rcptTo.map(({ address }) => parseRecipient(address));
    const { draft, projectId, idempotency } = await parsing(() => fromMime(content, recipients, controls()));
    const accepted = await accept({
      tenantId: caller.tenantId,
      tokenId: caller.credentialId,
      projects: caller.projects,
      projectId,
      source: 'smtp',
      draft,
      idempotency,
    });
    return replyTo(accepted);
  };

  const data = async (content: Buffer, session: SmtpSession): Promise<string> => {
    const { caller } = signedIn(session);
    const facts = {
      credential_id: caller.credentialId,
      tenant_id: caller.tenantId,
      bytes_in: content.length,
      recipients: session.envelope.rcptTo.length,
    };
    try {
      const reply = await take(content, session);
      log.info({ ...facts, reply: 250 }, SUBMISSION_LINE);
      return reply;
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'internal_error') log.error({ ...facts, err: error }, 'submission failed');
      else log.info({ ...facts, code: error.code }, SUBMISSION_LINE);
      throw refusalOf(error);
    }
  };

  const budgetOwner = (session: SmtpSession): string => signedIn(session).caller.tenantId ?? '';
  const handlers: ListenerHandlers = { authenticate: signIn, mayAuthenticate, mail, rcpt, data, budgetOwner };
  const listenerAt = (
    name: 'submission' | 'submissions',
    listen: ListenAddress,
    implicitTls: boolean,
  ): Listener =>
    createListener({
      name,
      listen,
      hostName: options.hostName,
      certificates: options.certificates,
      implicitTls,
      limits: {
        connections: CONNECTIONS,
        perClient: CONNECTIONS_PER_CLIENT,
        messageBytes: limits().body_bytes,
        // One more than `rcpt` allows, because the library would refuse too many with a temporary error.
        recipients: limits().recipients + 1,
        mistakes: MISTAKES,
      },
      budget: options.budget,
      noteCommand: (command, seconds) => options.commands?.note?.({ listener: name, command }, seconds),
      handlers,
      log,
    });
  const plain = options.listen && listenerAt('submission', options.listen, false);
  const implicit = options.implicitListen && listenerAt('submissions', options.implicitListen, true);
  const listeners = [plain, implicit].filter((listener) => listener !== null);

  return {
    listeners,
    start: async () => ({
      port: plain && (await plain.start()).port,
      implicitPort: implicit && (await implicit.start()).port,
    }),
    stop: async (timeoutMs) => {
      await Promise.all(listeners.map((listener) => listener.stop(timeoutMs)));
    },
  };
};
