// Who and what may send: a token for software, an invitation for a person.
import { useState } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { toast } from '#dashboard/parts/feedback.tsx';
import { Form, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { Secret } from '#dashboard/parts/secret.tsx';
import { roleNames } from '#dashboard/role-names.ts';
import { may } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import type { StepProps } from './step-props.ts';
import { words } from './words/de.ts';

const Token = ({ of, onChanged }: StepProps) => {
  const w = translated(words);
  const [name, setName] = useState('');
  const [secret, setSecret] = useState<string>();
  const action = useAction(async () => {
    const body = { name: name.trim(), scope: 'team' } as const;
    const { token } = await call('POST /api/practices/{id}/api-tokens', { id: of.id, body });
    setSecret(token);
    setName('');
  });
  return (
    <section>
      <h3>{w.token}</h3>
      <p class="quiet">{w.tokenText}</p>
      <Form action={action} submit={w.createToken}>
        <TextField label={w.tokenName} path="name" value={name} onValue={setName} required />
      </Form>
      <Secret
        title={w.tokenTitle}
        secret={secret}
        onClose={() => {
          setSecret(undefined);
          onChanged();
        }}
      />
    </section>
  );
};

const Invite = ({ of, onChanged }: StepProps) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields({ email: '', role_id: 'member' });
  const { owner, admin, member, viewer } = roleNames();
  const action = useAction(async () => {
    const body = { ...fields, email: fields.email.trim() };
    await call('POST /api/practices/{id}/members', { id: of.id, body });
    setFields({ ...fields, email: '' });
    toast(w.invited);
    onChanged();
  });
  return (
    <section>
      <h3>{w.invite}</h3>
      <p class="quiet">{w.inviteText}</p>
      <Form action={action} submit={w.inviteButton}>
        <TextField label={w.email} type="email" required {...field('email')} />
        <SelectField label={w.role} options={{ owner, admin, member, viewer }} {...field('role_id')} />
      </Form>
    </section>
  );
};

export const Access = (props: StepProps) => (
  <div class="columns">
    {may('tokens.manage') && <Token {...props} />}
    {may('members.manage') && <Invite {...props} />}
  </div>
);
