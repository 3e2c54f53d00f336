// Mail to `fbl@<service host>` (RFC 6449): reports of complaints, from anyone who sends them, about mail that may be long
// in others' hands. It is taken whatever it says, for it quotes what was called spam; what names no copy of ours changes
// nothing, and nobody is answered.
import type { Log } from '#src/kernel/log.ts';
import { clientKey, createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import { type LocateDeps, locate } from './locate.ts';
import { readComplaint } from './read-complaint.ts';
import { type ReceiveDeps, type ReportResult, receiveReport } from './receive.ts';
import { returnPathStanding } from './return-path.ts';

export interface ComplaintDeps {
  readonly locate: LocateDeps;
  readonly received: ReceiveDeps;
  readonly log: Log;
}

export interface ComplaintMail {
  readonly clientAddress: string;
  readonly content: Buffer;
}

/** A provider brings one for each click of its people, from a few hosts. What is refused is brought again. */
const OF_A_CLIENT: RateLimit = { perSecond: 2, burst: 200 };
/** Reading a long one takes some milliseconds; a Message-ID, which nobody has signed, may open a practice's file. */
const OF_ALL: RateLimit = { perSecond: 10, burst: 1_000 };

/** Resolves with null where too many came of late; else once it is durable. Rejects where a file cannot be used. */
export const createComplaints = (deps: ComplaintDeps) => {
  const limiter = createRateLimiter();

  const applySignals = async (content: Buffer): Promise<ReportResult> => {
    const complaint = await readComplaint(content);
    if (complaint === null) {
      deps.log.info({ bytes: content.length }, 'a mail to the address for complaints reports none');
      return 'unchanged';
    }
    const { feedback, clues } = complaint;
    const target = await locate(deps.locate, clues);
    const standing = target && (await returnPathStanding(deps.received, target));
    // Of old mail people may complain as long as it is known.
    if (target === null || standing === 'unknown' || standing === 'replayed') {
      deps.log.info({ feedback_type: feedback.feedbackType }, 'a complaint names no mail of ours');
      return 'unknown';
    }
    return receiveReport(deps.received, target, { kind: 'feedback', feedback });
  };

  return async ({ clientAddress, content }: ComplaintMail): Promise<ReportResult | null> => {
    const now = deps.received.clock.now();
    const isTooMuch =
      !limiter.take(clientKey(clientAddress), now, OF_A_CLIENT).allowed ||
      !limiter.take('all', now, OF_ALL).allowed;
    return isTooMuch ? null : applySignals(content);
  };
};
