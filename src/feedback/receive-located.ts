// Applies a report that did not come by its return path to the copy that it leads to.
import type { ReportResult } from '#src/mail/reception.ts';
import { type Clues, type LocateDeps, locate } from './locate.ts';
import { type ReceiveDeps, receiveReport, type Source } from './receive.ts';
import type { Reporter } from './reporter.ts';
import { returnPathStatus } from './return-path.ts';
import type { Report } from './rules.ts';

export interface LocatedDeps {
  readonly locate: LocateDeps;
  readonly received: ReceiveDeps;
}

/** A complaint about old mail counts as long as the mail is known. */
const countsAlways = (report: Report): boolean =>
  report.kind === 'feedback' || (report.kind === 'relay_event' && report.found.signal === 'spam_complaint');

/** Rejects where a file cannot be used; then nothing has changed. `from` as in `receiveReport`. */
export const receiveLocated = async (
  deps: LocatedDeps,
  clues: Clues,
  report: Report,
  from: Source | Reporter,
): Promise<ReportResult> => {
  const target = await locate(deps.locate, clues);
  const status = target && (await returnPathStatus(deps.received, target));
  const isTooLate = status === 'expired' && !countsAlways(report);
  if (target === null || status === 'unknown' || status === 'replayed' || isTooLate) return 'unknown';
  return receiveReport(deps.received, target, report, from);
};
