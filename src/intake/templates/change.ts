// Creates, changes and removes stored templates, each in the transaction that also writes the audit. The content of a version
// never changes: changed content is a new version. The audit records the number of the version, not its content.

import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import { imagesIn } from '#src/mail/copy-links.ts';
import type { ImageMode } from '#src/messages/image-types.ts';
import type { Kind } from '#src/messages/kinds.ts';
import {
  type DocumentTools,
  type GivenContent,
  placeOf,
  type WrittenContent,
  writeContent,
} from '../documents/write-content.ts';
import { addImageUses, setImageUses } from '../images/uses.ts';
import { compileContent } from './render.ts';
import { presentHead, writtenIn } from './schema.ts';
import { type TemplateRow, templateStore, type VersionRow } from './store.ts';

/** Lists of templates are read whole. */
const MAX_TEMPLATES = 1_000;
/** Each template keeps so many; a new one removes the oldest. */
export const MAX_VERSIONS = 100;

/** Who changes it, and when. */
export interface TemplateChange {
  readonly change: Change;
  /** ms since the epoch. */
  readonly now: number;
  readonly tools: DocumentTools;
}

export interface Attributes {
  readonly name: string;
  readonly description: string | null;
  readonly message_kind: Kind;
  readonly track_opens: boolean | null;
  readonly track_clicks: boolean | null;
  readonly reply_to: string | null;
  readonly images: ImageMode;
}

/** A template with its current content. */
export interface StoredTemplate {
  readonly row: TemplateRow;
  readonly content: VersionRow;
}

const flag = (value: boolean | null): 0 | 1 | null => (value === null ? null : value ? 1 : 0);

const headOf = ({ row, content }: StoredTemplate) =>
  presentHead({ ...row, subject: content.subject, fields_json: content.fields_json });

/** Throws `invalid_request` where the content cannot be used as a template. */
export const fieldsOf = (content: WrittenContent): readonly string[] => {
  const { fields, problems } = compileContent(content);
  if (problems.length === 0) return fields;
  throw unfit(problems.map(({ path, message }) => ({ path: `body.${placeOf(content, path)}`, message })));
};

const refuseTaken = (db: TenantDb, name: string, ownId: string | null): void => {
  const taken = templateStore(db).byName(name);
  if (!taken || taken.id === ownId) return;
  throw new AppError('conflict', say`There is a template with the name ${taken.name} already.`);
};

const refuseBodiless = ({ text, html }: WrittenContent): void => {
  if (text !== null || html !== null) return;
  throw unfit([{ path: 'body.text', message: say`one of text and html is required` }]);
};

const versionOf = (
  id: string,
  version: number,
  content: WrittenContent,
  { change, now }: TemplateChange,
): VersionRow => ({
  template_id: id,
  version,
  subject: content.subject,
  text: content.text,
  html: content.html,
  fields_json: JSON.stringify(fieldsOf(content)),
  created_at: now,
  created_by: change.actor.name || change.actor.kind,
  document_json: content.document && JSON.stringify(content.document),
  mjml: content.mjml,
});

/** Throws `invalid_request`, and `conflict` for a name that is taken and where there is no room. */
export const createTemplate = (
  db: TenantDb,
  attributes: Attributes,
  given: GivenContent,
  by: TemplateChange,
): StoredTemplate => {
  const store = templateStore(db);
  const content = writeContent(db, by.tools, given, null);
  refuseBodiless(content);
  refuseTaken(db, attributes.name, null);
  if (store.count() >= MAX_TEMPLATES)
    throw new AppError('conflict', say`A practice has at most ${MAX_TEMPLATES} templates.`, {
      hint: say`Delete one that is not used any more.`,
    });
  const id = newId();
  const first = versionOf(id, 1, content, by);
  const row: TemplateRow = {
    id,
    name: attributes.name,
    description: attributes.description,
    message_kind: attributes.message_kind,
    track_opens: flag(attributes.track_opens),
    track_clicks: flag(attributes.track_clicks),
    reply_to: attributes.reply_to,
    images: attributes.images,
    current_version: 1,
    created_at: by.now,
    updated_at: by.now,
  };
  store.insert(row);
  store.insertVersion(first);
  addImageUses(db, { usedBy: 'template', id }, imagesIn(first.html));
  const stored = { row, content: first };
  record(db, by, id, null, headOf(stored));
  return stored;
};

