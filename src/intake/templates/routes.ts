// Stored templates over HTTP. They belong to the whole practice: everyone who sends may use them, and members who are limited
// to projects may not change them.
import { z } from 'zod';
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { unfit } from '#src/kernel/validate.ts';
import type { LoadTools } from '../documents/write-content.ts';
import { changeTemplate, createTemplate, removeTemplate, type StoredTemplate } from './change.ts';
import { practiceValues } from './practice-values.ts';
import { compileContent, TOO_LONG } from './render.ts';
import { findTemplate } from './resolve.ts';
import {
  createTemplateBody,
  patchTemplateBody,
  presentHead,
  presentTemplate,
  presentVersion,
  presentVersionHead,
  previewBody,
  previewSchema,
  templateHead,
  templateIdSchema,
  templateSchema,
  toMergeData,
  versionHead,
  versionSchema,
} from './schema.ts';
import { type TemplateRow, templateStore, type VersionRow } from './store.ts';

/** Room for text and HTML at their bounds with every character escaped. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

/** Characters. */
const MAX_VERSION = 36;

const templateParams = z.strictObject({ ...tenantParams.shape, templateID: templateIdSchema });
const versionParams = z.strictObject({
  ...templateParams.shape,
  version: z
    .string()
    .max(MAX_VERSION)
    .describe('its number')
    .meta({ examples: ['1'] }),
});

/** Zero where it is no number: no version has it. */
const numberOf = (version: string): number => (/^\d+$/.test(version) ? Number(version) : 0);

const notFound = (what: Text): AppError => new AppError('not_found', what);

const rowOf = (db: TenantDb, idOrName: string): TemplateRow => {
  const row = findTemplate(db, idOrName);
  if (!row) throw notFound(say`There is no such template.`);
  return row;
};

const versionOf = (
  db: TenantDb,
  { id, current_version }: TemplateRow,
  number = current_version,
): VersionRow => {
  const content = templateStore(db).version(id, number);
  if (!content) throw notFound(say`There is no such version.`);
  return content;
};

/** The template with its current content. Throws `not_found`. */
export const storedTemplate = (db: TenantDb, idOrName: string): StoredTemplate => {
  const row = rowOf(db, idOrName);
  return { row, content: versionOf(db, row) };
};

export const requireTemplateRights = (caller: Caller): void =>
  requireAllProjects(caller, 'messages.send', say`A template`);

export interface TemplateDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly tools: LoadTools;
}

