// What a restore holds for a person: how much it is, and its release or end.
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import type { Change } from '#src/kernel/change.ts';
import type { AnyDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { idSchema } from '#src/kernel/fields.ts';
import type { Held } from '#src/kernel/held.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';

/** Writes an entry of the audit of that file, in the caller's transaction. */
export type RecordAudit = (
  db: AnyDb,
  change: Change,
  entry: {
    readonly target: { readonly type: string; readonly id: string };
    readonly before: object | null;
    readonly after: object;
  },
  now: number,
) => void;

/** Others write to the same file meanwhile. */
const AT_ONCE = 500;

const schema = z
  .strictObject({
    mails: z.int().describe('one per recipient'),
    forwards: z.int().describe('copies of received mail to be forwarded, and automatic replies'),
  })
  .meta({ id: 'HeldMail' });
type Counts = z.infer<typeof schema>;

const shared = {
  tag: 'Messages',
  stability: 'stable',
  params: z.strictObject({ id: idSchema }),
} as const;
const WHY =
  'A restore from a backup holds what was due up to then: it may have left after the backup was made, and would arrive twice. ';

export const heldRoutes = (
  { storage: { tenants }, clock }: Pick<Base, 'storage' | 'clock'>,
  parts: readonly Held[],
  record: RecordAudit,
): Route[] => {
  const countIn = (db: TenantDb): Counts => {
    const counts: Counts = { mails: 0, forwards: 0 };
    for (const { name, count } of parts) counts[name] = count(db);
    return counts;
  };

  const end = async (verb: 'release' | 'discard', id: string, context: RequestContext): Promise<Counts> => {
    const before = await tenants.write(id, (db) => {
      const counts = countIn(db);
      const entry = { target: { type: 'practice', id }, before: { held: counts }, after: { held: null } };
      record(db, context.change, entry, clock.now());
      return counts;
    });
    for (const part of parts) {
      const expected = await part.expect(id, clock.now());
      try {
        for (let ended = AT_ONCE; ended === AT_ONCE; )
          ended = await tenants.write(id, (db) => part[verb](db, clock.now(), AT_ONCE));
      } finally {
        expected();
      }
    }
    return before;
  };

  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/held-mail',
      id: 'getHeldMail',
      summary: 'What a restore holds',
      description: WHY,
      access: 'messages.view',
      responses: { 200: { description: 'As it is now.', body: schema } },
      handle: async ({ params: { id } }) => ({ status: 200, body: await tenants.read(id, countIn) }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/held-mail/release',
      id: 'releaseHeldMail',
      summary: 'Send what a restore holds',
      description: `${WHY}Who has bounced or unsubscribed meanwhile gets nothing.`,
      access: 'practice.manage',
      audit: 'held_mail.release',
      responses: { 200: { description: 'What was held, and is due now.', body: schema } },
      handle: async ({ params: { id } }, context) => ({
        status: 200,
        body: await end('release', id, context),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/held-mail/discard',
      id: 'discardHeldMail',
      summary: 'Do not send what a restore holds',
      description: `${WHY}Its recipients become \`failed\`.`,
      access: 'practice.manage',
      audit: 'held_mail.discard',
      responses: { 200: { description: 'What was held.', body: schema } },
      handle: async ({ params: { id } }, context) => ({
        status: 200,
        body: await end('discard', id, context),
      }),
    }),
  ];
};
