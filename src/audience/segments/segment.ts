// A segment by its id, and a campaign's body with the lists and conditions of the segment that it names.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import type { CampaignBody } from '../campaigns/schema.ts';
import { type SegmentRow, segmentStore } from './store.ts';

/** Throws `not_found`. */
export const segmentOf = (db: TenantDb, id: string): SegmentRow => {
  const row = segmentStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such segment.`);
  return row;
};

const instead = ['list_id', 'list_ids', 'filter'] as const;

/** The segment from which the campaign has its people; undefined where lists or conditions were chosen since. */
export const segmentFor = (body: CampaignBody, former: string | undefined): string | undefined =>
  body.segment_id ?? (instead.some((name) => body[name] !== undefined) ? undefined : former);

/** Throws `not_found`, and `invalid_request` where lists or conditions are named besides. */
export const withSegment = (db: TenantDb, body: CampaignBody): CampaignBody => {
  if (body.segment_id === undefined) return body;
  const other = instead.find((name) => body[name] !== undefined);
  if (other !== undefined)
    throw unfit([{ path: `body.${other}`, message: say`cannot be given beside segment_id` }]);
  const { list_ids_json, filter_json } = segmentOf(db, body.segment_id);
  return { ...body, list_ids: JSON.parse(list_ids_json), filter: JSON.parse(filter_json) };
};