export const templateRoutes = ({ files, clock, tools }: TemplateDeps): Route[] => {
  const shared = { tag: 'Templates', access: 'messages.send', stability: 'stable' } as const;
  const one = { description: 'The template with its current content.', body: templateSchema };
  const version = (template: z.output<typeof templateSchema>): unknown => template;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/templates',
      id: 'listTemplates',
      summary: 'Templates',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'All, by name, without their content.', body: listOf(templateHead) } },
      handle: async ({ params, query }) => {
        const rows = await files.read(params.id, (db) => templateStore(db).heads());
        return { status: 200, body: pageOf(rows, query, presentHead) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/templates',
      id: 'createTemplate',
      summary: 'Create a template',
      audit: 'template.create',
      params: tenantParams,
      body: createTemplateBody,
      bodyLimit: BODY_LIMIT_BYTES,
      responses: { 201: one },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change }) => {
        requireTemplateRights(caller);
        const { description = null, track_opens = null, track_clicks = null, reply_to = null } = body;
        const { name, message_kind, images = 'linked' } = body;
        const attributes = { name, message_kind, description, track_opens, track_clicks, reply_to, images };
        const templateChange = { change, now: clock.now(), tools: await tools() };
        const { row, content } = await files.write(params.id, (db) =>
          createTemplate(db, attributes, body, templateChange),
        );
        return { status: 201, body: presentTemplate(row, content) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/templates/{templateID}',
      id: 'getTemplate',
      summary: 'A template',
      version,
      params: templateParams,
      responses: { 200: one },
      handle: async ({ params }) => {
        const { row, content } = await files.read(params.id, (db) => storedTemplate(db, params.templateID));
        return { status: 200, body: presentTemplate(row, content) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: '/api/practices/{id}/templates/{templateID}',
      id: 'updateTemplate',
      summary: 'Change a template; other content makes a new version',
      version,
      audit: 'template.update',
      params: templateParams,
      body: patchTemplateBody,
      bodyLimit: BODY_LIMIT_BYTES,
      responses: { 200: one },
      errors: ['conflict'],
      handle: async ({ params, body }, context) => {
        const { caller, change } = context;
        const templateChange = { change, now: clock.now(), tools: await tools() };
        const { row, content } = await files.write(params.id, (db) => {
          const stored = storedTemplate(db, params.templateID);
          requireTemplateRights(caller);
          requireCurrent(db, context, presentTemplate(stored.row, stored.content), {
            targetId: stored.row.id,
            actions: ['template.create', 'template.update'],
          });
          return changeTemplate(db, stored, body, templateChange);
        });
        return { status: 200, body: presentTemplate(row, content) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: '/api/practices/{id}/templates/{templateID}',
      id: 'deleteTemplate',
      summary: 'Delete a template with its versions',
      audit: 'template.delete',
      params: templateParams,
      responses: { 204: { description: 'It is gone. Messages that were sent with it do not change.' } },
      handle: async ({ params }, { caller, change }) => {
        const templateChange = { change, now: clock.now() };
        await files.write(params.id, (db) => {
          const stored = storedTemplate(db, params.templateID);
          requireTemplateRights(caller);
          removeTemplate(db, stored, templateChange);
        });
        return { status: 204 };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/templates/{templateID}/versions',
      id: 'listTemplateVersions',
      summary: 'Versions of a template',
      params: templateParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'Those that are stored, newest first.', body: listOf(versionHead) } },
      handle: async ({ params, query }) => {
        const rows = await files.read(params.id, (db) =>
          templateStore(db).versions(rowOf(db, params.templateID).id),
        );
        return { status: 200, body: pageOf(rows, query, presentVersionHead) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/templates/{templateID}/versions/{version}',
      id: 'getTemplateVersion',
      summary: 'A version of a template',
      params: versionParams,
      responses: { 200: { description: 'Its content.', body: versionSchema } },
      handle: async ({ params }) => {
        const content = await files.read(params.id, (db) =>
          versionOf(db, rowOf(db, params.templateID), numberOf(params.version)),
        );
        return { status: 200, body: presentVersion(content) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/templates/{templateID}/preview',
      id: 'previewTemplate',
      usedBy: 'programs that show a mail before they send it',
      summary: 'What a template makes of data',
      description:
        'Of the practice, templates know `practice.name`, `practice.address` (street and city) and each field of the legal block that is filled in, as `practice.street` or `practice.privacy_url`. This holds wherever a template is used; values that are given win.',
      audit: { none: 'nothing is stored' },
      params: templateParams,
      body: previewBody,
      responses: {
        200: { description: 'Subject, text and HTML with the values in them.', body: previewSchema },
      },
      handle: async ({ params, body }, { speak }) => {
        const { content, known } = await files.read(params.id, (db) => ({
          content: versionOf(db, rowOf(db, params.templateID), body.version),
          known: practiceValues(tenantStore(db).practice()),
        }));
        const data = { ...known, ...toMergeData(body.data) };
        const compiled = compileContent(content);
        if (compiled.isTooLong(data)) throw unfit([{ path: 'body.data', message: TOO_LONG }]);
        return {
          status: 200,
          body: {
            version: content.version,
            ...compiled.render(data),
            missing: compiled.missing(data),
            problems: compiled
              .problemsOf(data, 'body.data')
              .map(({ path, message }) => ({ path, message: speak(message) })),
          },
        };
      },
    }),
  ];
};
