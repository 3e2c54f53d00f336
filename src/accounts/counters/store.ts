// What became of mails per route, project and UTC day, and how many went over which channel, in the tenant's file: counted in the
// transaction of what is counted. Mails to the simulator are not; see also `isCounted`.
//
// The messages of one transaction count in the same few rows. So what is added is summed up in memory and written once, at
// the end of the transaction, or when one of the tables is read.
import { keepBeside, rememberedBy } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Stream } from '#src/kernel/stream.ts';

export const countedOutcomes = [
  'sent',
  // by the upstream for good: hard and soft bounces that were never sent
  'refused',
  'delivered',
  'hard_bounced',
  'soft_bounced',
  'complaints',
  'unsubscribes',
  // recipients, once each, machines not counted
  'opens',
  'clicks',
] as const;
export type CountedOutcome = (typeof countedOutcomes)[number];

const noOutcomes = Object.fromEntries(countedOutcomes.map((outcome) => [outcome, 0])) as Record<
  CountedOutcome,
  number
>;

export interface Usage {
  /** Mails, one a recipient. */
  accepted: number;
  /** Those of them whose From is on a domain of the practice's own. */
  ownDomain: number;
  /** The highest share of the cap, in per cent, of which the owners were notified; 0: none. */
  notified: number;
}

/** What a mail is counted under; a route may be that of all projects. */
export interface Division {
  readonly route_id: string;
  readonly project_id: string;
}

export interface RouteCounts extends Record<CountedOutcome | 'accepted', number> {
  route_id: string;
}

export interface DivisionCounts extends Division, DayCounts {}

export interface DayCounts extends Record<CountedOutcome | 'accepted', number> {
  day: number;
}

type Counters = Record<CountedOutcome | 'accepted', number> & {
  day: number;
  routeId: string;
  projectId: string;
};

const idsOf = (projects: ReadonlySet<string> | null): string | null =>
  projects && JSON.stringify([...projects]);

interface UsageSum {
  month: string;
  mails: number;
  ownDomain: number;
}

/** Rows of sums that wait to be written. */
const createSums = <Row extends object>(write: (row: Row) => void) => {
  const rows = new Map<string, Row>();
  return {
    /** The row of this key; `none` where nothing waits for it. */
    row: (key: string, none: () => Row): Row => {
      const row = rows.get(key) ?? none();
      rows.set(key, row);
      return row;
    },
    write: (): void => {
      for (const row of rows.values()) write(row);
      rows.clear();
    },
    forget: (): void => rows.clear(),
  };
};

