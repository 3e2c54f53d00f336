// The plan: its use, what else there is, and the way to the payment provider's own pages.
import { useEffect, useState } from 'preact/hooks';
import type { Billing as Bill } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Button, Card, Facts, Head, Time } from '#dashboard/parts/basics.tsx';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextArea, TextField, useFields } from '#dashboard/parts/form.tsx';
import { PlanUse } from '#dashboard/parts/plan-use.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { planNames } from '#dashboard/plans.ts';
import { account, practice } from '#dashboard/session.ts';
import { language, number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type Plan = Bill['plans'][number];
type WaitedFor = 'termin' | 'praxis' | 'gruppe';

/** Until the provider has reported a payment that was just made. */
const CONFIRM_MS = 2_000;

const euro = (amount: number): string =>
  new Intl.NumberFormat(language.value, {
    style: 'currency',
    currency: 'EUR',
    maximumFractionDigits: 0,
  }).format(amount);

const WaitForm = ({ plan, onDone }: { readonly plan: WaitedFor; readonly onDone: () => void }) => {
  const w = translated(words);
  const { fields, field } = useFields({ email: account.value?.email ?? '', note: '' });
  const action = useAction(async () => {
    const body = { ...fields, note: fields.note || undefined, plan, name: practice.value?.name };
    await call('POST /api/public/waitlist', { body });
    toast(w.waiting);
    onDone();
  });
  return (
    <Form action={action} submit={w.wait}>
      <p>{w.waitText(planNames[plan])}</p>
      <TextField label={w.email} type="email" required {...field('email')} />
      <TextArea label={w.message} rows={3} optional {...field('note')} />
    </Form>
  );
};

const Plans = ({ id, bill }: { readonly id: string; readonly bill: Bill }) => {
  const w = translated(words);
  const [waitedFor, setWaitedFor] = useState<WaitedFor>();
  const checkout = useAction(async ({ plan }: Plan) => {
    const { url } = await call('POST /api/practices/{id}/billing/checkout', { id, body: { plan } });
    location.assign(url);
  });
  const way = (row: Plan) => {
    const { plan, by } = row;
    if (plan === bill.plan) return <strong>{w.yours}</strong>;
    if (by === 'default') return w.toDefault;
    if (by === 'operator') return w.ask;
    const act = by === 'checkout' ? () => void checkout.run(row) : () => setWaitedFor(plan as WaitedFor);
    return (
      <button
        type="button"
        class={by === 'checkout' ? 'primary small' : 'small'}
        disabled={checkout.isRunning}
        onClick={act}
      >
        {by === 'checkout' ? w.checkout : w.wait}
        <span class="hidden"> {planNames[plan]}</span>
      </button>
    );
  };
  return (
    <Card title={w.plans}>
      <p class="quiet">{bill.provider === 'none' ? w.noProvider : w.leaves}</p>
      <ErrorNote error={checkout.error} />
      <Table
        caption={w.plans}
        rows={bill.plans}
        rowKey={({ plan }) => plan}
        columns={[
          { head: w.plan, isMain: true, cell: ({ plan }) => planNames[plan] },
          { head: w.mails, align: 'end', cell: ({ monthly_cap }) => number(monthly_cap) },
          {
            head: w.price,
            align: 'end',
            cell: ({ euro_per_month: amount }) =>
              amount === null ? w.agreed : amount === 0 ? w.free : w.euro(euro(amount)),
          },
          { head: w.way, align: 'end', cell: way },
        ]}
      />
      <Dialog title={w.wait} isOpen={waitedFor !== undefined} onClose={() => setWaitedFor(undefined)}>
        {waitedFor && <WaitForm plan={waitedFor} onDone={() => setWaitedFor(undefined)} />}
      </Dialog>
    </Card>
  );
};

const Subscription = ({
  id,
  of,
}: {
  readonly id: string;
  readonly of: NonNullable<Bill['subscription']>;
}) => {
  const w = translated(words);
  const portal = useAction(async () => {
    const { url } = await call('POST /api/practices/{id}/billing/portal', { id });
    location.assign(url);
  });
  const when = (at: string | null) => at && <Time at={at} />;
  return (
    <Card
      title={w.subscription}
      actions={<Button text={w.portal} disabled={portal.isRunning} onClick={() => void portal.run()} />}
    >
      <ErrorNote error={portal.error} />
      <Facts
        facts={[
          [w.status, w.statuses[of.status]],
          [w.since, when(of.since)],
          [w.paidUntil, when(of.current_period_end)],
          [w.cancelsAt, when(of.cancels_at)],
          [w.graceUntil, when(of.grace_until)],
        ]}
      />
    </Card>
  );
};

/** Who comes back from paying waits here until the service knows of it. */
const Paid = ({ isKnown, look }: { readonly isKnown: boolean; readonly look: () => void }) => {
  const w = translated(words);
  useEffect(() => {
    if (isKnown) return;
    const timer = setInterval(look, CONFIRM_MS);
    return () => clearInterval(timer);
  }, [isKnown]);
  return (
    <div role="status">
      <Note kind={isKnown ? 'good' : 'plain'}>{isKnown ? w.confirmed : w.confirming}</Note>
    </div>
  );
};

const Billing = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { values } = useFilters();
  const data = useAnswer('GET /api/practices/{id}/billing', { id });
  return (
    <>
      <Head title={w.pages.billing} intro={w.intro} />
      <Loaded data={data}>
        {(bill) => (
          <>
            {values.paid !== undefined && (
              <Paid isKnown={bill.subscription?.status === 'active'} look={data.reload} />
            )}
            <Card title={w.present(planNames[bill.plan])}>
              <PlanUse used={bill.used} cap={bill.monthly_cap} resetsAt={bill.resets_at} />
            </Card>
            {bill.subscription && <Subscription id={id} of={bill.subscription} />}
            <Plans id={id} bill={bill} />
          </>
        )}
      </Loaded>
    </>
  );
};

export default Billing;
