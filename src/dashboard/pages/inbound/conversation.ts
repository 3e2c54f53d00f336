// A conversation: the mails of its thread, and the messages of ours that they answer or that answer them.
import type { InboundMessage, InboundMessageSummary, MessageSummary } from '#api';
import { call, Refusal } from '#dashboard/api/call.ts';
import { may } from '#dashboard/session.ts';

/** The key in the metadata of an answer written here of the conversation that it belongs to. */
export const THREAD = 'inbound_thread_id';

export type Part =
  | { readonly at: string; readonly theirs: InboundMessageSummary }
  | { readonly at: string; readonly ours: MessageSummary };

/** The addresses at which its sender wants answers. */
export const answerTo = ({ reply_to = [], from, mail_from }: InboundMessage): string =>
  reply_to.map(({ address }) => address).join(', ') || from?.address || mail_from;

/** Where a thread has more, these are the newest. */
const MOST = 100;
const MOST_ANSWERED = 20;

/** Undefined where it is no longer kept, or is no message of ours. */
const messageOf = (id: string, messageID: string, abort: AbortSignal): Promise<MessageSummary | undefined> =>
  call('GET /api/practices/{id}/messages/{messageID}', { id, messageID }, { abort }).catch((error) => {
    if (error instanceof Refusal && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  });

export const loadConversation = async (
  id: string,
  mail: InboundMessage,
  abort: AbortSignal,
): Promise<readonly Part[]> => {
  const { thread_id, from, mail_from } = mail;
  const person = mail.reply_to?.[0]?.address ?? from?.address ?? mail_from;
  const [theirs, answers] = await Promise.all([
    call('GET /api/practices/{id}/inbound/messages', { id, thread_id, limit: MOST }, { abort }),
    may('messages.view') && person !== ''
      ? call('GET /api/practices/{id}/messages/search', { id, q: person, limit: MOST }, { abort })
      : { data: [] },
  ]);
  const ours = answers.data.filter(({ metadata }) => metadata[THREAD] === thread_id);
  const mails = [...theirs.data.filter((one) => one.id !== mail.id), mail];
  const known = new Set([...mails, ...ours].map((one) => one.id));
  const answered = new Set([thread_id, ...mails.flatMap((one) => one.reply_to_message_id ?? [])]);
  const others = may('messages.view')
    ? await Promise.all(
        [...answered]
          .filter((one) => !known.has(one))
          .slice(0, MOST_ANSWERED)
          .map((one) => messageOf(id, one, abort)),
      )
    : [];
  return [
    ...mails.map((one) => ({ at: one.received_at, theirs: one })),
    ...[...ours, ...others].flatMap((one) => (one ? [{ at: one.created_at, ours: one }] : [])),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
};
