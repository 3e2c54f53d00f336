// The letterhead around what is made of documents. What a practice has written is made anew with it in the transaction that changes
// it: the current content of templates as a new version, and drafts of campaigns. A campaign that is planned, or has begun, stays
// as it was tried.
import type { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { putContent } from '#src/audience/campaigns/change.ts';
import { contentOf } from '#src/audience/campaigns/record.ts';
import { campaignStore } from '#src/audience/campaigns/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import { letterheadBody, letterheadSchema } from '#src/intake/documents/letterhead-schema.ts';
import { letterheadStore } from '#src/intake/documents/letterhead-store.ts';
import type { DocumentTools } from '#src/intake/documents/write-content.ts';
import { setImageUses } from '#src/intake/images/uses.ts';
import { remakeTemplates } from '#src/intake/templates/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';

/** The newest drafts; older ones are made anew when they are changed. */
const MAX_DRAFTS = 200;

/** How many were made anew. */
const remakeDrafts = (db: TenantDb, tools: DocumentTools, now: number): number => {
  const store = campaignStore(db);
  let made = 0;
  for (const row of store.newestFirst(null, 'draft', MAX_DRAFTS)) {
    const content = contentOf(db, row);
    const { document = null, subject } = content;
    if (document === null) continue;
    putContent(db, row, JSON.stringify({ ...content, ...tools.make(db, document, subject) }), now);
    const { subject: _, ...campaign } = row;
    store.update({ ...campaign, updated_at: now });
    made += 1;
  }
  return made;
};

export const letterheadRoutes = ({ files, clock, intake }: AudienceContext): Route[] => {
  const shared = {
    path: '/api/practices/{id}/letterhead',
    tag: 'Practices',
    stability: 'stable',
    params: tenantParams,
    version: (letterhead: z.input<typeof letterheadSchema>): unknown => letterhead,
    responses: { 200: { description: 'Logo, colour and signature.', body: letterheadSchema } },
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      id: 'getLetterhead',
      summary: 'The letterhead of a practice',
      access: 'messages.send',
      handle: async ({ params }: { params: z.output<typeof tenantParams> }) => ({
        status: 200,
        body: await files.read(params.id, (db) => letterheadStore(db).get()),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'put',
      id: 'putLetterhead',
      summary: 'Change the letterhead of a practice',
      description:
        'What is absent is as if there were none. Templates with a document get a new version, drafts of campaigns new text and HTML.',
      access: 'practice.manage',
      audit: 'letterhead.update',
      body: letterheadBody,
      handle: async (
        {
          params: { id },
          body,
        }: { params: z.output<typeof tenantParams>; body: z.output<typeof letterheadBody> },
        request,
      ) => {
        const tools = await intake.tools();
        const { change } = request;
        return {
          status: 200,
          body: await files.write(id, (db) => {
            const store = letterheadStore(db);
            const before = store.get();
            const target = { type: 'letterhead', id };
            requireCurrent(db, request, before, { targetId: id, actions: [change.action] });
            if (body.logo !== null && tools.imageOf(db, body.logo) === null)
              throw unfit([{ path: 'body.logo', message: say`image_not_found: there is no such image` }]);
            const now = clock.now();
            store.put(body);
            setImageUses(db, { usedBy: 'letterhead', id: '' }, body.logo === null ? [] : [body.logo], now);
            const remade = {
              templates: remakeTemplates(db, { change, now, tools }),
              campaigns: remakeDrafts(db, tools, now),
            };
            auditStore(db).record(change, { target, before, after: { ...body, ...remade } }, now);
            return body;
          }),
        };
      },
    }),
  ];
};
