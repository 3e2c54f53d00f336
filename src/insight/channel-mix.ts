// Counts a practice's mails per channel, in total and for each day.
import type { z } from 'zod';
import { dayName, utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { channels } from '#src/messages/kinds.ts';
import type { channelMixSchema } from './schema.ts';

type ChannelMix = z.infer<typeof channelMixSchema>;
type PerChannel = ChannelMix['per_day'][number]['channels'];

const noMails = (): PerChannel =>
  Object.fromEntries(channels.map((channel) => [channel, 0])) as Record<(typeof channels)[number], number>;

/** The mix of the last `days` UTC days including today, in the caller's projects. */
export const channelMixOf = (db: TenantDb, caller: Caller, days: number, now: number): ChannelMix => {
  const today = utcDay(now);
  const first = today - days + 1;
  const rows = counterStore(db).perChannel(first, today + 1, caller.projects);
  const totals = noMails();
  const perDay = new Map<number, PerChannel>();
  for (const { day, channel, accepted } of rows) {
    const known = channels.find((name) => name === channel) ?? 'other';
    const ofDay = perDay.get(day) ?? noMails();
    perDay.set(day, { ...ofDay, [known]: ofDay[known] + accepted });
    totals[known] += accepted;
  }
  const mails = Object.values(totals).reduce((sum, count) => sum + count, 0);
  return {
    days,
    from: dayName(first),
    to: dayName(today),
    mails,
    channels: channels.map((channel) => ({
      channel,
      mails: totals[channel],
      share: mails === 0 ? null : totals[channel] / mails,
    })),
    per_day: [...perDay].map(([day, ofDay]) => ({ day: dayName(day), channels: ofDay })),
  };
};
