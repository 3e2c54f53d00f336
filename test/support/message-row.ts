// A row of a message as accepting one writes it, for those who fill a practice's file without accepting.
import { newId } from '#src/kernel/id.ts';
import type { NewBody, NewMessageRow as NewMessage } from '#src/messages/store.ts';

/** Transactional and queued, to one address, from the host of `from`. */
export const messageRow = (
  fields: Partial<NewMessage> &
    Pick<NewMessage, 'project_id' | 'route_id'> & {
      readonly from?: string;
      readonly to: readonly { readonly address: string; readonly name?: string }[];
      readonly at: number;
    },
): NewMessage => {
  const { from = 'noreply@praxis.send.example.com', to, at, ...row } = fields;
  const id = newId();
  return {
    id,
    internet_message_id: `<${id}@${from.split('@')[1]}>`,
    message_kind: 'transactional',
    channel: 'transactional',
    source: 'api',
    from_json: JSON.stringify({ address: from, name: 'Praxis' }),
    to_json: JSON.stringify(to),
    cc_json: '[]',
    bcc_json: '[]',
    reply_to_json: '[]',
    subject: 'Ihr Termin',
    token_id: null,
    tag: null,
    tags_json: '[]',
    metadata_json: '{}',
    settings_json: '{"plain_text_fallback":true}',
    decisions_json: '[]',
    status: 'queued',
    score: null,
    size_bytes: 1_000,
    scheduled_at: null,
    created_at: at,
    updated_at: at,
    campaign_seq: null,
    template_id: null,
    ...row,
  };
};

export const textBody = (text: string | null): NewBody => ({
  text,
  html: null,
  sealed: null,
  headers_json: '[]',
  calendar_json: null,
  parts_json: null,
  shared: null,
});