export const counterStore = perConnection((db: TenantDb) => {
  const counted = ['accepted', ...countedOutcomes] as const;
  const addCounters = db.prepare<Counters>(
    `INSERT INTO counters (day, route_id, project_id, ${counted.join(', ')})
     VALUES (:day, :routeId, :projectId, ${counted.map((name) => `:${name}`).join(', ')})
     ON CONFLICT (day, route_id, project_id) DO UPDATE SET ${counted.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  );
  const addChannel = db.prepare<{ day: number; projectId: string; channel: string; mails: number }>(
    `INSERT INTO channel_counters (day, project_id, channel, accepted) VALUES (:day, :projectId, :channel, :mails)
     ON CONFLICT (day, project_id, channel) DO UPDATE SET accepted = accepted + excluded.accepted`,
  );
  const addUsage = db.prepare<UsageSum>(
    `INSERT INTO monthly_usage (month, accepted, own_domain) VALUES (:month, :mails, :ownDomain)
     ON CONFLICT (month) DO UPDATE SET accepted = accepted + excluded.accepted, own_domain = own_domain + excluded.own_domain`,
  );
  const addVolume = db.prepare<{ day: number; stream: Stream; mails: number }>(
    `INSERT INTO daily_volume (day, stream, mails) VALUES (:day, :stream, :mails)
     ON CONFLICT (stream, day) DO UPDATE SET mails = mails + excluded.mails`,
  );
  const ofProjects = '(:projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds)))';
  const perRoute = db.prepare<{ from: number; to: number; projectIds: string | null }, RouteCounts>(
    `SELECT route_id, sum(accepted) AS accepted, ${countedOutcomes.map((outcome) => `sum(${outcome}) AS ${outcome}`).join(', ')}
     FROM counters WHERE day >= :from AND day < :to AND ${ofProjects} GROUP BY route_id ORDER BY route_id`,
  );
  const sumsOf = countedOutcomes.map((outcome) => `coalesce(sum(${outcome}), 0) AS ${outcome}`).join(', ');
  // Day by day by its key, however many routes there are.
  const ofRoute = db.prepare<{ routeId: string; from: number; to: number }, Record<CountedOutcome, number>>(
    `WITH RECURSIVE days (day) AS (SELECT :from UNION ALL SELECT day + 1 FROM days WHERE day + 1 < :to)
     SELECT ${sumsOf} FROM days CROSS JOIN counters ON counters.day = days.day AND route_id = :routeId`,
  );
  const perDay = db.prepare<
    { from: number; to: number; routeIds: string; projectIds: string | null },
    DayCounts
  >(
    `SELECT day, sum(accepted) AS accepted, ${countedOutcomes.map((outcome) => `sum(${outcome}) AS ${outcome}`).join(', ')}
     FROM counters WHERE day >= :from AND day < :to AND route_id IN (SELECT value FROM json_each(:routeIds))
       AND ${ofProjects}
     GROUP BY day ORDER BY day`,
  );
  const perDivision = db.prepare<[number, number], DivisionCounts>(
    'SELECT * FROM counters WHERE day >= ? AND day < ? ORDER BY day, route_id, project_id',
  );
  const perChannel = db.prepare<
    { from: number; to: number; projectIds: string | null },
    { day: number; channel: string; accepted: number }
  >(
    `SELECT day, channel, sum(accepted) AS accepted FROM channel_counters
     WHERE day >= :from AND day < :to
       AND ${ofProjects}
     GROUP BY day, channel ORDER BY day, channel`,
  );
  const usage = db.prepare<[string], Usage>(
    'SELECT accepted, own_domain AS ownDomain, told AS notified FROM monthly_usage WHERE month = ?',
  );
  const setNotified = db.prepare<[month: string, told: number]>(
    `INSERT INTO monthly_usage (month, accepted, told) VALUES (?, 0, ?)
     ON CONFLICT (month) DO UPDATE SET told = max(told, excluded.told)`,
  );
  const volumes = db.prepare<[Stream, number], { day: number; mails: number }>(
    'SELECT day, mails FROM daily_volume WHERE stream = ? AND day >= ? ORDER BY day',
  );
  const sums = {
    counters: createSums((row: Counters) => addCounters.run(row)),
    channels: createSums((row: Parameters<typeof addChannel.run>[0] & object) => addChannel.run(row)),
    usage: createSums((row: UsageSum) => addUsage.run(row)),
    volumes: createSums((row: { day: number; stream: Stream; mails: number }) => addVolume.run(row)),
  };
  /** The volumes of the days from `fromDay` on. */
  const knownVolumes = new Map<Stream, { readonly fromDay: number; readonly days: Map<number, number> }>();
  const write = (): void => {
    for (const sum of Object.values(sums)) sum.write();
  };
  keepBeside(db, {
    write,
    forget: () => {
      for (const sum of Object.values(sums)) sum.forget();
      knownVolumes.clear();
    },
  });
  const usageOf = rememberedBy(db, (month: string): Usage => {
    sums.usage.write();
    return usage.get(month) ?? { accepted: 0, ownDomain: 0, notified: 0 };
  });
  const countersOf = (day: number, { route_id: routeId, project_id: projectId }: Division): Counters =>
    sums.counters.row(`${day} ${routeId} ${projectId}`, () => ({
      ...noOutcomes,
      accepted: 0,
      day,
      routeId,
      projectId,
    }));

  return {
    /** Writes what was added: to be called before statements of another store read these tables. */
    write,
    /** What counts towards the plan's cap. `month` as `monthOf` names it. */
    addUsage: (month: string, mails: number, isFromOwnDomain: boolean): void => {
      const ownDomain = isFromOwnDomain ? mails : 0;
      const known = usageOf(month);
      known.accepted += mails;
      known.ownDomain += ownDomain;
      const sum = sums.usage.row(month, () => ({ month, mails: 0, ownDomain: 0 }));
      sum.mails += mails;
      sum.ownDomain += ownDomain;
    },
    usage: (month: string): Usage => ({ ...usageOf(month) }),
    /** The owners have been notified of that share, in per cent; never lowered. */
    setNotified: (month: string, share: number): void => {
      setNotified.run(month, share);
      usageOf.forget();
    },
    /** Mails that will go out on `day`, whenever they were accepted. */
    addVolume: (day: number, stream: Stream, mails: number): void => {
      const known = knownVolumes.get(stream);
      if (known && day >= known.fromDay) known.days.set(day, (known.days.get(day) ?? 0) + mails);
      sums.volumes.row(`${day} ${stream}`, () => ({ day, stream, mails: 0 })).mails += mails;
    },
    /** The volumes of `fromDay` and of later days that have any. */
    volumesFrom: (stream: Stream, fromDay: number): ReadonlyMap<number, number> => {
      const known = knownVolumes.get(stream);
      if (known?.fromDay === fromDay) return known.days;
      sums.volumes.write();
      const days = new Map(volumes.all(stream, fromDay).map(({ day, mails }) => [day, mails]));
      knownVolumes.set(stream, { fromDay, days });
      return days;
    },
    /** `mails`: one a recipient; `day` as `utcDay` counts. */
    addAccepted: (day: number, of: Division, mails: number): void => {
      countersOf(day, of).accepted += mails;
    },
    addToChannel: (day: number, projectId: string, channel: string, mails: number): void => {
      const key = `${day} ${projectId} ${channel}`;
      sums.channels.row(key, () => ({ day, projectId, channel, mails: 0 })).mails += mails;
    },
    /** One mail more of each of these outcomes. */
    addOutcomes: (day: number, of: Division, came: readonly CountedOutcome[]): void => {
      const row = countersOf(day, of);
      for (const outcome of came) row[outcome] += 1;
    },
    /** Sums of the projects of these ids (null: of all) over the same days, of the routes that had any. */
    perRoute: (
      fromDay: number,
      toDayExclusive: number,
      projects: ReadonlySet<string> | null = null,
    ): RouteCounts[] => {
      write();
      return perRoute.all({ from: fromDay, to: toDayExclusive, projectIds: idsOf(projects) });
    },
    /** Sums of one route over days, of which there is at least one. */
    ofRoute: (routeId: string, fromDay: number, toDayExclusive: number): Record<CountedOutcome, number> => {
      write();
      return ofRoute.get({ routeId, from: fromDay, to: toDayExclusive }) ?? noOutcomes;
    },
    /** Sums of these routes and projects (null: of all) on each day that had any, in the order of the days. */
    perDay: (
      fromDay: number,
      toDayExclusive: number,
      routeIds: readonly string[],
      projects: ReadonlySet<string> | null,
    ): DayCounts[] => {
      write();
      return perDay.all({
        from: fromDay,
        to: toDayExclusive,
        routeIds: JSON.stringify(routeIds),
        projectIds: idsOf(projects),
      });
    },
    /** The counts of each division in the order of the days. */
    perDivision: (fromDay: number, toDayExclusive: number): DivisionCounts[] => {
      write();
      return perDivision.all(fromDay, toDayExclusive);
    },
    /** Sums of the projects of these ids (null: of all), in the order of their days. */
    perChannel: (fromDay: number, toDayExclusive: number, projects: ReadonlySet<string> | null) => {
      write();
      return perChannel.all({
        from: fromDay,
        to: toDayExclusive,
        projectIds: idsOf(projects),
      });
    },
  };
});
