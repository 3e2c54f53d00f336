// The form that makes and changes a webhook.
import type { CreateWebhookBody, Webhook, WebhookEvent } from '#api';
import { useAction } from '#dashboard/data.ts';
import { eventNames } from '#dashboard/event-names.ts';
import { EventChoice } from '#dashboard/parts/followers.tsx';
import { Form, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { may } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const deliverable = (): readonly WebhookEvent[] =>
  eventNames.filter((name) => name !== 'inbound.received' || may('inbound.view'));

/** What people call its fields. */
export const webhookNames = () => {
  const w = translated(words);
  return { name: w.name, url: w.address, events: w.events, inbound_mail: w.inboundMail };
};

export const WebhookForm = ({
  webhook,
  submit,
  onSubmit,
}: {
  /** Absent: a new one. */
  readonly webhook?: Webhook;
  readonly submit: string;
  readonly onSubmit: (body: CreateWebhookBody) => Promise<unknown>;
}) => {
  const w = translated(words);
  const { fields, field } = useFields({
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    events: webhook?.events ?? ([] as readonly WebhookEvent[]),
    inbound_mail: webhook?.inbound_mail ?? 'small',
  });
  const action = useAction(() => onSubmit(fields as CreateWebhookBody));
  return (
    <Form action={action} submit={submit}>
      <TextField label={w.name} hint={w.nameHint} required {...field('name')} />
      <TextField
        label={w.address}
        hint={w.urlHint}
        type="url"
        required
        placeholder="https://example.org/hooks/mail"
        {...field('url')}
      />
      <EventChoice label={w.events} events={deliverable()} {...field('events')} />
      {fields.events.includes('inbound.received') && may('messages.view_content') && (
        <SelectField
          label={w.inboundMail}
          options={{ small: w.small, whole: w.whole }}
          {...field('inbound_mail')}
        />
      )}
    </Form>
  );
};
