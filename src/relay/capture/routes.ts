// Reading the local mailbox of a capture upstream. A caller that is limited to projects sees only what was sent for these.
import { z } from 'zod';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { unseal } from '#src/kernel/seal.ts';
import { toIso } from '#src/kernel/time.ts';
import { type CaptureRow, captureStore } from './store.ts';

const params = z.strictObject({ id: idSchema.describe('the practice') });
const PATH = '/api/practices/{id}/captures';

const captureSchema = z
  .strictObject({
    id: z.uuid(),
    message_id: z.uuid(),
    recipient: z.string(),
    return_path: z.string(),
    size_bytes: z.int(),
    captured_at: z.iso.datetime(),
  })
  .meta({ id: 'CapturedMail' });

const present = ({ seq: _, captured_at, ...row }: CaptureRow): z.infer<typeof captureSchema> => ({
  ...row,
  captured_at: toIso(captured_at),
});

export interface CaptureRoutesDeps {
  readonly files: TenantFiles;
  /** The key with which the upstream sealed. */
  readonly key: Buffer;
}

export const captureRoutes = ({ files, key }: CaptureRoutesDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: PATH,
    tag: 'Captured mail',
    id: 'listCapturedMails',
    summary: 'What a capture upstream kept',
    access: 'messages.view_content',
    stability: 'beta',
    params,
    query: z.strictObject({ ...listQuery, message_id: idSchema.optional() }),
    responses: { 200: { description: 'Newest first.', body: listOf(captureSchema) } },
    handle: async ({ params: { id }, query }, { caller }) => {
      const before = decodeCursor(query.cursor);
      const filter = { messageId: query.message_id ?? null, projects: caller.projects };
      const rows = await files.read(id, (db) => captureStore(db).list(filter, before, query.limit + 1));
      return { status: 200, body: toPage(rows, query.limit, (row) => row.seq, present) };
    },
  }),
  defineRoute({
    method: 'get',
    path: `${PATH}/{captureID}`,
    tag: 'Captured mail',
    id: 'getCapturedMail',
    summary: 'One captured message as it would have gone out',
    access: 'messages.view_content',
    stability: 'beta',
    params: z.strictObject({ ...params.shape, captureID: idSchema }),
    responses: { 200: { description: 'The source (RFC 5322).', body: 'message/rfc822' } },
    handle: async ({ params: { id, captureID } }, { caller }) => {
      const sealed = await files.read(id, (db) => captureStore(db).source(captureID, caller.projects));
      if (!sealed) throw new AppError('not_found', 'There is no such captured message.');
      return {
        status: 200,
        body: unseal(key, sealed, captureID),
        contentType: 'message/rfc822',
        headers: { 'Content-Disposition': 'attachment; filename="message.eml"' },
      };
    },
  }),
];
