// Stores an accepted message in the transaction that decided on it: its row, body and attachments, its recipients, the
// queue, the events and the counters.

import { isCounted, monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import type { LegalBlock } from '#src/accounts/tenants/legal.ts';
import { missingLegal } from '#src/accounts/tenants/legal.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { languageOf } from '#src/content/language.ts';
import { eventStore } from '#src/events/store.ts';
import { suppressionData } from '#src/feedback/suppressions/change.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { type Lane, laneOf } from '#src/kernel/stream.ts';
import { addressDomain } from '#src/mail/address.ts';
import { imagesIn } from '#src/mail/copy-links.ts';
import { FOOT } from '#src/mail/document/look.ts';
import { imageStore } from '#src/messages/image-store.ts';
import { delicateKinds, kinds } from '#src/messages/kinds.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import type { Status } from '#src/messages/rules.ts';
import { packDecisions } from '#src/messages/schema.ts';
import { sealContent } from '#src/messages/sealed-content.ts';
import type { MessageFooter, MessageSettings } from '#src/messages/settings.ts';
import { messageStore, type NewBody, type NewMessage, type RecipientRow } from '#src/messages/store.ts';
import type { Draft } from './draft.ts';
import type { Evaluation } from './evaluate.ts';
import type { Facts } from './gate.ts';

/** What is known of a message beside its evaluation. */
interface Identity {
  readonly id: string;
  readonly source: string;
  /** Header fields of the service's own mail; such a message is kept sealed. Null: a sender's message. */
  readonly ownHeaders: Draft['headers'] | null;
  readonly contentKey: SealingKey;
  /** The campaign whose mail it is. */
  readonly campaignSeq: number | null;
  /** The API token by which it comes. */
  readonly tokenId: string | null;
}

export interface Stored {
  readonly seq: number;
  readonly status: Status;
  readonly lane: Lane;
  /** When it is due; null where nothing of it goes out. */
  readonly dueAt: number | null;
  /** When it would be due if its token were not slowed. */
  readonly elseDueAt: number;
  /** Octets that nothing needs any more once the file has them. */
  readonly unused: readonly Uint8Array[];
}

export const givenLegal = (legal: Facts['legal']): Partial<LegalBlock> =>
  Object.fromEntries(Object.entries(legal).filter(([, value]) => value !== null));

const footerOf = (draft: Draft, facts: Facts, isOwn: boolean): MessageFooter => {
  const { kind, stream } = facts;
  return {
    language: languageOf(draft),
    unsubscribe: facts.unsubscribe,
    powered_by: !isOwn && facts.plan?.name === 'test' && !delicateKinds.has(kind),
    legal:
      // A letter of the practice says whose it is, as its paper would.
      (stream === 'marketing' && missingLegal(facts).length === 0) || draft.html?.includes(FOOT)
        ? { name: facts.practiceName, ...givenLegal(facts.legal) }
        : null,
  };
};

/** Octets of what the sender gave: it measures the queue's memory, not the size on the wire. */
const sizeOf = ({ text, html, attachments }: Draft): number =>
  Buffer.byteLength(text ?? '') +
  Buffer.byteLength(html ?? '') +
  attachments.reduce((sum, { content }) => sum + content.length, 0);

const bodyOf = (draft: Draft, { id, ownHeaders, contentKey }: Identity): NewBody => {
  const { text, html, headers, shared } = draft;
  const more = {
    calendar_json: draft.calendar && JSON.stringify(draft.calendar),
    parts_json: draft.parts === undefined ? null : JSON.stringify(draft.parts),
  };
  if (ownHeaders === null)
    return { text, html, sealed: null, headers_json: JSON.stringify(headers), ...more, shared };
  const headers_json = JSON.stringify([...headers, ...ownHeaders]);
  return { ...sealContent(contentKey, id, { text, html }), headers_json, ...more, shared: null };
};

const NO_CONTENT = Buffer.alloc(0);

/** The rows of the message, its body and its attachments, as they were inserted. */
const insertMessage = (
  db: TenantDb,
  { draft, projectId, route, facts, result }: Evaluation,
  identity: Identity,
  status: Status,
): Pick<NewMessage, 'message' | 'body' | 'attachments'> => {
  const { id, source, ownHeaders, campaignSeq, tokenId } = identity;
  const settings: MessageSettings = {
    plain_text_fallback: draft.settings.plain_text_fallback === true,
    track_opens: draft.settings.track_opens === true,
    track_clicks: draft.settings.track_clicks === true,
    footer: footerOf(draft, facts, ownHeaders !== null),
  };
  const row = {
    id,
    internet_message_id: draft.messageId ?? `<${id}@${addressDomain(facts.from.address)}>`,
    project_id: projectId,
    route_id: route.id,
    message_kind: facts.kind,
    channel: kinds[facts.kind].channel,
    source,
    from_json: JSON.stringify(facts.from),
    to_json: JSON.stringify((draft.shown ?? draft).to),
    cc_json: JSON.stringify((draft.shown ?? draft).cc),
    bcc_json: JSON.stringify(draft.bcc),
    reply_to_json: JSON.stringify(draft.replyTo),
    subject: draft.subject,
    tag: draft.tags[0] ?? null,
    tags_json: JSON.stringify(draft.tags),
    metadata_json: JSON.stringify(draft.metadata),
    settings_json: JSON.stringify(settings),
    decisions_json: packDecisions(result.verdicts),
    status,
    score: facts.content?.score ?? null,
    size_bytes: sizeOf(draft),
    scheduled_at: draft.scheduledAt,
    created_at: facts.now,
    updated_at: facts.now,
    campaign_seq: campaignSeq,
    template_id: draft.templateId ?? null,
    token_id: tokenId,
  };
  const body = bodyOf(draft, identity);
  const seq = messageStore(db).insert(row, body);
  const attachments = draft.attachments.map(
    ({ filename, contentType, contentId, content, isSigned, imageSeq }) => ({
      filename,
      content_type: contentType,
      content_id: contentId,
      size_bytes: content.length,
      content: isSigned ? NO_CONTENT : content,
      image_seq: imageSeq ?? null,
    }),
  );
  for (const [position, attachment] of attachments.entries())
    messageStore(db).insertAttachment(seq, position, attachment);
  return { message: { ...row, seq, is_pseudonymous: 0 }, body, attachments };
};

/** The images that it links to are kept as long as it may be read. Most practices have none, and pay nothing for it. */
export const keepImages = (db: TenantDb, html: string | null, now: number): void => {
  if (html === null || !imageStore(db).any()) return;
  for (const id of imagesIn(html)) imageStore(db).touch(id, now);
};

const count = (
  db: TenantDb,
  { projectId, route, facts }: Evaluation,
  source: string,
  dueAt: number,
): void => {
  const { mails, now, kind, stream, from } = facts;
  if (mails === 0) return;
  const today = utcDay(now);
  const counters = counterStore(db);
  if (isCounted(source)) {
    counters.addAccepted(today, { route_id: route.id, project_id: projectId }, mails);
    counters.addToChannel(today, projectId, kinds[kind].channel, mails);
  }
  const isFromOwnDomain = addressDomain(from.address) !== tenantStore(db).practice().managed_host;
  counters.addUsage(monthOf(now).name, mails, isFromOwnDomain);
  counters.addVolume(utcDay(dueAt), stream, mails);
};

export const storeMessage = (db: TenantDb, evaluation: Evaluation, identity: Identity): Stored => {
  const { draft, facts, result } = evaluation;
  const { now } = facts;
  const lane = laneOf[facts.stream];
  const isLater = draft.scheduledAt !== null && draft.scheduledAt > now;
  const waiting: Status = result.blocked ? 'failed' : isLater ? 'pending' : 'queued';
  const all = (['to', 'cc', 'bcc'] as const).flatMap((field) =>
    draft[field].map(({ address }) => ({ field, address, isSuppressed: result.suppressed.has(address) })),
  );
  const goesOut = !result.blocked && all.some(({ isSuppressed }) => !isSuppressed);
  const status: Status = goesOut || result.blocked ? waiting : 'suppressed';
  const elseDueAt = Math.max(draft.scheduledAt ?? now, result.heldUntil ?? 0, now);
  const dueAt = Math.max(elseDueAt, result.slowedUntil ?? 0);
  const size = sizeOf(draft);
  const messages = messageStore(db);
  const events = eventStore(db);
  const inserted = insertMessage(db, evaluation, identity, status);
  const { seq } = inserted.message;
  if (draft.shared === null) keepImages(db, draft.html, now);
  const recipients = new Map<number, RecipientRow>();
  if (goesOut) {
    // A waiting message may be given another time, and then its row no longer says how it began.
    const data = waiting === 'pending' ? { data: { status: waiting } } : {};
    events.append({ type: 'message.created', messageSeq: seq, recipientId: null, at: now, ...data });
  }
  for (const { field, address, isSuppressed } of all) {
    const itsStatus = isSuppressed && !result.blocked ? 'suppressed' : waiting;
    const isUntracked = evaluation.untracked.has(address) ? 1 : 0;
    const recipient = messages.insertRecipient(seq, address, field, itsStatus, now, isUntracked);
    const recipientId = recipient.id;
    const suppression = facts.suppressed.get(address);
    if (itsStatus === 'suppressed')
      events.append({
        type: 'message.suppressed',
        messageSeq: seq,
        recipientId,
        at: now,
        ...(suppression ? { data: suppressionData(db, address, suppression) } : {}),
      });
    else if (itsStatus !== 'failed') {
      queueStore(db).enqueue({ recipientId, messageSeq: seq, lane, dueAt, size, now });
      recipients.set(recipientId, recipient);
    }
  }
  const octets = draft.attachments.filter(({ isOwn }) => isOwn).map(({ content }) => content);
  const isHandedOver =
    goesOut &&
    dueAt === now &&
    messages.handOver({
      ...inserted,
      recipients,
      files: { octets, copies: recipients.size },
      suppressionVersion: suppressionStore(db).version(),
    });
  if (result.blocked) {
    const data = { content_reasons: facts.content?.findings.map(({ id }) => id) ?? [] };
    for (const type of ['message.failed', 'message.content_blocked'] as const)
      events.append({ type, messageSeq: seq, recipientId: null, at: now, data });
  }
  if (goesOut) count(db, evaluation, identity.source, dueAt);
  return { seq, status, lane, dueAt: goesOut ? dueAt : null, elseDueAt, unused: isHandedOver ? [] : octets };
};
