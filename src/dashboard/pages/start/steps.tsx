// Who sends, a message to oneself, and the domain.
import { useState } from 'preact/hooks';
import type { AcceptedMessage } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Note, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { account, may } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import type { StepProps } from './step-props.ts';
import { words } from './words/de.ts';

export const Legal = ({ of, onChanged }: StepProps) => {
  const w = translated(words);
  const { street, city, privacy_url } = of.legal;
  const { fields, field } = useFields({
    street: street ?? '',
    city: city ?? '',
    privacy_url: privacy_url ?? '',
  });
  const action = useAction(async () => {
    const body = {
      street: fields.street.trim(),
      city: fields.city.trim(),
      privacy_url: fields.privacy_url.trim(),
    };
    const over = {
      record: of,
      fields: ({ legal }: StepProps['of']) => legal,
      names: { street: w.street, city: w.city, privacy_url: w.privacyUrl },
      take: onChanged,
    };
    await call('PATCH /api/practices/{id}/compliance', { id: of.id, body }, { over });
    toast(w.savedShort);
    onChanged();
  });
  return (
    <>
      <p>{w.legalText}</p>
      <Form action={action} submit={w.saveAndNext}>
        <TextField label={w.street} autoComplete="street-address" required {...field('street')} />
        <TextField label={w.city} required {...field('city')} />
        <TextField
          label={w.privacyUrl}
          type="url"
          placeholder="https://"
          required
          {...field('privacy_url')}
        />
      </Form>
    </>
  );
};

export const TestMessage = ({ of, isDone, onChanged }: StepProps) => {
  const w = translated(words);
  const [to, setTo] = useState(account.value?.email ?? '');
  const [sent, setSent] = useState<AcceptedMessage>();
  const action = useAction(async () => {
    const body = { kind: 'quality', to: to.trim() } as const;
    setSent(await call('POST /api/practices/{id}/send-test', { id: of.id, body }));
    onChanged();
  });
  return (
    <>
      <p>{w.testText(of.default_from)}</p>
      {of.safe_mode && <p class="quiet">{w.safeMode}</p>}
      {isDone && sent === undefined && <Note kind="good">{w.testDone}</Note>}
      <Form action={action} submit={w.sendTest}>
        <TextField label={w.to} path="to" type="email" value={to} onValue={setTo} required />
      </Form>
      <div role="status">
        {sent && (
          <Note kind="good">
            {w.testSent} <a href={`/app/${of.id}/post/${sent.id}`}>{w.seeTest}</a>
          </Note>
        )}
      </div>
    </>
  );
};

export const Domain = ({ of }: StepProps) => {
  const w = translated(words);
  const { pending_domain: pending, domain_kind: kind, domain } = of;
  return (
    <>
      {pending === null ? (
        <Note kind="good">{kind === 'managed' ? w.managed(domain) : w.custom(domain)}</Note>
      ) : (
        <Note kind="warn">{w.pending(pending)}</Note>
      )}
      {kind === 'managed' && pending === null && <p>{w.ownDomain}</p>}
      {may('domain.manage') && (
        <p class="actions">
          <a class="button" href={`/app/${of.id}/domain`}>
            {kind === 'managed' && pending === null ? w.attachOwnDomain : w.records}
          </a>
        </p>
      )}
    </>
  );
};
