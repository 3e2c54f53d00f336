// Stored templates and their versions in the tenant's file.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { ImageMode } from '#src/messages/image-types.ts';
import type { Kind } from '#src/messages/kinds.ts';

export interface TemplateRow {
  id: string;
  name: string;
  description: string | null;
  message_kind: Kind;
  /** Null: as the route says. */
  track_opens: 0 | 1 | null;
  track_clicks: 0 | 1 | null;
  /** Null: as the route says. */
  reply_to: string | null;
  images: ImageMode;
  current_version: number;
  created_at: number;
  updated_at: number;
}

export interface VersionRow {
  template_id: string;
  version: number;
  subject: string;
  text: string | null;
  html: string | null;
  fields_json: string;
  created_at: number;
  created_by: string;
  /** Text and HTML were made of it; null: they are source. */
  document_json: string | null;
  /** The HTML was made of it; null: it was given, or made of a document. */
  mjml: string | null;
}

/** What lists show: without the content. */
export type VersionHead = Omit<VersionRow, 'text' | 'html' | 'document_json' | 'mjml' | 'template_id'>;
export type TemplateHead = TemplateRow & Pick<VersionRow, 'subject' | 'fields_json'>;

const HEAD = 'version, subject, fields_json, created_at, created_by';

export const templateStore = perConnection((db: TenantDb) => {
  const heads = db.prepare<[], TemplateHead>(
    `SELECT templates.*, subject, fields_json FROM templates
     JOIN template_versions ON template_id = id AND version = current_version ORDER BY name`,
  );
  const count = db.prepare<[], number>('SELECT count(*) FROM templates').pluck();
  const byId = db.prepare<[string], TemplateRow>('SELECT * FROM templates WHERE id = ?');
  const byName = db.prepare<[string], TemplateRow>('SELECT * FROM templates WHERE name = ?');
  const insert = db.prepare<TemplateRow>(
    `INSERT INTO templates (id, name, description, message_kind, track_opens, track_clicks, reply_to, images,
                            current_version, created_at, updated_at)
     VALUES (:id, :name, :description, :message_kind, :track_opens, :track_clicks, :reply_to, :images,
             :current_version, :created_at, :updated_at)`,
  );
  const update = db.prepare<Omit<TemplateRow, 'created_at'>>(
    `UPDATE templates SET name = :name, description = :description, message_kind = :message_kind,
       track_opens = :track_opens, track_clicks = :track_clicks, reply_to = :reply_to, images = :images,
       current_version = :current_version, updated_at = :updated_at
     WHERE id = :id`,
  );
  const remove = db.prepare<[string]>('DELETE FROM templates WHERE id = ?');
  const version = db.prepare<[string, number], VersionRow>(
    'SELECT * FROM template_versions WHERE template_id = ? AND version = ?',
  );
  const versions = db.prepare<[string], VersionHead>(
    `SELECT ${HEAD} FROM template_versions WHERE template_id = ? ORDER BY version DESC`,
  );
  const insertVersion = db.prepare<VersionRow>(
    `INSERT INTO template_versions (template_id, version, subject, text, html, fields_json, created_at, created_by, document_json, mjml)
     VALUES (:template_id, :version, :subject, :text, :html, :fields_json, :created_at, :created_by, :document_json, :mjml)`,
  );
  const removeOld = db.prepare<[string, number]>(
    'DELETE FROM template_versions WHERE template_id = ? AND version <= ?',
  );
  const withDocument = db.prepare<[], TemplateRow>(
    `SELECT templates.* FROM templates
     JOIN template_versions ON template_id = id AND version = current_version WHERE document_json IS NOT NULL ORDER BY name`,
  );
  return {
    /** Those whose current content was made of a document, by name. */
    withDocument: (): TemplateRow[] => withDocument.all(),
    /** All, by name. */
    heads: (): TemplateHead[] => heads.all(),
    count: (): number => count.get() ?? 0,
    byId: (id: string): TemplateRow | undefined => byId.get(id),
    /** Upper and lower case of ASCII letters are the same. */
    byName: (name: string): TemplateRow | undefined => byName.get(name),
    insert: (row: TemplateRow): void => {
      insert.run(row);
    },
    update: ({ created_at: _, ...row }: TemplateRow): void => {
      update.run(row);
    },
    /** Its versions go with it. */
    remove: (id: string): void => {
      remove.run(id);
    },
    version: (id: string, number: number): VersionRow | undefined => version.get(id, number),
    /** Newest first. */
    versions: (id: string): VersionHead[] => versions.all(id),
    insertVersion: (row: VersionRow): void => {
      insertVersion.run(row);
    },
    /** Those up to `last`. */
    removeVersions: (id: string, last: number): void => {
      removeOld.run(id, last);
    },
  };
});
