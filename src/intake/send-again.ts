// Sends a message once more: what is stored of it becomes a draft again, and goes the one way in. So it passes every gate as a
// new message does, with the route, the kind and the tracking that it had; it is a message of its own, which names the first one.
import { z } from 'zod';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { addressKey } from '#src/mail/address.ts';
import type { Address, Mailbox } from '#src/mail/mailbox.ts';
import { parseMessage } from '#src/mail/mime-parts.ts';
import { parsedMessage } from '#src/messages/compose/parsed-message.ts';
import { kinds } from '#src/messages/kinds.ts';
import { visibleMessage } from '#src/messages/present.ts';
import type { Invitation } from '#src/messages/settings.ts';
import {
  type AttachmentRow,
  type BodyRow,
  type MessageRow,
  messageStore,
  type RecipientField,
  type RecipientRow,
} from '#src/messages/store.ts';
import type { SignedParts, SubmittedPart } from '#src/messages/submitted-part.ts';
import { accept, SEND_ERRORS } from './accept.ts';
import { type Draft, type DraftAttachment, draftWith, frameOf } from './draft.ts';
import type { PlainSource } from './evaluate.ts';
import { acceptedResult, keyHeaders, keyOf, tokenOf } from './http-send.ts';
import type { IntakeContext } from './intake-context.ts';
import { contentOf } from './mime-body.ts';
import { sendAnswer } from './schema.ts';
import { sendFields } from './send-fields.ts';

const MIB = 1_024 * 1_024;
/** Each is in memory until it is stored. */
const MIB_PER_MINUTE = 300;

/** The key in the metadata of the repetition that has the id of the repeated message. */
const REPEATS = 'repeats_message_id';

interface Stored {
  readonly message: MessageRow;
  readonly body: BodyRow;
  readonly attachments: readonly AttachmentRow[];
  readonly recipients: readonly RecipientRow[];
}

const refusal = (why: Text, hint: Text): AppError<'conflict'> =>
  new AppError('conflict', say`The message cannot be sent again: ${why}.`, { hint });

/** Throws `not_found`, and `conflict` for what is not to leave again. */
const storedMessage = (db: TenantDb, messageId: string, caller: Caller): Stored => {
  const message = visibleMessage(db, messageId, caller);
  const store = messageStore(db);
  const body = store.body(message.seq);
  if (message.source === 'system' || body?.sealed)
    throw refusal(
      say`it is a mail of the service itself`,
      say`Ask for a new one where the first one came from.`,
    );
  if (message.status === 'pending')
    throw refusal(
      say`it still waits for its time`,
      say`Give it another time, or cancel it and send a new one.`,
    );
  if (message.campaign_seq !== null)
    throw refusal(
      say`it is part of a campaign, which asks for the consent of each recipient`,
      say`Send another campaign, or a test of this one.`,
    );
  if (message.message_kind === 'doi')
    throw refusal(
      say`its link confirms a subscription`,
      say`Ask for another confirmation mail: POST /api/practices/{id}/lists/{listID}/subscribers/{subscriberID}/confirmation.`,
    );
  if (!body || message.is_pseudonymous === 1 || store.removed(message.seq).attachments === 1)
    throw refusal(say`it is older than its content is kept`, say`Send a new message.`);
  return {
    message,
    body,
    attachments: store.attachments(message.seq),
    recipients: store.recipients(message.seq),
  };
};

const signedIn = (part: SubmittedPart): SignedParts[] => {
  if ('parts' in part) return part.parts.flatMap(signedIn);
  return 'signed' in part ? [part] : [];
};

/** The files in what was signed, in their order: it is kept as a whole. */
const signedFiles = async (parts: SubmittedPart | undefined): Promise<DraftAttachment[]> => {
  const found: DraftAttachment[] = [];
  for (const { type, signed } of parts ? signedIn(parts) : []) {
    const { root } = await parseMessage(Buffer.from(`Content-Type: ${type}\r\n\r\n${signed}`, 'latin1'));
    found.push(...contentOf(root).attachments);
  }
  return found;
};

const attachmentsOf = async (
  rows: readonly AttachmentRow[],
  parts: SubmittedPart | undefined,
): Promise<DraftAttachment[]> => {
  const signed = await signedFiles(parts);
  return rows.map(({ filename, content_type, content_id, size_bytes, content }) => {
    const kept = content.length < size_bytes ? signed.shift() : undefined;
    return kept ?? { filename, contentType: content_type, contentId: content_id, content };
  });
};

type Recipients = Pick<Draft, 'to' | 'cc' | 'bcc' | 'shown'>;

