// Makes the content of one message from a stored template.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { unfit } from '#src/kernel/validate.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { type Kind, kinds } from '#src/messages/kinds.ts';
import { compileContent, type TemplateContent } from './render.ts';
import { type TemplateRow, templateStore } from './store.ts';

export interface ResolvedTemplate extends TemplateContent {
  readonly kind: Kind;
  /** For sends that name neither kind nor route: the built-in one for marketing, null for the practice's default. */
  readonly route: 'broadcast' | null;
  readonly settings: {
    readonly track_opens?: boolean | undefined;
    readonly track_clicks?: boolean | undefined;
  };
  readonly templateId: string;
  readonly version: number;
}

export interface NamedTemplate {
  /** Id or name. */
  readonly template: string;
  /** Null: the current one. */
  readonly version?: number | null | undefined;
}

export const findTemplate = (db: TenantDb, idOrName: string): TemplateRow | undefined =>
  templateStore(db).byId(idOrName.toLowerCase()) ?? templateStore(db).byName(idOrName);

/** The template with its content before anything is merged. Throws `not_found`. */
export const loadTemplate = (db: TenantDb, { template, version }: NamedTemplate): ResolvedTemplate => {
  const row = findTemplate(db, template);
  if (!row)
    throw new AppError('not_found', `There is no template ${JSON.stringify(template)}.`, {
      hint: 'GET /api/practices/{id}/templates lists them.',
    });
  const content = templateStore(db).version(row.id, version ?? row.current_version);
  if (!content)
    throw new AppError('not_found', `The template ${row.name} has no version ${version}.`, {
      hint: 'GET /api/practices/{id}/templates/{templateID}/versions lists those that are kept.',
    });
  const { subject, text, html } = content;
  const { track_opens, track_clicks } = row;
  return {
    subject,
    text,
    html,
    kind: row.message_kind,
    route: kinds[row.message_kind].stream === 'marketing' ? 'broadcast' : null,
    settings: {
      ...(track_opens === null ? {} : { track_opens: track_opens === 1 }),
      ...(track_clicks === null ? {} : { track_clicks: track_clicks === 1 }),
    },
    templateId: row.id,
    version: content.version,
  };
};

/**
 * Subject, text and HTML with the values of `data` in them; what the template does not name is ignored. Throws
 * `not_found`, and `invalid_request` for data that are missing or cannot be used where the template puts them.
 */
export const resolveTemplate = (db: TenantDb, named: NamedTemplate, data: MergeData): ResolvedTemplate => {
  const loaded = loadTemplate(db, named);
  const compiled = compileContent(loaded);
  const problems = compiled.problemsOf(data, 'body.data');
  if (problems.length > 0) throw unfit(problems);
  return { ...loaded, ...compiled.render(data) };
};
