// The message that a report of abuse is about, as the operator sees it beside the ticket: when it was sent, by which token, to how
// many; no text, no address of a recipient. It is found by what the reported mail says, as a complaint is (locate.ts), or by a
// Message-ID in the description. A Message-ID is no proof, because everyone who has the message knows it; so the answer says by what
// it was found.
import { z } from 'zod';
import { ticketStore } from '#src/accounts/abuse/store.ts';
import { getTicket } from '#src/accounts/abuse/tickets.ts';
import { tokenBrakeFields } from '#src/accounts/entry/slowed-token.ts';
import { tokenStore } from '#src/accounts/entry/token-store.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Base } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { toIso } from '#src/kernel/time.ts';
import { domainName } from '#src/mail/address.ts';
import { type MessageRow, messageStore } from '#src/messages/store.ts';
import { brakeOf } from './brake/brake.ts';
import { type Clues, type LocateDeps, locate, messagesNamed } from './locate.ts';
import { cluesOfReported } from './read-complaint.ts';

const foundBy = ['signed', 'message_id'] as const;

export const reportedSchema = z
  .strictObject({
    message: z
      .strictObject({
        practice: z.strictObject({ id: z.uuid(), name: z.string() }),
        id: z.uuid(),
        internet_message_id: z.string(),
        found_by: z
          .enum(foundBy)
          .describe(
            '`signed`: by a return path or link that only a recipient of this mail has; `message_id`: by a name that anyone can write',
          ),
        created_at: z.iso.datetime(),
        source: z.string().describe('how it came in: `api`, `smtp`, `campaign`, …'),
        message_kind: z.string(),
        status: z.string(),
        from: z.string(),
        subject: z.string(),
        recipients: z.int(),
        token: z
          .strictObject({
            id: z.uuid(),
            name: z.string().nullable().describe('null: it was revoked'),
            ...tokenBrakeFields,
          })
          .nullable()
          .describe('by which it was sent; null: by none, or before this was kept'),
      })
      .nullable()
      .describe('null: it is not found'),
  })
  .meta({ id: 'ReportedMessage' });
type Reported = NonNullable<z.input<typeof reportedSchema>['message']>;

/** Message-IDs that a person copied into their description. */
const NAMED = /<[^<>@\s]{1,250}@[^<>@\s]{1,255}>/g;
const MAX_NAMED = 5;

const present = (db: TenantDb, row: MessageRow, found_by: Reported['found_by'], now: number): Reported => {
  const { id, name } = tenantStore(db).practice();
  const { token_id: tokenId } = row;
  return {
    practice: { id, name },
    id: row.id,
    internet_message_id: row.internet_message_id,
    found_by,
    created_at: toIso(row.created_at),
    source: row.source,
    message_kind: row.message_kind,
    status: row.status,
    from: JSON.parse(row.from_json).address,
    subject: row.subject,
    recipients: messageStore(db).recipients(row.seq).length,
    token:
      tokenId === null
        ? null
        : { id: tokenId, name: tokenStore(db).get(tokenId)?.name ?? null, ...brakeOf(db, tokenId, now) },
  };
};

/** Tenants that may have sent a mail of that Message-ID. */
const tenantsFor = async (
  deps: LocateDeps,
  messageId: string,
  clues: Clues,
  known: string | null,
): Promise<string[]> => {
  const hosts = [/@([^@>]+)>?$/.exec(messageId)?.[1] ?? '', clues.fromHost ?? ''];
  const holders = await deps.readPlatform((db) =>
    hosts.flatMap((host) => {
      const name = domainName(host);
      return (name === null ? null : deps.holderOf(db, name)) ?? [];
    }),
  );
  return [...new Set([...(known === null ? [] : [known]), ...holders])];
};

/** Null where no message of this service is found. */
export const reportedMessage = async (
  deps: LocateDeps,
  ticket: { readonly source: Buffer | null; readonly description: string; readonly tenantId: string | null },
  now: number,
): Promise<Reported | null> => {
  const clues = ticket.source === null ? {} : await cluesOfReported(ticket.source);
  const { messageId: written, ...signed } = clues;
  const target = await locate(deps, signed);
  if (target !== null) {
    const tenantId = await deps.readPlatform((db) => registryStore(db).anyByNumber(target.tenantNumber)?.id);
    const found =
      tenantId === undefined
        ? null
        : await deps.files.read(tenantId, (db) => {
            const copy = messageStore(db).recipient(target.recipientId);
            const row = copy && messageStore(db).bySeq(copy.message_seq);
            return row ? present(db, row, 'signed', now) : null;
          });
    if (found !== null) return found;
  }
  const named = [...(written ? [written.trim()] : []), ...(ticket.description.match(NAMED) ?? [])];
  for (const messageId of named.slice(0, MAX_NAMED)) {
    for (const tenantId of await tenantsFor(deps, messageId, clues, ticket.tenantId)) {
      const found = await deps.files.read(tenantId, (db) => {
        const row = messagesNamed(db, messageId).at(-1);
        return row ? present(db, row, 'message_id', now) : null;
      });
      if (found !== null) return found;
    }
  }
  return null;
};

export const reportedMessageRoute = (
  { storage: { platform }, clock }: Pick<Base, 'storage' | 'clock'>,
  deps: LocateDeps,
): Route =>
  defineRoute({
    method: 'get',
    path: '/api/admin/abuse-tickets/{ticketID}/message',
    tag: 'Abuse',
    access: 'operator',
    stability: 'stable',
    id: 'getReportedMessage',
    summary: 'The message of this service that a report of abuse is about',
    description:
      'Found by the reported mail, or by a Message-ID in the description. It shows neither text nor addresses of recipients.',
    params: z.strictObject({ ticketID: idSchema }),
    responses: { 200: { description: 'What is known of it.', body: reportedSchema } },
    handle: async ({ params: { ticketID } }) => {
      const ticket = await platform.read((db) => {
        const { row } = getTicket(db, ticketID);
        const source = ticketStore(db).source(row.id) ?? null;
        return { source, description: row.description, tenantId: row.tenant_id };
      });
      return { status: 200, body: { message: await reportedMessage(deps, ticket, clock.now()) } };
    },
  });
