// Messages and their recipients in the tenant's file.
import type { Division } from '#src/accounts/counters/store.ts';
import { rememberedBy } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { type MergeData, merge } from '#src/mail/merge-fields.ts';
import { createHandOver, type OwnFiles } from './hand-over.ts';
import type { Channel, Kind } from './kinds.ts';
import { messageStatus, type Status } from './rules.ts';

export interface MessageRow {
  seq: number;
  id: string;
  internet_message_id: string;
  project_id: string;
  route_id: string;
  message_kind: Kind;
  channel: Channel;
  source: string;
  from_json: string;
  to_json: string;
  cc_json: string;
  bcc_json: string;
  reply_to_json: string;
  subject: string;
  tag: string | null;
  tags_json: string;
  metadata_json: string;
  settings_json: string;
  decisions_json: string;
  status: Status;
  score: number | null;
  size_bytes: number;
  scheduled_at: number | null;
  created_at: number;
  updated_at: number;
  /** 1: retention has replaced what it says of people. */
  is_pseudonymous: 0 | 1;
  /** The campaign whose mail it is. */
  campaign_seq: number | null;
  /** The stored template that it was made from, which may have been deleted since. */
  template_id: string | null;
  /** The API token by which it was sent, which may have been revoked since; null: by none. */
  token_id: string | null;
}

/** Before it is stored. */
export type NewMessageRow = Omit<MessageRow, 'seq' | 'is_pseudonymous'>;

export interface BodyRow {
  text: string | null;
  html: string | null;
  /** Text and HTML, encrypted, where no one may read them from the file; both are null then. See sealed-content.ts. */
  sealed: Buffer | null;
  headers_json: string;
  /** An `Invitation` as JSON; null if there is none. */
  calendar_json: string | null;
  /** A `SubmittedPart` as JSON; null where the message did not come as MIME. */
  parts_json: string | null;
}

/** `shared` is null if text and HTML are in the row itself; else it names content of many messages and the values to merge. */
export type NewBody = BodyRow & {
  readonly shared: { readonly id: number; readonly data: MergeData } | null;
};

interface StoredBody extends BodyRow {
  shared_id: number | null;
  data_json: string | null;
}

/** Content with placeholders, and the values for all messages that share it. */
export interface SharedContent extends Pick<BodyRow, 'text' | 'html'> {
  readonly data: MergeData;
}

interface SharedRow extends Pick<BodyRow, 'text' | 'html'> {
  data_json: string;
}

/** Merges the values for all and those of the message into the shared content. */
const mergedBody = ({ data_json, ...row }: StoredBody, { text, html, ...shared }: SharedRow): BodyRow => {
  const data: MergeData = { ...JSON.parse(shared.data_json), ...JSON.parse(data_json ?? '{}') };
  return {
    ...row,
    text: text === null ? null : merge(text, data, 'text'),
    html: html === null ? null : merge(html, data, 'html'),
  };
};

/** What retention has removed of a message. */
export interface RemovedParts {
  /** 1: text, HTML and headers have been removed. */
  readonly content: 0 | 1;
  /** 1: it had attachments, and they have been removed. */
  readonly attachments: 0 | 1;
}

export interface AttachmentRow {
  filename: string;
  content_type: string;
  content_id: string | null;
  size_bytes: number;
  content: Uint8Array;
  /** The practice's image that it is, whose row has its bytes. */
  image_seq?: number | null;
}

export type RecipientField = 'to' | 'cc' | 'bcc';

export interface RecipientRow {
  id: number;
  message_seq: number;
  address: string;
  field: RecipientField;
  status: Status;
  attempts: number;
  smtp_code: number | null;
  enhanced_code: string | null;
  diagnostic: string | null;
  upstream: string | null;
  updated_at: number;
  /** 1: the copy has nothing that tracks. */
  is_untracked: 0 | 1;
}

export type RecipientResult = Pick<
  RecipientRow,
  'id' | 'status' | 'attempts' | 'smtp_code' | 'enhanced_code' | 'diagnostic' | 'upstream' | 'updated_at'
>;

/** A message that was just stored and is due at once. */
export interface NewMessage {
  readonly message: MessageRow;
  readonly body: BodyRow;
  readonly attachments: readonly AttachmentRow[];
  readonly files: OwnFiles;
  /** The recipients that were not taken yet, by their ids. */
  readonly recipients: Map<number, RecipientRow>;
  /** The version of the suppressions by which its recipients were checked. */
  readonly suppressionVersion: number;
}

