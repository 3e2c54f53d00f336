// Finds a message for a caller, and presents messages as the API returns them.
import type { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { maskConfirmTokens } from '#src/mail/copy-links.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { decisionsFor, type messageSchema, type messageSummarySchema, unpackDecisions } from './schema.ts';
import type { MessageSettings } from './settings.ts';
import { type BodyRow, type MessageRow, messageStore, type RecipientRow } from './store.ts';

/** The message with that id. Throws `not_found` if there is none or the caller may not see its project. */
export const visibleMessage = (db: TenantDb, id: string, caller: Caller): MessageRow => {
  const row = messageStore(db).byId(id);
  if (!row || !mayUseProject(caller, row.project_id)) {
    throw new AppError('not_found', say`There is no such message.`);
  }
  return row;
};

export const presentMailbox = ({
  address,
  name,
}: {
  readonly address: string;
  readonly name?: string | undefined;
}) => ({ address, name: name ?? null });

const presentMailboxes = (json: string) => (JSON.parse(json) as Mailbox[]).map(presentMailbox);

/** The display names beside a message's addresses. */
const namesOf = ({ to_json, cc_json, bcc_json }: MessageRow): ReadonlyMap<string, string | undefined> =>
  new Map(
    [to_json, cc_json, bcc_json].flatMap((json) =>
      (JSON.parse(json) as Mailbox[]).map(({ address, name }) => [address, name] as const),
    ),
  );

export interface NamedRecipient extends RecipientRow {
  readonly name: string | undefined;
}

/** The message's recipients with their names. */
export const recipientsOf = (db: TenantDb, row: MessageRow): NamedRecipient[] => {
  const names = namesOf(row);
  return messageStore(db)
    .recipients(row.seq)
    .map((recipient) => ({ ...recipient, name: names.get(recipient.address) }));
};

const presentRecipient = (row: NamedRecipient, nextAttemptAt: number | null | undefined) => ({
  address: row.address,
  name: row.name ?? null,
  field: row.field,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: toIsoOrNull(nextAttemptAt ?? null),
  smtp_code: row.smtp_code,
  enhanced_code: row.enhanced_code,
  diagnostic: row.diagnostic,
  upstream: row.upstream,
  updated_at: toIso(row.updated_at),
});

const isOpened = ({ status }: RecipientRow): boolean => status === 'opened' || status === 'clicked';

export const presentSummary = (db: TenantDb, row: MessageRow): z.infer<typeof messageSummarySchema> => {
  const nextAttempts = queueStore(db).nextAttempts(row.seq);
  const recipients = recipientsOf(db, row);
  const { track_opens }: MessageSettings = JSON.parse(row.settings_json);
  return {
    id: row.id,
    message_id: row.id,
    internet_message_id: row.internet_message_id,
    project_id: row.project_id,
    route: { id: row.route_id, slug: tenantStore(db).route(row.route_id)?.slug ?? '' },
    message_kind: row.message_kind,
    channel: row.channel,
    source: row.source,
    campaign_id: row.campaign_seq === null ? null : messageStore(db).campaignId(row.campaign_seq),
    template_id: row.template_id,
    from: presentMailbox(JSON.parse(row.from_json)),
    to: presentMailboxes(row.to_json),
    cc: presentMailboxes(row.cc_json),
    bcc: presentMailboxes(row.bcc_json),
    reply_to: presentMailboxes(row.reply_to_json),
    subject: row.subject,
    tag: row.tag,
    tags: JSON.parse(row.tags_json),
    metadata: JSON.parse(row.metadata_json),
    status: row.status,
    held: [...nextAttempts.values()].some((at) => at === null),
    opened: track_opens === true ? recipients.some(isOpened) : null,
    score: row.score,
    size_bytes: row.size_bytes,
    recipients: recipients.map((recipient) => presentRecipient(recipient, nextAttempts.get(recipient.id))),
    created_at: toIso(row.created_at),
    scheduled_at: toIsoOrNull(row.scheduled_at),
    personal_data_removed: row.is_pseudonymous === 1,
    updated_at: toIso(row.updated_at),
  };
};

/** What may be shown of a message's content: all but the link of a confirmation mail. */
export const shownBody = <T extends Pick<BodyRow, 'text' | 'html'>>(
  { message_kind }: Pick<MessageRow, 'message_kind'>,
  body: T,
): T => {
  if (message_kind !== 'doi') return body;
  const mask = (text: string | null): string | null => (text === null ? null : maskConfirmTokens(text));
  return { ...body, text: mask(body.text), html: mask(body.html) };
};

/** Text, HTML, headers and attachments are for those who may see content. */
export const presentMessage = (
  db: TenantDb,
  row: MessageRow,
  { permissions, projects }: Caller,
): z.infer<typeof messageSchema> => {
  const store = messageStore(db);
  const removed = store.removed(row.seq);
  const message = {
    ...presentSummary(db, row),
    decisions: decisionsFor(unpackDecisions(row.decisions_json), projects),
    content_removed: removed.content === 1,
    attachments_removed: removed.attachments === 1,
  };
  if (!permissions.has('messages.view_content')) return message;
  const stored = store.body(row.seq);
  const body = stored && shownBody(row, stored);
  return {
    ...message,
    text: body?.text ?? null,
    html: body?.html ?? null,
    headers: Object.fromEntries(JSON.parse(body?.headers_json ?? '[]')),
    attachments: store
      .attachmentRecords(row.seq)
      .map(({ filename, content_type, size_bytes, content_id }) => ({
        filename,
        content_type,
        size: size_bytes,
        content_id,
      })),
    calendar: body?.calendar_json ? JSON.parse(body.calendar_json) : null,
  };
};
