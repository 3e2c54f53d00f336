// The tables that are exported.
import type { z } from 'zod';
import { dayName } from '#src/accounts/counters/rules.ts';
import { counterStore, type DivisionCounts } from '#src/accounts/counters/store.ts';
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { campaignHeadSchema, presentHead } from '#src/audience/campaigns/record.ts';
import { listsOf } from '#src/audience/campaigns/selection.ts';
import { campaignStore } from '#src/audience/campaigns/store.ts';
import type { EventType } from '#src/events/catalogue.ts';
import type { EventData } from '#src/events/store.ts';
import { countFields } from '#src/insight/rates-schema.ts';
import { gradeOf, inboxRiskOf } from '#src/intake/content/assessment.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { CsvCell } from '#src/kernel/csv.ts';
import type { Columns } from '#src/kernel/csv-file.ts';
import { AppError } from '#src/kernel/errors.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { exportStore, type ReturnedRow, type ScoreRow } from './store.ts';
import { type Days, type ExportTable, type RowPage, tableOf } from './table.ts';

const DAYS_PER_PAGE = 7;
const CAMPAIGNS_PER_PAGE = 50;
/** Some 5 ms of the event loop. */
const ROWS_PER_PAGE = 250;

/** Columns with the names and meanings that the API has for the same values. */
const columnsOf = <Row>(
  shape: Readonly<Record<string, z.ZodType>>,
  valuesOf: (row: Row) => Readonly<Record<string, unknown>>,
): Columns<Row> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, { description = '' }]) => [
      name,
      [description, (row: Row) => valuesOf(row)[name] as CsvCell],
    ]),
  );

const project: Columns<{ readonly project_id: string }> = {
  project: ['slug', ({ project_id }, db) => tenantStore(db).project(project_id)?.slug ?? null],
};
const places: Columns<{ readonly project_id: string; readonly route_id: string }> = {
  ...project,
  route: ['slug', ({ route_id }, db) => tenantStore(db).route(route_id)?.slug ?? null],
};

const stats = tableOf<DivisionCounts>({
  columns: {
    day: ['in UTC', ({ day }) => dayName(day)],
    ...places,
    stream: [
      '`transactional` or `marketing`',
      ({ route_id }, db) => tenantStore(db).route(route_id)?.type ?? null,
    ],
    ...columnsOf<DivisionCounts>(countFields, (row) => ({ ...row })),
  },
  projectOf: ({ project_id }) => project_id,
  read: (db, after, { from, toExclusive }) => {
    const first = Math.max(after, from);
    const next = Math.min(first + DAYS_PER_PAGE, toExclusive);
    return { rows: counterStore(db).perDivision(first, next), next: next < toExclusive ? next : null };
  },
});

type Campaign = ReturnType<typeof presentHead> & { readonly lists: readonly string[] };

const leftOutOf = ({ left_out }: Campaign): number =>
  Object.values(left_out).reduce((sum, count) => sum + count, 0);

const campaigns = tableOf<Campaign>({
  columns: {
    id: ['', ({ id }) => id],
    name: ['', ({ name }) => name],
    lists: ['their names', ({ lists }) => lists.join('; ')],
    ...project,
    route: ['slug', ({ route }) => route.slug],
    subject: ['', ({ subject }) => subject],
    status: ['', ({ status }) => status],
    reason: ['why it is paused, waits or has failed', ({ reason }) => reason],
    created_at: ['', ({ created_at }) => created_at],
    schedule_at: ['', ({ schedule_at }) => schedule_at],
    started_at: ['', ({ started_at }) => started_at],
    finished_at: ['', ({ finished_at }) => finished_at],
    audience: ['people whose turn has come', (row) => row.counts.handed_over + leftOutOf(row)],
    left_out: ['of these, who got no message', leftOutOf],
    left_out_by_reason: [
      'such as `no_consent=2 pending=1`',
      ({ left_out }) =>
        Object.entries(left_out)
          .map(([reason, count]) => `${reason}=${count}`)
          .sort()
          .join(' '),
    ],
    ...columnsOf<Campaign>(campaignHeadSchema.shape.counts.shape, ({ counts }) => counts),
    ...columnsOf<Campaign>(campaignHeadSchema.shape.rates.shape, ({ rates }) => rates),
  },
  requireMay: (caller) => requireAllProjects(caller, 'stats.view', 'A campaign'),
  projectOf: ({ project_id }) => project_id,
  read: (db, after, { from }) => {
    const rows = campaignStore(db).activeSince(after, from * DAY, CAMPAIGNS_PER_PAGE);
    const made = rows.map((row) => ({
      ...presentHead(db, row),
      lists: listsOf(db, row).map(({ name }) => name),
    }));
    return { rows: made, next: rows.at(-1)?.seq ?? null };
  },
});

