// The button that makes a practice: an owner or administrator of one gets another that is theirs; the operator names owner and plan.
import { useLocation } from 'preact-iso/router';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { planNames } from '#dashboard/plans.ts';
import { account, isOperator, loadAccount } from '#dashboard/session.ts';
import { toast } from './feedback.tsx';
import { Form, SelectField, TextField, useFields } from './form.tsx';
import { FormDialog } from './form-dialog.tsx';
import { partWords } from './words.ts';

const Fields = ({ onDone }: { readonly onDone: () => void }) => {
  const w = partWords().newPractice;
  const { route } = useLocation();
  const { fields, field } = useFields({ name: '', owner_email: '', plan: 'test' as keyof typeof planNames });
  const create = useAction(async () => {
    const { name, plan, owner_email } = fields;
    const body = { name, ...(isOperator.value && { plan, owner_email: owner_email || undefined }) };
    const { id } = await call('POST /api/practices', { body });
    await loadAccount();
    onDone();
    toast(w.created(name));
    route(`/app/${id}`);
  });
  return (
    <Form action={create} submit={w.create}>
      <TextField label={w.name} hint={w.nameHint} required {...field('name')} />
      {isOperator.value && (
        <>
          <TextField label={w.owner} type="email" optional {...field('owner_email')} />
          <SelectField label={w.plan} options={planNames} {...field('plan')} />
        </>
      )}
    </Form>
  );
};

/** Not there for who may make none. */
export const NewPractice = () => {
  const may =
    isOperator.value ||
    account.value?.practices.some(
      ({ status, role }) => status === 'active' && (role.slug === 'owner' || role.slug === 'admin'),
    );
  if (!may) return null;
  return (
    <FormDialog button={partWords().newPractice.title} kind="primary">
      {(close) => <Fields onDone={close} />}
    </FormDialog>
  );
};
