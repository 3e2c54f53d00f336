// Presents the go-live checklist, and switches safe mode off for a practice that has passed it.
import type { z } from 'zod';
import { writePractice } from '#src/accounts/tenants/change-practice.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { type Installation, practiceFacts } from './facts.ts';
import { hintFactsOf } from './go-live-hints.ts';
import { goLiveChecks, remainingOf } from './rules.ts';
import type { goLiveSchema } from './schema.ts';
import { wordsIn } from './words.ts';

export interface GoLiveDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly installation: Installation;
}

type GoLive = z.infer<typeof goLiveSchema>;

export const describeGoLive = (
  db: TenantDb,
  installation: Installation,
  language: MemberLanguage,
  now: number,
): GoLive => {
  const facts = practiceFacts(db, installation, now);
  const checks = goLiveChecks(facts, now);
  const { goLive: words } = wordsIn(language);
  const told = hintFactsOf(facts, now);
  const isSafe = facts.practice.safe_mode === 1;
  return {
    ready: remainingOf(checks).length === 0,
    safe_mode: isSafe,
    live: !isSafe && facts.practice.paused_at === null,
    checks: checks.map((check) => ({
      ...check,
      title: words[check.id].title,
      hint: check.ok ? '' : words[check.id].hint(told),
    })),
  };
};

const notReady = ({ checks }: GoLive): AppError => {
  const missing = checks.filter(({ ok, required }) => required && !ok);
  return new AppError(
    'conflict',
    say`The practice is not ready: ${missing.map(({ id }) => id).join(', ')}.`,
    {
      // The hints are in the language of the answer already.
      hint: say`${missing.map(({ id, hint }) => `${id}: ${hint}`).join(' ')}`,
    },
  );
};

/** Switches safe mode off if it is on, and resolves with the checklist. Throws `conflict` if a required check fails. */
export const goLive = (
  { files, clock, installation }: GoLiveDeps,
  tenantId: string,
  change: Change,
  language: MemberLanguage,
): Promise<GoLive> =>
  files.write(tenantId, (db) => {
    const now = clock.now();
    const checklist = describeGoLive(db, installation, language, now);
    if (checklist.safe_mode && !checklist.ready) throw notReady(checklist);
    writePractice(db, { safe_mode: 0 }, change, now);
    return describeGoLive(db, installation, language, now);
  });
