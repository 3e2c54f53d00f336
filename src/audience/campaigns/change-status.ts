// What people do with a campaign: send, schedule, pause, resume, cancel. The status decides, in the transaction of the change.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { countsOf } from './counts.ts';
import { type CampaignVerb, statusAfter } from './rules.ts';
import { listsOf } from './selection.ts';
import type { CampaignRow } from './store.ts';

export interface StatusChange {
  readonly verb: CampaignVerb;
  /** When it is scheduled. */
  readonly schedule?: { readonly at: number; readonly zone: string };
  /** The identity of the tenant's file: see `TenantFiles.identify`. */
  readonly identity: string;
  readonly now: number;
}

const past: Readonly<Record<CampaignVerb, Text>> = {
  send: say`sent`,
  schedule: say`scheduled`,
  pause: say`paused`,
  resume: say`resumed`,
  cancel: say`cancelled`,
};

/** No list of a campaign that will go on is archived: `archiveList` refuses that. */
const requireLists = (db: TenantDb, row: CampaignRow): void => {
  const archived = listsOf(db, row).find(({ archived_at }) => archived_at !== null);
  if (archived)
    throw new AppError('conflict', say`The list ${archived.name} is archived.`, {
      hint: say`Choose other lists for the campaign, or a duplicate of it.`,
    });
};

/** The row as it becomes. Throws `conflict` where that cannot be done in its status, or with an archived list. */
export const withStatus = (
  db: TenantDb,
  row: CampaignRow,
  { verb, schedule, identity, now }: StatusChange,
): CampaignRow => {
  const status = statusAfter(row.status, verb);
  const hasLeft = verb === 'cancel' && row.status === 'sent' && !queueStore(db).isAnyOf(row.seq);
  if (status === null || hasLeft)
    throw new AppError('conflict', say`The campaign is ${row.status} and cannot be ${past[verb]}.`, {
      hint: say`GET the campaign for its status; duplicate one that has ended.`,
    });
  if (verb !== 'pause' && verb !== 'cancel') requireLists(db, row);
  const changed = { ...row, status, reason: null, updated_at: now };
  switch (verb) {
    case 'send':
    case 'resume':
      return {
        ...changed,
        file_identity: identity,
        started_at: row.started_at ?? now,
        progress_at: now,
        alarmed_at: null,
        due_at: now,
        // What stopped it counts no more: someone has looked at it.
        resumed_json: verb === 'resume' ? JSON.stringify(countsOf(db, row.seq).own) : null,
      };
    case 'schedule':
      return {
        ...changed,
        file_identity: identity,
        schedule_at: schedule?.at ?? null,
        time_zone: schedule?.zone ?? null,
        due_at: schedule?.at ?? null,
      };
    case 'pause':
      return { ...changed, due_at: row.notice_json === null ? null : now };
    case 'cancel':
      return {
        ...changed,
        finished_at: now,
        due_at: now,
        // That it is sent is no longer true.
        notice_json: row.status === 'sent' ? null : row.notice_json,
      };
    default:
      return verb satisfies never;
  }
};
