// Makes, changes, copies and removes campaigns. Content of a stored template is copied, so that what was tried is what is sent.

import { auditStore } from '#src/events/audit-store.ts';
import {
  type DocumentTools,
  type WrittenContent,
  writeContent,
} from '#src/intake/documents/write-content.ts';
import { setImageUses } from '#src/intake/images/uses.ts';
import { CONTENT_REQUIRED } from '#src/intake/send-fields.ts';
import { findTemplate, loadTemplate } from '#src/intake/templates/resolve.ts';
import { toMergeData } from '#src/intake/templates/schema.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { said, say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import { imagesIn } from '#src/mail/copy-links.ts';
import { segmentFor, withSegment } from '../segments/segment.ts';
import { withStatus } from './change-status.ts';
import { mailingIn } from './content.ts';
import { contentOf, presentHead } from './record.ts';
import { type CampaignBody, type CampaignContent, scheduleOf } from './schema.ts';
import { select } from './selection.ts';
import { type CampaignRow, campaignStore } from './store.ts';

export interface CampaignChange {
  readonly change: Change;
  /** The identity of the tenant's file: see `TenantFiles.identify`. */
  readonly identity: string;
  readonly now: number;
  /** What documents are made with. */
  readonly tools: DocumentTools;
}

export const campaignOf = (db: TenantDb, id: string): CampaignRow => {
  const row = campaignStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such campaign.`);
  return row;
};

const record = (
  db: TenantDb,
  id: string,
  before: unknown,
  after: unknown,
  { change, now }: Pick<CampaignChange, 'change' | 'now'>,
): void => auditStore(db).record(change, { target: { type: 'campaign', id }, before, after }, now);

/** What was asked for, without numbers and without text and HTML. */
const audited = (db: TenantDb, row: CampaignRow) => {
  const { subject, from = null, template } = contentOf(db, row);
  const { id, name, list_ids, filter, project_id, route, message_kind, ...rest } = presentHead(db, {
    ...row,
    subject,
  });
  const { status, schedule_at, time_zone, max_per_hour } = rest;
  const when = { status, schedule_at, time_zone, max_per_hour };
  return { id, name, list_ids, filter, project_id, route, message_kind, subject, from, template, ...when };
};

const parts = ['subject', 'text', 'html', 'document', 'mjml'] as const;

const fromTemplate = (db: TenantDb, name: string, version?: number) => {
  const { subject, text, html, document, mjml, settings, replyTo, images } = loadTemplate(db, name, version);
  const row = findTemplate(db, name);
  const template = row && { id: row.id, name: row.name, version: version ?? row.current_version };
  return {
    subject,
    text,
    html,
    document,
    mjml,
    settings,
    images,
    reply_to: replyTo[0]?.address,
    template: template ?? null,
  };
};

const writtenIn = ({
  subject,
  text,
  html,
  document = null,
  mjml = null,
}: CampaignContent): WrittenContent => ({
  subject,
  text,
  html,
  document,
  mjml,
});

const writingFrom = (
  db: TenantDb,
  body: CampaignBody,
  former: CampaignContent | null,
  tools: DocumentTools,
) => {
  const { template, template_version } = body;
  const given = parts.filter((name) => body[name] !== undefined);
  if (template !== undefined) {
    if (given[0] !== undefined)
      throw unfit([{ path: `body.${given[0]}`, message: say`cannot be given beside template` }]);
    const { settings, ...content } = fromTemplate(db, template, template_version);
    return { ...content, settings: { ...settings, ...(body.settings ?? former?.settings) } };
  }
  if (template_version !== undefined)
    throw unfit([{ path: 'body.template_version', message: say`belongs to a template, and none is named` }]);
  const subject = body.subject ?? former?.subject;
  if (subject === undefined) throw unfit([{ path: 'body.subject', message: say`is required` }]);
  const written = writeContent(db, tools, { ...body, subject }, former && writtenIn(former));
  if (written.text === null && written.html === null)
    throw unfit([{ path: 'body.text', message: said(CONTENT_REQUIRED) }]);
  return {
    ...written,
    settings: body.settings ?? former?.settings,
    reply_to: undefined,
    images: undefined,
    template: given.length === 0 ? (former?.template ?? null) : null,
  };
};

/** Absent: as it was; null: none. */
const kept = <T>(given: T | null | undefined, former: T | undefined): T | undefined =>
  given === undefined ? former : (given ?? undefined);

const contentFrom = (
  db: TenantDb,
  body: CampaignBody,
  former: CampaignContent | null,
  tools: DocumentTools,
): CampaignContent => {
  const { reply_to, images, ...writing } = writingFrom(db, body, former, tools);
  return {
    ...writing,
    from: kept(body.from, former?.from),
    reply_to: kept(body.reply_to, reply_to ?? former?.reply_to),
    tags: body.tags ?? former?.tags,
    metadata: body.metadata ?? former?.metadata,
    values: body.values === undefined ? former?.values : toMergeData(body.values),
    headers: body.headers ?? former?.headers,
    images: body.images ?? images ?? former?.images,
    segment_id: segmentFor(body, former?.segment_id),
  };
};

const NOT_SCHEDULED = { schedule_at: null, time_zone: null, status: 'draft', due_at: null } as const;

const fresh = {
  ...NOT_SCHEDULED,
  reason: null,
  after_hash: null,
  shared_id: null,
  file_identity: null,
  progress_at: null,
  looked_at: null,
  alarmed_at: null,
  notice_json: null,
  resumed_json: null,
  started_at: null,
  finished_at: null,
};

/** The campaign as `schedule_at` makes it. */
const scheduled = (
  db: TenantDb,
  row: CampaignRow,
  { schedule_at, time_zone }: CampaignBody,
  { identity, now }: Pick<CampaignChange, 'identity' | 'now'>,
): CampaignRow => {
  if (schedule_at === undefined && time_zone !== undefined)
    throw unfit([{ path: 'body.time_zone', message: say`belongs to schedule_at, which is missing` }]);
  if (schedule_at === undefined) return row;
  if (schedule_at === null) return { ...row, ...NOT_SCHEDULED };
  const schedule = scheduleOf({ schedule_at, time_zone }, now);
  return withStatus(db, row, { verb: 'schedule', schedule, identity, now });
};

const MAX_NAME = 200;

/** A campaign as it will be. */
export interface Planned {
  readonly row: CampaignRow;
  /** The JSON of its content. */
  readonly content: string;
}

/** Throws `invalid_request`, and as `select`. */
export const planCreation = (db: TenantDb, asked: CampaignBody, change: CampaignChange): Planned => {
  const body = withSegment(db, asked);
  const { now } = change;
  const written = contentFrom(db, body, null, change.tools);
  const content = JSON.stringify(written);
  const draft = {
    ...fresh,
    seq: 0,
    id: newId(),
    name: body.name ?? written.subject.slice(0, MAX_NAME),
    ...select(db, body, null),
    filter_json: JSON.stringify(body.filter ?? []),
    max_per_hour: body.max_per_hour ?? null,
    created_at: now,
    updated_at: now,
  };
  const row = scheduled(db, draft, body, change);
  mailingIn(db, row, content);
  return { row, content };
};

/** The images that it shows are kept as long as the campaign is. */
export const putContent = (
  db: TenantDb,
  { seq, id }: Pick<CampaignRow, 'seq' | 'id'>,
  content: string,
  now: number,
): void => {
  campaignStore(db).putContent(seq, content);
  const { html } = JSON.parse(content) as CampaignContent;
  setImageUses(db, { usedBy: 'campaign', id }, imagesIn(html), now);
};

/** Throws as `planCreation`. */
export const createCampaign = (db: TenantDb, body: CampaignBody, change: CampaignChange): CampaignRow => {
  const { row, content } = planCreation(db, body, change);
  const created = { ...row, seq: campaignStore(db).insert(row) };
  putContent(db, created, content, change.now);
  record(db, created.id, null, audited(db, created), change);
  return created;
};

const CHANGEABLE: ReadonlySet<string> = new Set(['draft', 'scheduled']);

/** Throws `conflict` for a campaign that has begun, and as `planCreation`. */
export const planChange = (
  db: TenantDb,
  id: string,
  asked: CampaignBody,
  change: CampaignChange,
): Planned => {
  const body = withSegment(db, asked);
  const former = campaignOf(db, id);
  if (!CHANGEABLE.has(former.status))
    throw new AppError('conflict', say`The campaign is ${former.status} and cannot be changed any more.`, {
      hint: say`Duplicate it, and change the copy.`,
    });
  const content = JSON.stringify(contentFrom(db, body, contentOf(db, former), change.tools));
  const changed = {
    ...former,
    name: body.name ?? former.name,
    ...select(db, body, former),
    filter_json: body.filter === undefined ? former.filter_json : JSON.stringify(body.filter),
    max_per_hour: body.max_per_hour === undefined ? former.max_per_hour : body.max_per_hour,
    updated_at: change.now,
  };
  const row = scheduled(db, changed, body, change);
  mailingIn(db, row, content);
  return { row, content };
};

/** Throws as `planChange`. */
export const changeCampaign = (
  db: TenantDb,
  id: string,
  body: CampaignBody,
  change: CampaignChange,
): CampaignRow => {
  const { row, content } = planChange(db, id, body, change);
  const before = audited(db, campaignOf(db, id));
  campaignStore(db).update(row);
  putContent(db, row, content, change.now);
  record(db, id, before, audited(db, row), change);
  return row;
};

/** A draft with the same content and lists. */
export const duplicateCampaign = (
  db: TenantDb,
  id: string,
  name: string | undefined,
  change: Pick<CampaignChange, 'change' | 'now'>,
): CampaignRow => {
  const former = campaignOf(db, id);
  const row = {
    ...former,
    ...fresh,
    id: newId(),
    name: name ?? `${former.name.slice(0, MAX_NAME - 4)} (2)`,
    created_at: change.now,
    updated_at: change.now,
  };
  const copy = { ...row, seq: campaignStore(db).insert(row) };
  putContent(db, copy, campaignStore(db).content(former.seq), change.now);
  record(db, copy.id, null, audited(db, copy), change);
  return copy;
};

/** Throws `conflict` for one that is no draft. */
export const removeCampaign = (db: TenantDb, id: string, change: Change, now: number): void => {
  const row = campaignOf(db, id);
  if (row.status !== 'draft')
    throw new AppError('conflict', say`The campaign is ${row.status}; only drafts can be deleted.`, {
      hint: row.status === 'scheduled' ? say`Set schedule_at to null first.` : say`Its numbers are kept.`,
    });
  record(db, id, audited(db, row), null, { change, now });
  campaignStore(db).remove(row.seq);
  setImageUses(db, { usedBy: 'campaign', id: row.id }, [], now);
};
