// Mail to `fbl@<service host>` (RFC 6449): complaints from anyone, also about old mail, and notices of Amazon SES by mail.
// Every mail is accepted, because it quotes what was called spam and would be rejected for it; a report about no copy of ours
// changes nothing, and none is answered.

import type { Log } from '#src/kernel/log.ts';
import { clientKey, createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import type { ReceivedMail, ReportResult } from '#src/mail/reception.ts';
import { readComplaint } from './read-complaint.ts';
import { type LocatedDeps, receiveLocated } from './receive-located.ts';
import type { Reporter } from './reporter.ts';

export interface ComplaintDeps extends LocatedDeps {
  readonly log: Log;
}

/** A provider sends one for each click of its users, from a few hosts. It sends again what was refused. */
const OF_A_CLIENT: RateLimit = { perSecond: 2, burst: 200 };
/** Reading a long report takes some milliseconds, and an unsigned Message-ID may open a tenant's file. */
const OF_ALL: RateLimit = { perSecond: 10, burst: 1_000 };

/** Resolves once it is durable, or with null where too many came recently. Rejects where a file cannot be used. */
export const createComplaints = (deps: ComplaintDeps) => {
  const limiter = createRateLimiter();

  const receive = async (content: Buffer, reporter: Reporter): Promise<ReportResult> => {
    const mail = await readComplaint(content);
    if (mail === null) {
      deps.log.info({ bytes: content.length }, 'a mail to the address for complaints reports none');
      return 'unchanged';
    }
    if ('subscriptionLink' in mail) {
      const { subscriptionLink } = mail;
      deps.log.warn(
        { link: subscriptionLink },
        'Amazon SNS asks to confirm a subscription of the address for complaints',
      );
      return 'unchanged';
    }
    const result = await receiveLocated(deps, mail.clues, mail.report, reporter);
    if (result === 'unknown')
      deps.log.info({ report: mail.report.kind }, 'a complaint names no mail of ours');
    return result;
  };

  return async (
    { envelope: { clientAddress }, content }: ReceivedMail,
    reporter: Reporter,
  ): Promise<ReportResult | null> => {
    const now = deps.received.clock.now();
    const isTooMuch =
      !limiter.take(clientKey(clientAddress), now, OF_A_CLIENT).allowed ||
      !limiter.take('all', now, OF_ALL).allowed;
    return isTooMuch ? null : receive(content, reporter);
  };
};
