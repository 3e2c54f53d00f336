// What this room exports: campaigns, and what came back of messages, which says of which campaign it is.
import { divisionColumns, projectColumn } from '#src/accounts/tenants/division-columns.ts';
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import type { EventType } from '#src/events/catalogue.ts';
import type { EventData } from '#src/events/store.ts';
import { columnsOf, during, exportTable, ROWS_PER_PAGE } from '#src/kernel/export-table.ts';
import { say } from '#src/kernel/say.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { campaignHeadSchema, presentHead } from './record.ts';
import { type ReturnedRow, returnedStore } from './returned-store.ts';
import { listsOf } from './selection.ts';
import { campaignStore } from './store.ts';

const CAMPAIGNS_PER_PAGE = 50;

type Campaign = ReturnType<typeof presentHead> & { readonly lists: readonly string[] };

const leftOutOf = ({ left_out }: Campaign): number =>
  Object.values(left_out).reduce((sum, count) => sum + count, 0);

export const campaigns = exportTable<Campaign>({
  columns: {
    id: ['', ({ id }) => id],
    name: ['', ({ name }) => name],
    lists: ['their names', ({ lists }) => lists.join('; ')],
    ...projectColumn,
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
  requireMay: (caller) => requireAllProjects(caller, 'stats.view', say`A campaign`),
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

const bounceTypes: Readonly<Partial<Record<EventType, 'hard' | 'soft'>>> = {
  'message.hard_bounced': 'hard',
  'message.soft_bounced': 'soft',
};
type Bounce = ReturnedRow & { readonly bounce: 'hard' | 'soft'; readonly data: EventData };

export const bounces = exportTable<Bounce>({
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
    ...divisionColumns,
    tag: ['', ({ tag }) => tag],
    campaign_id: ['', ({ campaign_id }) => campaign_id],
  },
  permission: 'messages.view',
  projectOf: ({ project_id }) => project_id,
  read: (db, after, days) => {
    const start = after || returnedStore(db).beforeEvents(days.from * DAY);
    const { rows, next } = during(days, returnedStore(db).returned(start, ROWS_PER_PAGE));
    const found = rows.flatMap((row): Bounce[] => {
      const bounce = bounceTypes[row.type];
      if (bounce === undefined) return [];
      return [{ ...row, bounce, data: row.data_json === null ? {} : JSON.parse(row.data_json) }];
    });
    return { rows: found, next };
  },
});
