// Stored templates as vendor B's clients list and read them. They have no number there: TemplateId is 0, the alias names them.
import { z } from 'zod';
import { senderOf } from '#src/intake/http-send.ts';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import { storedTemplate } from '#src/intake/templates/routes.ts';
import { templateIdSchema } from '#src/intake/templates/schema.ts';
import { templateStore } from '#src/intake/templates/store.ts';
import { defineRoute, type ForeignShape, type Route } from '#src/kernel/route.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 100;

const headShape = {
  TemplateId: z.literal(0),
  Name: z.string(),
  Alias: z.string(),
  Active: z.literal(true),
  TemplateType: z.literal('Standard'),
  LayoutTemplate: z.null(),
};

const templateSchema = z
  .strictObject({
    ...headShape,
    AssociatedServerId: z.literal(0),
    Subject: z.string(),
    HtmlBody: z.string().nullable(),
    TextBody: z.string().nullable(),
  })
  .meta({ id: 'VendorBTemplate' });

const listSchema = z
  .strictObject({ TotalCount: z.int(), Templates: z.array(z.strictObject(headShape)) })
  .meta({ id: 'VendorBTemplateList' });

const headOf = ({ name }: { readonly name: string }) => ({
  TemplateId: 0,
  Name: name,
  Alias: name,
  Active: true,
  TemplateType: 'Standard',
  LayoutTemplate: null,
});

const query = z.object({
  count: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  offset: z.coerce.number().int().min(0).default(0),
  templatetype: z.enum(['All', 'Standard', 'Layout']).default('All').describe('there are no layouts'),
});

export const templateRoutes = ({ files }: Pick<IntakeContext, 'files'>, shape: ForeignShape): Route[] => {
  const shared = {
    shape,
    method: 'get',
    access: 'messages.send',
    tag: 'Compatibility: vendor B shape',
    stability: 'stable',
  } as const;
  return [
    defineRoute({
      ...shared,
      path: `${shape.base}/templates`,
      id: 'vendorbListTemplates',
      summary: 'Templates',
      query,
      responses: { 200: { description: 'By name.', body: listSchema } },
      handle: async ({ query: { count, offset, templatetype } }, context) => {
        const { tenantId } = senderOf(context);
        const heads =
          templatetype === 'Layout' ? [] : await files.read(tenantId, (db) => templateStore(db).heads());
        const Templates = heads.slice(offset, offset + count).map(headOf);
        return { status: 200, body: { TotalCount: heads.length, Templates } };
      },
    }),
    defineRoute({
      ...shared,
      path: `${shape.base}/templates/{templateID}`,
      id: 'vendorbGetTemplate',
      summary: 'A template',
      params: z.object({ templateID: templateIdSchema }),
      responses: { 200: { description: 'With its current content.', body: templateSchema } },
      handle: async ({ params: { templateID } }, context) => {
        const { tenantId } = senderOf(context);
        const { row, content } = await files.read(tenantId, (db) => storedTemplate(db, templateID));
        const { subject, html, text } = content;
        return {
          status: 200,
          body: { ...headOf(row), AssociatedServerId: 0, Subject: subject, HtmlBody: html, TextBody: text },
        };
      },
    }),
  ];
};
