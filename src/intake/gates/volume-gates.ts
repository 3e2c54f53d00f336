// Gates that ask how much: the plan's cap in the UTC month, the warm-up's cap on the UTC day that the mail goes out.
import { utcDay } from '#src/accounts/counters/rules.ts';
import { warmupCaps, warmupDay } from '#src/accounts/tenants/rules.ts';
import { AppError } from '#src/kernel/errors.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { countedMails, type Facts, type Gate, goesOutAt, streamOf } from '../gate.ts';

/** Transactional mail waits for another day only beyond so many times the cap. */
const TRANSACTIONAL_SLACK = 2;

const planCap: Gate = {
  name: 'plan_cap',
  check: (draft, facts) => {
    const { plan } = facts;
    if (plan === null) return { facts: { capped: false } };
    const { name, used, cap, refuses, managedHost } = plan;
    const mails = countedMails(draft, facts);
    const shown = { plan: name, used, cap, mails };
    const isOver = mails > 0 && used + mails > cap;
    if (!isOver || (refuses === 'marketing' && streamOf(draft, facts) !== 'marketing'))
      return { facts: shown };
    return {
      facts: shown,
      refusal: new AppError('plan_cap_reached', `${used} of ${cap} mails of this month are used.`, {
        ...(managedHost ? { hint: 'Verify a domain of your own: a managed host has a smaller cap.' } : {}),
        extra: { used, cap, resets_at: toIso(plan.resetsAt) },
      }),
    };
  },
};

/** The first day from `day` on that takes so many mails more. Without a cap any day does. */
const dayWithRoom = (warmup: NonNullable<Facts['warmup']>, from: number, mails: number): number => {
  for (let day = from; ; day += 1) {
    const cap = warmupCaps[warmupDay(warmup.startedAt, day * DAY) - 1];
    const planned = warmup.planned.get(day) ?? 0;
    // A message with more recipients than a whole day takes goes out on a day that has nothing else.
    if (cap === undefined || planned === 0 || planned + mails <= cap * TRANSACTIONAL_SLACK) return day;
  }
};

const warmupVolume: Gate = {
  name: 'warmup_volume',
  check: (draft, facts) => {
    const { warmup } = facts;
    if (warmup === null) return { facts: { applies: false } };
    const mails = countedMails(draft, facts);
    const day = utcDay(goesOutAt(draft, facts));
    const cap = warmupCaps[warmupDay(warmup.startedAt, day * DAY) - 1] ?? null;
    const planned = warmup.planned.get(day) ?? 0;
    const shown = { day: warmupDay(warmup.startedAt, day * DAY), cap, planned, mails };
    if (cap === null || mails === 0) return { facts: shown };
    if (streamOf(draft, facts) === 'marketing') {
      if (planned + mails <= cap) return { facts: shown };
      return {
        facts: shown,
        refusal: new AppError('warmup_cap_reached', `The warm-up takes ${cap} marketing mails on that day.`, {
          extra: { cap },
        }),
      };
    }
    const free = dayWithRoom(warmup, day, mails);
    return free === day
      ? { facts: shown }
      : { facts: { ...shown, until: toIso(free * DAY) }, holdsUntil: free * DAY };
  },
};

export const volumeGates: readonly Gate[] = [planCap, warmupVolume];
