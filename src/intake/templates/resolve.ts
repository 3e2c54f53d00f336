// Makes the content of one message from a stored template, and the draft of a body that names one in the place of subject,
// text and HTML: the rest is parsed at once, and the template is filled in where the tenant's file is open.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import { parseAddress } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { ImageMode } from '#src/messages/image-types.ts';
import { builtInRoute, type Kind, kinds } from '#src/messages/kinds.ts';
import type { WrittenContent } from '../documents/write-content.ts';
import { type Draft, frameOf, invalidField, nameOf, toDraft, withWriting } from '../draft.ts';
import { inlined } from '../images/inline.ts';
import type { SendBody } from '../schema.ts';
import { practiceValues } from './practice-values.ts';
import { compileContent } from './render.ts';
import { toMergeData, writtenIn } from './schema.ts';
import { type TemplateRow, templateStore } from './store.ts';

export interface LoadedTemplate extends WrittenContent {
  readonly templateId: string;
  readonly images: ImageMode;
  readonly kind: Kind;
  /** Empty: as the route says. */
  readonly replyTo: readonly Mailbox[];
  readonly settings: {
    readonly track_opens?: boolean | undefined;
    readonly track_clicks?: boolean | undefined;
  };
}

/** The route of sends that name none: the built-in one for marketing; null for the practice's default. */
export const usualRoute = (kind: Kind): string | null =>
  kinds[kind].stream === 'marketing' ? builtInRoute.marketing : null;

export const findTemplate = (db: TenantDb, idOrName: string): TemplateRow | undefined =>
  templateStore(db).byId(idOrName.toLowerCase()) ?? templateStore(db).byName(idOrName);

/** The template with the content of that version, else of the current one. Throws `not_found`. */
export const loadTemplate = (db: TenantDb, template: string, version?: number): LoadedTemplate => {
  const row = findTemplate(db, template);
  if (!row)
    throw new AppError('not_found', say`There is no template ${JSON.stringify(template)}.`, {
      hint: say`GET /api/practices/{id}/templates lists them.`,
    });
  const content = templateStore(db).version(row.id, version ?? row.current_version);
  if (!content)
    throw new AppError(
      'not_found',
      say`The template ${row.name} has no version ${version ?? row.current_version}.`,
      {
        hint: say`GET /api/practices/{id}/templates/{templateID}/versions lists those that are kept.`,
      },
    );
  const { track_opens, track_clicks } = row;
  return {
    templateId: row.id,
    ...writtenIn(content),
    images: row.images,
    kind: row.message_kind,
    replyTo: row.reply_to === null ? [] : [parseAddress(row.reply_to)],
    settings: {
      ...(track_opens === null ? {} : { track_opens: track_opens === 1 }),
      ...(track_clicks === null ? {} : { track_clicks: track_clicks === 1 }),
    },
  };
};

/** Fields that a template replaces. */
const instead = ['subject', 'text', 'text_body', 'html', 'html_body'] as const;
/** Fields that only a template has. */
const beside = ['template_version', 'data'] as const;

/**
 * A draft, or how to make it from what the tenant's file holds. Values that the template does not name are ignored. Throws
 * AppError for what cannot be understood, as the result does for a template that does not exist or data that do not fit.
 */
export const draftOf = (body: SendBody): Draft | ((db: TenantDb) => Draft) => {
  const { template, template_version: version } = body;
  if (template === undefined) {
    const stray = beside.find((field) => body[field] !== undefined);
    if (stray !== undefined) throw invalidField(stray, say`belongs to a template, and none is named`);
    return toDraft(body);
  }
  const other = instead.find((field) => body[field] !== undefined);
  if (other !== undefined) throw invalidField(nameOf(body, other), say`cannot be given beside template`);
  const frame = frameOf(body);
  const given = toMergeData(body.data ?? {});
  return (db) => {
    const data = { ...practiceValues(tenantStore(db).practice()), ...given };
    const { kind, replyTo, settings, templateId, images, ...content } = loadTemplate(db, template, version);
    const { html, attachments } = inlined(db, content.html, images);
    const compiled = compileContent({ ...content, html });
    const problems = compiled.problemsOf(data, 'body.data');
    if (problems.length > 0) throw unfit(problems);
    return withWriting(
      {
        ...frame,
        attachments: [...frame.attachments, ...attachments],
        templateId,
        kind: frame.kind ?? kind,
        replyTo: frame.replyTo.length > 0 ? frame.replyTo : replyTo,
        // A send that names a kind chooses its route by that, not by the template.
        route: frame.route ?? (frame.kind === null ? usualRoute(kind) : null),
        settings: { ...settings, ...frame.settings },
      },
      compiled.render(data),
    );
  };
};
