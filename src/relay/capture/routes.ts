// Reading the local mailbox of a capture upstream. A caller that is limited to projects sees only what was sent for these.

import { z } from 'zod';
import type { Caller } from '#src/kernel/access.ts';
import { requireRecentSignIn } from '#src/kernel/credentials.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema, typedSchema } from '#src/kernel/fields.ts';
import { decodeCursor, encodeCursor, listOf, listQuery } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { unseal } from '#src/kernel/seal.ts';
import { type Clock, toIso } from '#src/kernel/time.ts';
import { type CaptureRow, captureStore } from './store.ts';

const params = z.strictObject({ id: idSchema.describe('the practice') });
const PATH = '/api/practices/{id}/captures';

const captureSchema = z
  .strictObject({
    id: z.uuid(),
    message_id: z.uuid(),
    recipient: z.string(),
    subject: z.string().nullable().describe('null where the message is no longer kept'),
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
  readonly key: SealingKey;
  /** Whether the service itself sends mail as that tenant. */
  readonly isSystem: (tenantId: string) => boolean;
  readonly clock: Clock;
}

/**
 * The source of a captured mail that the caller may see. Rejects with `not_found`, and with `sign_in_again`: the mails of the service
 * itself have codes, and by the next one an operator's session that someone finds would renew itself.
 */
export const readCapture = async (
  { files, key, isSystem, clock }: CaptureRoutesDeps,
  tenantId: string,
  captureId: string,
  { projects, operatorProof }: Pick<Caller, 'projects' | 'operatorProof'>,
): Promise<Buffer> => {
  if (operatorProof !== null && isSystem(tenantId)) requireRecentSignIn(operatorProof, clock.now());
  const sealed = await files.read(tenantId, (db) => captureStore(db).source(captureId, projects));
  if (!sealed) throw new AppError('not_found', say`There is no such captured message.`);
  return unseal(key, sealed, captureId);
};

export const captureRoutes = (deps: CaptureRoutesDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: PATH,
    tag: 'Captured mail',
    id: 'listCapturedMails',
    summary: 'What a capture upstream kept',
    description:
      'A page may hold fewer than `limit`, even none, while `next_cursor` is set: with `q` a call looks at 2,000 mails at most.',
    access: 'messages.view_content',
    stability: 'beta',
    params,
    query: z.strictObject({
      ...listQuery,
      message_id: idSchema.optional(),
      q: typedSchema
        .optional()
        .describe(
          'words of the recipient’s address and of the subject, as `q` of the search of messages takes them',
        ),
    }),
    responses: { 200: { description: 'Newest first.', body: listOf(captureSchema) } },
    handle: async ({ params: { id }, query }, { caller }) => {
      const before = decodeCursor(query.cursor);
      const filter = {
        messageId: query.message_id ?? null,
        text: query.q ?? null,
        projects: caller.projects,
      };
      const { rows, next } = await deps.files.read(id, (db) =>
        captureStore(db).list(filter, before, query.limit),
      );
      return {
        status: 200,
        body: { data: rows.map(present), next_cursor: next === null ? null : encodeCursor(next) },
      };
    },
  }),
  defineRoute({
    method: 'get',
    path: `${PATH}/{captureID}`,
    tag: 'Captured mail',
    id: 'getCapturedMail',
    summary: 'One captured message as it would have gone out',
    description: 'The mails of the service itself take an operator’s sign-in of the last 15 minutes.',
    access: 'messages.view_content',
    stability: 'beta',
    params: z.strictObject({ ...params.shape, captureID: idSchema }),
    responses: { 200: { description: 'The source (RFC 5322).', body: 'message/rfc822' } },
    errors: ['sign_in_again'],
    handle: async ({ params: { id, captureID } }, { caller }) => ({
      status: 200,
      body: await readCapture(deps, id, captureID, caller),
      contentType: 'message/rfc822',
      headers: { 'Content-Disposition': 'attachment; filename="message.eml"' },
    }),
  }),
];
