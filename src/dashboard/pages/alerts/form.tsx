// The form that makes and changes an alert.
import type { Alert, AlertEvent, CreateAlertBody } from '#api';
import { useAction } from '#dashboard/data.ts';
import { eventNames } from '#dashboard/event-names.ts';
import { EventChoice } from '#dashboard/parts/followers.tsx';
import { Form, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { may } from '#dashboard/session.ts';
import { language, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** Opens and clicks are no matter for a chat. */
const reportable = (): readonly AlertEvent[] =>
  eventNames.filter(
    (name): name is AlertEvent =>
      name !== 'message.opened' &&
      name !== 'message.clicked' &&
      (name !== 'inbound.received' || may('inbound.view')),
  );
const NEW: readonly AlertEvent[] = ['message.hard_bounced', 'message.spam_complaint', 'message.failed'];

export const AlertForm = ({
  alert,
  submit,
  onSubmit,
}: {
  /** Absent: a new one. */
  readonly alert?: Alert;
  readonly submit: string;
  readonly onSubmit: (body: CreateAlertBody) => Promise<unknown>;
}) => {
  const w = translated(words);
  const { fields, field } = useFields({
    name: alert?.name ?? '',
    kind: alert?.kind ?? 'slack',
    url: '',
    events: alert?.events ?? NEW,
    language: alert?.language ?? language.value,
  });
  const action = useAction(() =>
    onSubmit({
      ...fields,
      kind: alert ? undefined : fields.kind,
      url: fields.url || undefined,
    } as CreateAlertBody),
  );
  return (
    <Form action={action} submit={submit}>
      <TextField label={w.name} required {...field('name')} />
      {!alert && <SelectField label={w.kind} options={w.kinds} {...field('kind')} />}
      <TextField
        label={w.address}
        hint={alert ? w.urlKept : w.urlHint}
        type="url"
        required={!alert}
        optional={alert !== undefined}
        placeholder={alert?.url}
        {...field('url')}
      />
      <EventChoice label={w.events} events={reportable()} {...field('events')} />
      <SelectField label={w.language} options={w.languages} {...field('language')} />
    </Form>
  );
};
