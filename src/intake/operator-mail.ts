// Mail to postmaster and abuse at the service's own hosts (RFC 5321 §4.5.1, RFC 2142 §4): the operator must read it. Where the
// operator has named an address, it is sent there as a mail of the service's own practice, by the one way in; else it is
// kept in that practice's local mailbox. Strangers decide what comes, so its number and size are bounded.
import { hash } from 'node:crypto';
import { AppError } from '#src/kernel/errors.ts';
import { clientKey, createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { AddressError, parseAddress } from '#src/mail/address.ts';
import { fieldValue, headOf, readFields } from '#src/mail/field-block.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { calmSource } from '#src/mail/mime-parts.ts';
import { textOfHtml } from '#src/mail/plain-text.ts';
import type { OperatorMail } from '#src/mail/reception.ts';
import type { Accept } from './accept.ts';
import { draftWith } from './draft.ts';

export interface OperatorMailDeps {
  readonly accept: Accept;
  readonly clock: Clock;
  readonly systemTenantId: () => string | null;
  /** The address that the operator has named. */
  readonly operator: () => string | null;
  /** Puts it into the local mailbox of the practice; rejects where it cannot be stored. */
  readonly keep: (tenantId: string, mail: OperatorMail) => Promise<void>;
}

const OF_A_CLIENT: RateLimit = { perSecond: 1 / 360, burst: 10 };
const OF_ALL: RateLimit = { perSecond: 1 / 60, burst: 60 };
const MAX_TEXT = 100_000;
const MAX_SUBJECT = 500;
/** The time of parsing grows with the square of a header field's length, and of the depth of HTML. */
const MAX_PARSED_BYTES = 256 * 1_024;
const MAX_HTML = 50_000;
const SHOWN = ['From', 'To', 'Cc', 'Date', 'Subject', 'Message-ID'];
/** So that no program answers it and no report about it comes back. */
const OWN_HEADERS: readonly (readonly [string, string])[] = [['Auto-Submitted', 'auto-forwarded']];

interface Readable {
  readonly subject: string;
  readonly text: string;
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

const readable = async ({ content, mailFrom, clientAddress }: OperatorMail): Promise<Readable> => {
  const fields = readFields(headOf(content));
  const { simpleParser } = await import('mailparser');
  const parsed = await simpleParser(calmSource(content.subarray(0, MAX_PARSED_BYTES)), {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    skipTextLinks: true,
  }).catch(() => null);
  const head = SHOWN.flatMap((name) => {
    const value = fieldValue(fields, name.toLowerCase());
    return value === null ? [] : [`${name}: ${oneLine(value)}`];
  });
  const plain = parsed?.text ?? '';
  const written = plain.trim() === '' ? textOfHtml((parsed?.html || '').slice(0, MAX_HTML)) : plain;
  const text = written.replaceAll('\0', '').slice(0, MAX_TEXT).toWellFormed();
  return {
    subject: oneLine(parsed?.subject ?? '')
      .slice(0, MAX_SUBJECT)
      .toWellFormed(),
    text: [`MAIL FROM: <${mailFrom}> [${clientAddress}]`, ...head, '', text].join('\n'),
  };
};

const senderOf = (mailFrom: string): Mailbox[] => {
  try {
    return mailFrom === '' ? [] : [parseAddress(mailFrom)];
  } catch (error) {
    if (error instanceof AddressError) return [];
    throw error;
  }
};

/** Resolves with false where too much mail came recently; else once the mail is durable. */
export const createOperatorMail = (deps: OperatorMailDeps) => {
  const limiter = createRateLimiter();

  const forward = async (tenantId: string, operator: string, mail: OperatorMail): Promise<void> => {
    const { subject, text } = await readable(mail);
    await deps.accept({
      source: 'system',
      ownHeaders: OWN_HEADERS,
      tenantId,
      projects: null,
      projectId: null,
      draft: draftWith({
        to: [parseAddress(operator)],
        replyTo: senderOf(mail.mailFrom),
        subject: `[${mail.recipient}] ${subject}`,
        text,
        route: 'outgoing',
        kind: 'transactional',
        tags: ['operator_mail'],
      }),
      // A sender that did not receive the 250 sends it again.
      idempotency: { key: `operator-mail:${hash('sha256', `${mail.recipient}\n${text}`)}`, request: text },
    });
  };

  return async (mail: OperatorMail): Promise<boolean> => {
    const now = deps.clock.now();
    const isTooMuch =
      !limiter.take(clientKey(mail.clientAddress), now, OF_A_CLIENT).allowed ||
      !limiter.take('all', now, OF_ALL).allowed;
    if (isTooMuch) return false;
    const tenantId = deps.systemTenantId();
    if (tenantId === null)
      throw new AppError('unavailable', say`The service is starting.`, { extra: { retry_after: 1 } });
    const operator = deps.operator();
    await (operator === null ? deps.keep(tenantId, mail) : forward(tenantId, operator, mail));
    return true;
  };
};
