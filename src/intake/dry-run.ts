// The way in without going it: what the gates and the scanners would say of a message. Nothing is stored, and no
// idempotency key is looked at.
import type { Language } from '#src/kernel/language.ts';
import { type AcceptDeps, type Considered, consider, type Submission, scan } from './accept.ts';
import { type ScoreAnswer, scoreOf } from './score.ts';

type DryRunDeps = Pick<
  AcceptDeps,
  | 'files'
  | 'clock'
  | 'content'
  | 'serviceHost'
  | 'safeMode'
  | 'managedHostCap'
  | 'publicOrigin'
  | 'suppressionKey'
>;

/** Throws AppError where a send could not even be judged: no such route, project or template. */
export const dryRun = async (
  deps: DryRunDeps,
  { tenantId, ...submission }: Pick<Submission, 'source' | 'tenantId' | 'projects' | 'projectId' | 'draft'>,
  language: Language,
): Promise<ScoreAnswer> => {
  const judge = (assess: Parameters<typeof consider>[2]): Promise<Considered> =>
    deps.files.read(tenantId, (db) => consider(db, submission, assess, deps, deps.clock.now(), true));
  const byRules = await judge(deps.content.rate);
  const scanned = deps.content.scans() ? await scan(deps, tenantId, byRules) : null;
  const { draft, facts, passage } = scanned === null ? byRules : await judge(() => scanned);
  if (facts.content === null) throw new Error("the content of a sender's message is always looked at");
  return scoreOf(draft, facts, passage, facts.content, language);
};