/** One recipient's row takes so many bytes. */
const RECIPIENT_SIZE = 512;

/** The characters and octets that it takes. */
const sizeOf = ({ message, body, attachments, recipients }: NewMessage): number => {
  let size = recipients.size * RECIPIENT_SIZE;
  for (const value of [...Object.values(message), ...Object.values(body)])
    if (typeof value === 'string' || Buffer.isBuffer(value)) size += value.length;
  for (const { content } of attachments) size += content.length;
  return size;
};

const MESSAGE_COLUMNS = [
  'id',
  'internet_message_id',
  'project_id',
  'route_id',
  'message_kind',
  'channel',
  'source',
  'from_json',
  'to_json',
  'cc_json',
  'bcc_json',
  'reply_to_json',
  'subject',
  'tag',
  'tags_json',
  'metadata_json',
  'settings_json',
  'decisions_json',
  'status',
  'score',
  'size_bytes',
  'scheduled_at',
  'created_at',
  'updated_at',
  'campaign_seq',
  'template_id',
  'token_id',
] as const satisfies (keyof MessageRow)[];

/** A mail program submits a message once for all its recipients, or a few times. */
const MAX_OF_ONE_MESSAGE_ID = 20;

/** What a message is counted under, and how it came in. */
type KnownDivision = Division & Pick<MessageRow, 'source' | 'token_id'>;

const NO_CONTENT = Buffer.alloc(0);
/** The bytes of an image are in its own row, once for all mails that carry it. */
const ATTACHMENT = `filename, content_type, content_id, size_bytes, image_seq,
  coalesce((SELECT content FROM images WHERE seq = image_seq), attachments.content) AS content`;