const requireView = (caller: Caller): void => {
  if (caller.permissions.has('messages.view')) return;
  throw new AppError('forbidden', 'The export of bounces and scores needs a permission of its own.', {
    hint: 'Those of stats and campaigns do not.',
    extra: { permission: 'messages.view' },
  });
};

/** The rows of a page that are of these days: a long reading may see the next day begin. */
const during = <Row extends { readonly seq: number; readonly at: number }>(
  { toExclusive }: Days,
  rows: readonly Row[],
): RowPage<Row> => {
  const last = rows.at(-1);
  return {
    rows: rows.filter(({ at }) => at < toExclusive * DAY),
    next: last === undefined || last.at >= toExclusive * DAY ? null : last.seq,
  };
};

const bounceTypes: Readonly<Partial<Record<EventType, 'hard' | 'soft'>>> = {
  'message.hard_bounced': 'hard',
  'message.soft_bounced': 'soft',
};
type Bounce = ReturnedRow & { readonly bounce: 'hard' | 'soft'; readonly data: EventData };

const bounces = tableOf<Bounce>({
  columns: {
    at: ['', ({ at }) => toIso(at)],
    event_id: ['', ({ id }) => id],
    message_id: ['', ({ message_id }) => message_id],
    recipient: ['address; a keyed hash once it is no longer kept', ({ address }) => address],
    type: ['`hard` or `soft`', ({ bounce }) => bounce],
    rule: ['the rule that classified it', ({ data }) => data.rule ?? null],
    smtp_code: ['', ({ data }) => data.smtp_code ?? null],
    enhanced_code: ['', ({ data }) => data.enhanced_code ?? null],
    diagnostic: ["text of the other server's reply", ({ data }) => data.diagnostic ?? null],
    upstream: ['', ({ data }) => data.upstream ?? null],
    ...places,
    tag: ['', ({ tag }) => tag],
    campaign_id: ['', ({ campaign_id }) => campaign_id],
  },
  requireMay: requireView,
  projectOf: ({ project_id }) => project_id,
  read: (db, after, days) => {
    const start = after || exportStore(db).beforeEvents(days.from * DAY);
    const { rows, next } = during(days, exportStore(db).returned(start, ROWS_PER_PAGE));
    const found = rows.flatMap((row): Bounce[] => {
      const bounce = bounceTypes[row.type];
      if (bounce === undefined) return [];
      return [{ ...row, bounce, data: row.data_json === null ? {} : JSON.parse(row.data_json) }];
    });
    return { rows: found, next };
  },
});

const ofScore =
  <T>(rate: (score: number) => T): ((row: ScoreRow) => T | null) =>
  ({ score }) =>
    score === null ? null : rate(score);

const scores = tableOf<ScoreRow>({
  columns: {
    created_at: ['', ({ at }) => toIso(at)],
    message_id: ['', ({ id }) => id],
    ...places,
    message_kind: ['', ({ message_kind }) => message_kind],
    subject: ['a keyed hash once it is no longer kept', ({ subject }) => subject],
    score: ['of the content, 0 to 100; from 70 on it is blocked', ({ score }) => score],
    grade: ['`A` to `F`', ofScore(gradeOf)],
    inbox_risk: ['of the spam folder: `low`, `medium`, `high`', ofScore(inboxRiskOf)],
    status: ['', ({ status }) => status],
  },
  requireMay: requireView,
  projectOf: ({ project_id }) => project_id,
  read: (db, after, days) =>
    during(
      days,
      exportStore(db).scores(after || exportStore(db).beforeMessages(days.from * DAY), ROWS_PER_PAGE),
    ),
});

export const exportTables = { stats, campaigns, bounces, scores } as const satisfies Record<
  string,
  ExportTable
>;