const record = (
  db: TenantDb,
  { change, now }: Omit<TemplateChange, 'tools'>,
  id: string,
  before: unknown,
  after: unknown,
): void => auditStore(db).record(change, { target: { type: 'template', id }, before, after }, now);

const isSame = (a: WrittenContent, b: WrittenContent): boolean =>
  a.subject === b.subject &&
  a.text === b.text &&
  a.html === b.html &&
  a.mjml === b.mjml &&
  JSON.stringify(a.document) === JSON.stringify(b.document);

type Changes = GivenContent & { readonly [K in keyof Attributes]?: Attributes[K] | undefined };

/** An absent field does not change. Throws as `createTemplate`. */
export const changeTemplate = (
  db: TenantDb,
  { row, content }: StoredTemplate,
  wanted: Changes,
  by: TemplateChange,
): StoredTemplate => {
  const store = templateStore(db);
  const former = writtenIn(content);
  const next = writeContent(db, by.tools, wanted, former);
  refuseBodiless(next);
  if (wanted.name !== undefined) refuseTaken(db, wanted.name, row.id);
  const changed = isSame(next, former) ? content : versionOf(row.id, row.current_version + 1, next, by);
  const { name = row.name, description = row.description, message_kind = row.message_kind } = wanted;
  const { track_opens, track_clicks, reply_to = row.reply_to, images = row.images } = wanted;
  const attributes = {
    name,
    description,
    message_kind,
    track_opens: track_opens === undefined ? row.track_opens : flag(track_opens),
    track_clicks: track_clicks === undefined ? row.track_clicks : flag(track_clicks),
    reply_to,
    images,
  };
  const updated = { ...row, ...attributes, current_version: changed.version };
  const isChanged = JSON.stringify(updated) !== JSON.stringify(row);
  const stored = { row: isChanged ? { ...updated, updated_at: by.now } : row, content: changed };
  if (changed !== content) {
    store.insertVersion(changed);
    addImageUses(db, { usedBy: 'template', id: row.id }, imagesIn(changed.html));
    store.removeVersions(row.id, changed.version - MAX_VERSIONS);
  }
  store.update(stored.row);
  record(db, by, row.id, headOf({ row, content }), headOf(stored));
  return stored;
};

/** Makes anew what was made of a document; versions that are the same as before are not stored. Returns how many differ. */
export const remakeTemplates = (db: TenantDb, by: TemplateChange): number => {
  const store = templateStore(db);
  let made = 0;
  for (const row of store.withDocument()) {
    const version = store.version(row.id, row.current_version);
    if (version === undefined) continue;
    const { document, subject } = writtenIn(version);
    if (document === null) continue;
    const next = { subject, ...by.tools.make(db, document, subject), document, mjml: null };
    if (isSame(next, writtenIn(version))) continue;
    store.insertVersion(versionOf(row.id, row.current_version + 1, next, by));
    addImageUses(db, { usedBy: 'template', id: row.id }, imagesIn(next.html));
    store.removeVersions(row.id, row.current_version + 1 - MAX_VERSIONS);
    store.update({ ...row, current_version: row.current_version + 1, updated_at: by.now });
    made += 1;
  }
  return made;
};

export const removeTemplate = (
  db: TenantDb,
  stored: StoredTemplate,
  by: Omit<TemplateChange, 'tools'>,
): void => {
  templateStore(db).remove(stored.row.id);
  setImageUses(db, { usedBy: 'template', id: stored.row.id }, [], by.now);
  record(db, by, stored.row.id, headOf(stored), null);
};