export const messageStore = perConnection((db: TenantDb) => {
  const insertMessage = db.prepare<NewMessageRow>(
    `INSERT INTO messages (${MESSAGE_COLUMNS.join(', ')}) VALUES (${MESSAGE_COLUMNS.map((name) => `:${name}`).join(', ')})`,
  );
  const insertBody = db.prepare<
    BodyRow & { message_seq: number; shared_id: number | null; data_json: string | null }
  >(
    `INSERT INTO message_bodies (message_seq, text, html, sealed, headers_json, calendar_json, parts_json, shared_id, data_json)
     VALUES (:message_seq, :text, :html, :sealed, :headers_json, :calendar_json, :parts_json, :shared_id, :data_json)`,
  );
  const insertShared = db.prepare<[string | null, string | null, string, number]>(
    'INSERT INTO shared_contents (text, html, data_json, created_at) VALUES (?, ?, ?, ?)',
  );
  const hasShared = db.prepare<[number], number>('SELECT 1 FROM shared_contents WHERE id = ?').pluck();
  const removeUnusedShared = db.prepare<[number]>(
    'DELETE FROM shared_contents WHERE id = ? AND NOT EXISTS (SELECT 1 FROM message_bodies WHERE shared_id = shared_contents.id)',
  );
  const insertAttachment = db.prepare<AttachmentRow & { message_seq: number; position: number }>(
    `INSERT INTO attachments (message_seq, position, filename, content_type, content_id, size_bytes, content, image_seq)
     VALUES (:message_seq, :position, :filename, :content_type, :content_id, :size_bytes, :content, :image_seq)`,
  );
  const insertRecipient = db.prepare<[number, string, RecipientField, Status, number, 0 | 1]>(
    'INSERT INTO recipients (message_seq, address, field, status, updated_at, is_untracked) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const bySeq = db.prepare<[number], MessageRow>('SELECT * FROM messages WHERE seq = ?');
  const byId = db.prepare<[string], MessageRow>('SELECT * FROM messages WHERE id = ?');
  const campaignId = db.prepare<[number], string>('SELECT id FROM campaigns WHERE seq = ?').pluck();
  const campaignSeq = db.prepare<[string], number>('SELECT seq FROM campaigns WHERE id = ?').pluck();
  const bySubmittedMessageId = db.prepare<[string, number], MessageRow>(
    `SELECT * FROM (SELECT * FROM messages WHERE source = 'smtp' AND internet_message_id = ?
     ORDER BY seq DESC LIMIT ?) ORDER BY seq`,
  );
  const body = db.prepare<[number], StoredBody>(
    `SELECT text, html, sealed, headers_json, calendar_json, parts_json, shared_id, data_json
     FROM message_bodies WHERE message_seq = ?`,
  );
  const shared = db.prepare<[number], SharedRow>(
    'SELECT text, html, data_json FROM shared_contents WHERE id = ?',
  );
  const removed = db.prepare<[number, number], RemovedParts>(
    `SELECT NOT EXISTS (SELECT 1 FROM message_bodies WHERE message_seq = ?) AS content,
       EXISTS (SELECT 1 FROM removed_attachments WHERE message_seq = ?) AS attachments`,
  );
  const attachments = db.prepare<[number], AttachmentRow>(
    `SELECT ${ATTACHMENT} FROM attachments WHERE message_seq = ? ORDER BY position`,
  );
  const attachmentRecords = db.prepare<[number], Omit<AttachmentRow, 'content'>>(
    'SELECT filename, content_type, content_id, size_bytes FROM attachments WHERE message_seq = ? ORDER BY position',
  );
  const attachment = db.prepare<[number, number], AttachmentRow>(
    `SELECT ${ATTACHMENT} FROM attachments
     WHERE message_seq = ? AND position = ?`,
  );
  const recipients = db.prepare<[number], RecipientRow>(
    'SELECT * FROM recipients WHERE message_seq = ? ORDER BY id',
  );
  const recipient = db.prepare<[number], RecipientRow>('SELECT * FROM recipients WHERE id = ?');
  const updateRecipient = db.prepare<RecipientResult>(
    `UPDATE recipients SET status = :status, attempts = :attempts, smtp_code = :smtp_code,
     enhanced_code = :enhanced_code, diagnostic = :diagnostic, upstream = :upstream, updated_at = :updated_at
     WHERE id = :id`,
  );
  const recipientStatuses = db
    .prepare<[number], Status>('SELECT status FROM recipients WHERE message_seq = ?')
    .pluck();
  const setStatus = db.prepare<[Status, number, number]>(
    'UPDATE recipients SET status = ?, updated_at = ? WHERE id = ?',
  );
  const updateStatus = db.prepare<[Status, number, number]>(
    'UPDATE messages SET status = ?, updated_at = ? WHERE seq = ?',
  );
  const updateStatusOfOne = db.prepare<{ seq: number; id: number; status: Status; now: number }>(
    `UPDATE messages SET status = :status, updated_at = :now
     WHERE seq = :seq AND NOT EXISTS (SELECT 1 FROM recipients WHERE message_seq = :seq AND id <> :id)`,
  );

  const updateSchedule = db.prepare<[scheduledAt: number, decisions: string, now: number, seq: number]>(
    'UPDATE messages SET scheduled_at = ?, decisions_json = ?, updated_at = ? WHERE seq = ?',
  );

  const divisionOf = db.prepare<[number], KnownDivision>(
    'SELECT route_id, project_id, source, token_id FROM messages WHERE seq = ?',
  );
  /** A message never changes these. */
  const knownDivision = rememberedBy(db, (seq: number) => divisionOf.get(seq));
  const handOver = createHandOver<NewMessage>(db);

  /** Called after a change of that recipient: a message that has no other one has its status. */
  const followStatus = (seq: number, id: number, status: Status, now: number): void => {
    handOver.remove(seq);
    if (updateStatusOfOne.run({ seq, id, status, now }).changes === 0)
      updateStatus.run(messageStatus(recipientStatuses.all(seq)), now, seq);
  };

  return {
    /** Hands a message over to the relay. False where there is no room. */
    handOver: (rows: NewMessage): boolean => handOver.put(rows.message.seq, sizeOf(rows), rows),
    /** Takes back all that was handed over: nothing of the tenant leaves for now. */
    clearHandOver: handOver.clear,
    /**
     * What was handed over of the message, for one of its recipients, and only once for each. Undefined where it was not, or
     * something of the message has changed since.
     */
    takeHandedOver: (
      seq: number,
      recipientId: number,
    ): (NewMessage & { recipient: RecipientRow }) | undefined => {
      const rows = handOver.get(seq);
      const recipient = rows?.recipients.get(recipientId);
      if (!rows || !recipient) return undefined;
      rows.recipients.delete(recipientId);
      if (rows.recipients.size === 0) handOver.remove(seq);
      return { ...rows, recipient };
    },
    divisionOf: (seq: number): KnownDivision | undefined => knownDivision(seq),
    /** Returns the number of the new message in its tenant's file. */
    insert: (row: NewMessageRow, { shared, ...body }: NewBody): number => {
      const seq = Number(insertMessage.run(row).lastInsertRowid);
      const { route_id, project_id, source, token_id } = row;
      knownDivision.know(seq, { route_id, project_id, source, token_id });
      const where = shared && { text: null, html: null, shared_id: shared.id };
      insertBody.run({
        ...body,
        shared_id: null,
        ...where,
        data_json: shared && JSON.stringify(shared.data),
        message_seq: seq,
      });
      return seq;
    },
    /** Stores content that later messages share. Returns its id. */
    insertShared: ({ text, html, data }: SharedContent, now: number): number =>
      Number(insertShared.run(text, html, JSON.stringify(data), now).lastInsertRowid),
    /** Content that no message uses is removed after a while. */
    hasShared: (id: number): boolean => hasShared.get(id) !== undefined,
    /** Removes shared content that no message uses. */
    removeUnusedShared: (id: number): void => {
      removeUnusedShared.run(id);
    },
    insertAttachment: (message_seq: number, position: number, row: AttachmentRow) => {
      const { image_seq = null, content } = row;
      const own = image_seq === null ? content : NO_CONTENT;
      insertAttachment.run({ ...row, message_seq, position, image_seq, content: own });
    },
    insertRecipient: (
      message_seq: number,
      address: string,
      field: RecipientField,
      status: Status,
      now: number,
      is_untracked: 0 | 1 = 0,
    ): RecipientRow => ({
      id: Number(insertRecipient.run(message_seq, address, field, status, now, is_untracked).lastInsertRowid),
      message_seq,
      address,
      field,
      status,
      attempts: 0,
      smtp_code: null,
      enhanced_code: null,
      diagnostic: null,
      upstream: null,
      updated_at: now,
      is_untracked,
    }),
    bySeq: (seq: number): MessageRow | undefined => bySeq.get(seq),
    byId: (id: string): MessageRow | undefined => byId.get(id),
    campaignId: (seq: number): string | null => campaignId.get(seq) ?? null,
    campaignSeq: (id: string): number | undefined => campaignSeq.get(id),
    /** The newest messages that were submitted by SMTP with that Message-ID (with angle brackets), in their order. */
    bySubmittedMessageId: (messageId: string): MessageRow[] =>
      bySubmittedMessageId.all(messageId, MAX_OF_ONE_MESSAGE_ID),
    body: (seq: number): BodyRow | undefined => {
      const row = body.get(seq);
      if (!row || row.shared_id === null) return row;
      const content = shared.get(row.shared_id);
      if (!content) throw new Error(`shared content ${row.shared_id} is missing`);
      return mergedBody(row, content);
    },
    removed: (seq: number): RemovedParts => removed.get(seq, seq) ?? { content: 1, attachments: 0 },
    attachments: (seq: number): AttachmentRow[] => attachments.all(seq),
    attachmentRecords: (seq: number): Omit<AttachmentRow, 'content'>[] => attachmentRecords.all(seq),
    attachment: (seq: number, position: number): AttachmentRow | undefined => attachment.get(seq, position),
    recipients: (seq: number): RecipientRow[] => recipients.all(seq),
    recipient: (id: number): RecipientRow | undefined => recipient.get(id),
    /** Changes only a recipient's status, and that of its message with it. */
    setRecipientStatus: (messageSeq: number, id: number, status: Status, now: number): void => {
      setStatus.run(status, now, id);
      followStatus(messageSeq, id, status, now);
    },
    /** Sets the time of sending, and the verdicts of the gates on it. */
    setSchedule: (seq: number, scheduledAt: number, decisionsJson: string, now: number): void => {
      handOver.remove(seq);
      updateSchedule.run(scheduledAt, decisionsJson, now, seq);
    },
    /** Changes a recipient, and its message's status with it. */
    updateRecipient: (messageSeq: number, result: RecipientResult): void => {
      updateRecipient.run(result);
      followStatus(messageSeq, result.id, result.status, result.updated_at);
    },
  };
});
