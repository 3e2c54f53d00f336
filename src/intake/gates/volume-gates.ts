// Gates that ask how much and when: the plan's cap in the UTC month, the time that a message may be scheduled for, and the
// warm-up, which caps the mails of the UTC day on which the message leaves.
import { utcDay } from '#src/accounts/counters/rules.ts';
import { warmupDay as dayOfWarmup, FIRST_BROADCAST_DAY, warmupCaps } from '#src/accounts/tenants/rules.ts';
import { AppError } from '#src/kernel/errors.ts';
import { DAY, MINUTE, toIso } from '#src/kernel/time.ts';
import { type DepartureFacts, defineGate, leavesAt } from '../gate.ts';

/** Transactional mail waits for another day only beyond this multiple of the cap. */
const TRANSACTIONAL_SLACK = 2;
/** Clocks differ, and a request may have waited: such a message leaves at once. An older time is a mistake. */
const PAST_ALLOWANCE_MS = 5 * MINUTE;

export const planCap = defineGate({
  name: 'plan_cap',
  kind: 'plan',
  errors: ['plan_cap_reached'],
  check: ({ plan, mails, stream, seesPractice, isAskedFor }) => {
    if (plan === null) return { facts: { capped: false } };
    const { name, used, cap, refuses, managedHost } = plan;
    const facts = { plan: name, used, cap, mails };
    const isOver = mails > 0 && used + mails > cap;
    if (!isOver || (refuses === 'marketing' && stream !== 'marketing')) return { facts };
    if (isAskedFor) return { facts, holdsUntil: plan.resetsAt };
    const message = seesPractice
      ? `${used} of ${cap} mails of this month are used.`
      : 'The mails of this month are used up.';
    return {
      facts,
      refusal: new AppError('plan_cap_reached', message, {
        ...(managedHost
          ? { hint: 'Send from a domain of your own: mail from the managed host has a smaller cap.' }
          : {}),
        extra: { used: seesPractice ? used : cap, cap, resets_at: toIso(plan.resetsAt) },
      }),
    };
  },
});

export const schedule = defineGate({
  name: 'schedule',
  kind: 'time',
  errors: ['invalid_request'],
  check: ({ scheduledAt, now, limits }) => {
    if (scheduledAt === null) return { facts: { scheduled_at: null } };
    const latest = now + limits.days_ahead * DAY;
    const facts = { scheduled_at: toIso(scheduledAt), latest: toIso(latest) };
    const earliest = now - PAST_ALLOWANCE_MS;
    if (scheduledAt >= earliest && scheduledAt <= latest) return { facts };
    const message =
      scheduledAt > latest
        ? `must be at most ${limits.days_ahead} days ahead`
        : `is in the past: ${toIso(scheduledAt)}; leave it out to send at once`;
    return {
      facts,
      refusal: new AppError('invalid_request', `\`scheduled_at\` ${message}.`, {
        extra: { fields: [{ path: 'body.scheduled_at', message }] },
      }),
    };
  },
});

export const warmupDay = defineGate({
  name: 'warmup_day',
  kind: 'time',
  errors: ['warmup_not_ready'],
  check: (departure) => {
    const { warmup, stream } = departure;
    if (warmup === null || stream !== 'marketing') return { facts: { applies: false } };
    const day = dayOfWarmup(warmup.startedAt, leavesAt(departure));
    const facts = { day, first_day: FIRST_BROADCAST_DAY };
    if (day >= FIRST_BROADCAST_DAY) return { facts };
    return {
      facts,
      refusal: new AppError(
        'warmup_not_ready',
        `Marketing mail begins on day ${FIRST_BROADCAST_DAY} of the warm-up.`,
        {
          hint: `Until then send it with a From address on ${warmup.managedHost}, which needs no warm-up.`,
          extra: { day },
        },
      ),
    };
  },
});

/** The first day from `from` on that has room for the mails. Without a cap any day has. */
const dayWithRoom = (warmup: NonNullable<DepartureFacts['warmup']>, from: number, mails: number): number => {
  for (let day = from; ; day += 1) {
    const cap = warmupCaps[dayOfWarmup(warmup.startedAt, day * DAY) - 1];
    const planned = warmup.planned.get(day) ?? 0;
    // A message with more recipients than a whole day takes goes out on a day that has nothing else.
    if (cap === undefined || planned === 0 || planned + mails <= cap * TRANSACTIONAL_SLACK) return day;
  }
};

export const warmupVolume = defineGate({
  name: 'warmup_volume',
  kind: 'volume',
  errors: ['warmup_cap_reached'],
  check: (departure) => {
    const { warmup, mails, stream } = departure;
    if (warmup === null) return { facts: { applies: false } };
    const day = utcDay(leavesAt(departure));
    const warmingDay = dayOfWarmup(warmup.startedAt, day * DAY);
    const cap = warmupCaps[warmingDay - 1] ?? null;
    const planned = warmup.planned.get(day) ?? 0;
    const facts = { day: warmingDay, cap, planned, mails };
    if (cap === null || mails === 0) return { facts };
    if (stream === 'marketing') {
      if (planned + mails <= cap) return { facts };
      return {
        facts,
        refusal: new AppError('warmup_cap_reached', `The warm-up takes ${cap} marketing mails on that day.`, {
          extra: { cap },
        }),
      };
    }
    const free = dayWithRoom(warmup, day, mails);
    return free === day
      ? { facts }
      : { facts: { ...facts, until: toIso(free * DAY) }, holdsUntil: free * DAY };
  },
});
