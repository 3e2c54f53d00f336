// What the operator does with one practice: plan, approval, safe mode, pause, owner.
import type { ComponentChildren } from 'preact';
import type { OperatorPractice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Facts, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { toast } from '#dashboard/parts/feedback.tsx';
import { Form, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { planNames } from '#dashboard/plans.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export type Readable = Exclude<OperatorPractice, { unavailable: true }>;

interface StepProps {
  readonly submit: string;
  readonly act: () => Promise<unknown>;
  readonly kind?: 'danger';
  readonly children: ComponentChildren;
}

const Step = ({ act, ...form }: StepProps) => (
  <section class="step">
    <Form action={useAction(act)} {...form} />
  </section>
);

export const Manage = ({ row, onDone }: { readonly row: Readable; readonly onDone: () => void }) => {
  const w = translated(words);
  const { id, name } = row;
  const { fields, field } = useFields({ plan: row.plan, reason: '', email: '' });
  const { plan, reason, email } = fields;
  const then = (work: Promise<unknown>): Promise<void> =>
    work.then(() => {
      toast(w.done(name));
      onDone();
    });
  return (
    <>
      <Facts
        facts={[
          [w.domain, row.domain],
          [w.owners, row.owners.join(', ') || w.noOwner],
          [w.members, row.members],
          [w.approval, w.approvals[row.approval]],
          [w.created, <Time key="created" at={row.created_at} />],
        ]}
      />
      <p class="actions">
        <LinkButton text={w.openAsOperator} href={`/app/${id}`} />
        <LinkButton text={w.capturedMails} href={`/app/${id}/captures`} />
        <LinkButton text={w.pages.tokens} href={`/app/${id}/tokens`} />
        <LinkButton text={w.audit} href={`/app/${id}/audit`} />
      </p>
      <Step
        submit={w.savePlan}
        act={() => then(call('POST /api/practices/{id}/plan', { id, body: { plan } }))}
      >
        <SelectField label={w.plan} options={planNames} {...field('plan')} />
      </Step>
      {row.approval !== 'not_needed' && (
        <Step
          submit={row.approval === 'waiting' ? w.approve : w.withdraw}
          act={() =>
            then(
              call('POST /api/practices/{id}/approval', {
                id,
                body: { approved: row.approval === 'waiting' },
              }),
            )
          }
        >
          <p class="hint">{w.approveText}</p>
        </Step>
      )}
      <Step
        submit={row.safe_mode ? w.safeOff : w.safeOn}
        act={() =>
          then(call('POST /api/practices/{id}/safe-mode', { id, body: { enabled: !row.safe_mode } }))
        }
      >
        <p class="hint">{w.safeText}</p>
      </Step>
      {row.status === 'paused' ? (
        <Step submit={w.resume} act={() => then(call('POST /api/practices/{id}/resume', { id }))}>
          <p class="hint">{w.resumeText}</p>
        </Step>
      ) : (
        <Step
          submit={w.pause}
          kind="danger"
          act={() => then(call('POST /api/practices/{id}/pause', { id, body: { reason } }))}
        >
          <p class="hint">{w.pauseText}</p>
          <TextField label={w.reason} hint={w.reasonHint} required {...field('reason')} />
        </Step>
      )}
      <Step
        submit={w.makeOwner}
        act={() => then(call('POST /api/practices/{id}/owners', { id, body: { email } }))}
      >
        <TextField label={w.email} hint={w.ownerText} type="email" required {...field('email')} />
      </Step>
    </>
  );
};
