// The form that makes a token.
import type { CreateApiTokenBody, Project } from '#api';
import { useAction } from '#dashboard/data.ts';
import { Form, named, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const TEAM = '';

export const TokenForm = ({
  projects,
  onSubmit,
}: {
  readonly projects: readonly Project[];
  readonly onSubmit: (body: CreateApiTokenBody) => Promise<unknown>;
}) => {
  const w = translated(words);
  const { fields, field } = useFields({ name: '', scope: TEAM, expires_at: '', allowed_addresses: '' });
  const action = useAction(() => {
    const { name, scope, expires_at: expires } = fields;
    const [first, ...others] = fields.allowed_addresses.split(/[\s,]+/).filter(Boolean);
    return onSubmit({
      name,
      ...(scope === TEAM ? { scope: 'team' } : { scope: 'project', project_id: scope }),
      expires_at: expires === '' ? undefined : new Date(expires).toISOString(),
      allowed_addresses: first === undefined ? undefined : [first, ...others],
    });
  });
  return (
    <Form action={action} submit={w.createToken}>
      <TextField label={w.name} hint={w.nameHint} required {...field('name')} />
      <SelectField
        label={w.scope}
        options={{
          [TEAM]: w.team,
          ...named(
            projects
              .filter(({ archived_at }) => archived_at === null)
              .map(({ id, name }) => ({ id, name: w.projectOf(name) })),
          ),
        }}
        {...field('scope')}
      />
      <TextField
        label={w.expires}
        hint={w.expiresHint}
        type="datetime-local"
        optional
        {...field('expires_at')}
      />
      <TextField label={w.networks} hint={w.networksHint} optional {...field('allowed_addresses')} />
    </Form>
  );
};