/** Those of the envelope, with the names that the sender gave them. */
const sameRecipients = ({ message, recipients }: Stored): Recipients => {
  const { to, cc } = parsedMessage(message);
  const named: readonly Mailbox[] = [...to, ...cc, ...JSON.parse(message.bcc_json)];
  const of = (wanted: RecipientField): Mailbox[] =>
    recipients
      .filter(({ field }) => field === wanted)
      .map(({ address }) => named.find((one) => one.address === address) ?? { address: address as Address });
  const all = { to: of('to'), cc: of('cc'), bcc: of('bcc') };
  const isWhole = all.to.length === to.length && all.cc.length === cc.length;
  return isWhole ? all : { ...all, shown: { to, cc } };
};

/** Throws where it may not go to others than it went to. */
const recipientsFor = (
  stored: Stored,
  given: z.output<typeof sendAgainBody>,
  { permissions }: Caller,
): Recipients => {
  if (given?.to === undefined) return sameRecipients(stored);
  const { to } = frameOf({ to: given.to });
  const known = new Set(stored.recipients.map(({ address }) => addressKey(address as Address)));
  if (to.every(({ address }) => known.has(addressKey(address)))) return { to, cc: [], bcc: [] };
  if (kinds[stored.message.message_kind].stream === 'marketing')
    throw refusal(
      say`marketing goes only to who agreed to it`,
      say`Leave \`to\` out, or name recipients that it had.`,
    );
  if (!permissions.has('messages.view_content'))
    throw new AppError('forbidden', say`To send content to others needs the permission to see it.`, {
      extra: { permission: 'messages.view_content' },
    });
  return { to, cc: [], bcc: [] };
};

const draftOf = async (stored: Stored, recipients: Recipients): Promise<Draft> => {
  const { message, body } = stored;
  const { from, replyTo, settings } = parsedMessage(message);
  const { track_opens, track_clicks, plain_text_fallback } = settings;
  const calendar: Invitation | null = body.calendar_json === null ? null : JSON.parse(body.calendar_json);
  const parts: SubmittedPart | undefined = body.parts_json === null ? undefined : JSON.parse(body.parts_json);
  return draftWith({
    ...recipients,
    from,
    replyTo,
    subject: message.subject,
    text: body.text,
    html: body.html,
    route: message.route_id,
    kind: message.message_kind,
    tags: JSON.parse(message.tags_json),
    metadata: { ...JSON.parse(message.metadata_json), [REPEATS]: message.id },
    headers: JSON.parse(body.headers_json),
    attachments: await attachmentsOf(stored.attachments, parts),
    settings: { track_opens, track_clicks, plain_text_fallback },
    calendar: calendar && { uid: message.internet_message_id.slice(1, -1), ...calendar },
    ...(parts === undefined ? {} : { parts }),
  });
};

const sendAgainBody = z
  .strictObject({
    to: sendFields.to
      .optional()
      .describe('instead of its recipients; others than those need `messages.view_content`'),
  })
  .optional()
  .meta({ examples: [{ to: 'erika@example.org' }] });

export const sendAgainRoute = (intake: IntakeContext): Route => {
  const limit = createRateCheck(
    intake.clock,
    () => perMinute(MIB_PER_MINUTE),
    say`Messages are sent again ${MIB_PER_MINUTE} times a minute at most for a practice, large ones less often.`,
  );
  return defineRoute({
    method: 'post',
    path: '/api/practices/{id}/messages/{messageID}/send-again',
    tag: 'Send',
    id: 'sendMessageAgain',
    summary: 'Send a message again',
    description:
      'What is kept of it, as a new message whose metadata names it as `repeats_message_id`: to its recipients, or to others. All that a new message passes is asked again, so a suppressed recipient gets nothing. 409 `conflict` for what waits for its time, for campaigns and confirmation mails, for mails of the service itself, and where content is no longer kept.',
    access: 'messages.send',
    audit: { none: 'a message is its own record' },
    stability: 'stable',
    params: z.strictObject({ id: idSchema.describe('the practice'), messageID: idSchema }),
    headers: keyHeaders,
    body: sendAgainBody,
    responses: { 202: { description: 'It is on the disk and will be sent.', body: sendAnswer } },
    errors: SEND_ERRORS,
    handle: async ({ params: { id, messageID }, body }, context) => {
      const { caller } = context;
      const key = keyOf(undefined, context);
      const { size_bytes } = await intake.files.read(id, (db) => visibleMessage(db, messageID, caller));
      limit(id, Math.max(1, Math.ceil(size_bytes / MIB)));
      const stored = await intake.files.read(id, (db) => storedMessage(db, messageID, caller));
      const draft = await draftOf(stored, recipientsFor(stored, body, caller));
      const request = { send_again: messageID, to: body?.to ?? null };
      const accepted = await accept(intake, {
        tenantId: id,
        tokenId: tokenOf(caller),
        projects: caller.projects,
        projectId: stored.message.project_id,
        // A mail that a person wrote with a mail program is not declared as automatic.
        source: stored.message.source as PlainSource,
        draft,
        idempotency: key === null ? null : { key, request },
      });
      if (accepted.kind === 'accepted') context.noteMade([accepted.answer.id]);
      return acceptedResult(accepted, context.answerLanguage);
    },
  });
};
