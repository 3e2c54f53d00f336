// How it goes: what to do next, what is paused or waits, how much of the plan is used, what became of the mail.
import type { MessageSummary, Onboarding, Overview as Report } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useData, useGathered } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Badge, Card, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { Loaded } from '#dashboard/parts/feedback.tsx';
import { firstSteps } from '#dashboard/parts/first-steps.ts';
import { PauseNote } from '#dashboard/parts/pause.tsx';
import { PlanUse } from '#dashboard/parts/plan-use.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { planNames } from '#dashboard/plans.ts';
import { may, practice } from '#dashboard/session.ts';
import { statusNames, toneOf } from '#dashboard/statuses.ts';
import { translated } from '#dashboard/words.ts';
import { HeldNote } from './held.tsx';
import { Outcomes } from './outcomes.tsx';
import { Waiting } from './waiting.tsx';
import { words } from './words/de.ts';

const LAST_MAILS = 5;
/** While mail moves, the page is loaded again at most this often. */
const CALM_MS = 2_000;

const NextStep = ({ id, onboarding }: { readonly id: string; readonly onboarding: Onboarding }) => {
  const w = translated(words);
  const steps = firstSteps(onboarding);
  const next = steps.find(({ isDone }) => !isDone);
  if (next === undefined) return null;
  const [title, text] = w.steps[next.id];
  return (
    <section class="card next">
      <p class="quiet">
        {w.next} · {w.progress(steps.filter(({ isDone }) => isDone).length, steps.length)}
      </p>
      <h2>{title}</h2>
      <p>{text}</p>
      <p class="actions">
        <LinkButton text={w.go} kind="primary" href={`/app/${id}/start`} />
      </p>
    </section>
  );
};

const Plan = ({ id, plan }: { readonly id: string; readonly plan: Report['plan'] }) => {
  const w = translated(words);
  if (plan.used === null) return null;
  return (
    <Card
      title={w.plan(planNames[plan.plan])}
      actions={may('billing.manage') && <a href={`/app/${id}/billing`}>{w.toPlan}</a>}
    >
      <PlanUse used={plan.used} cap={plan.monthly_cap} resetsAt={plan.resets_at} />
    </Card>
  );
};

const LastMails = ({ id, mails }: { readonly id: string; readonly mails: readonly MessageSummary[] }) => {
  const w = translated(words);
  if (mails.length === 0) return null;
  return (
    <Card title={w.last} actions={<a href={`/app/${id}/post`}>{w.all}</a>}>
      <Table
        caption={w.last}
        rows={mails}
        href={(row) => `/app/${id}/post/${row.id}`}
        columns={[
          { head: w.to, isMain: true, cell: ({ to: [first] }) => first?.name || first?.address || '–' },
          { head: w.subject, cell: ({ subject }) => subject || w.noSubject },
          {
            head: w.status,
            cell: ({ status }) => <Badge tone={toneOf(status)}>{statusNames()[status]}</Badge>,
          },
          { head: w.time, align: 'end', cell: ({ created_at }) => <Time at={created_at} relative /> },
        ]}
      />
    </Card>
  );
};

const Overview = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const seesMail = may('messages.view');
  const data = useData(
    async (abort) => {
      const [report, onboarding, queue, held, mails] = await Promise.all([
        call('GET /api/practices/{id}/overview', { id }, { abort }),
        call('GET /api/practices/{id}/onboarding', { id }, { abort }),
        seesMail ? call('GET /api/practices/{id}/queue', { id }, { abort }) : undefined,
        seesMail ? call('GET /api/practices/{id}/held-mail', { id }, { abort }) : undefined,
        seesMail
          ? call('GET /api/practices/{id}/messages/search', { id, limit: LAST_MAILS }, { abort })
          : undefined,
      ]);
      return { report, onboarding, queue, held, mails };
    },
    [id],
  );
  useLive(useGathered(data.reload, CALM_MS), data.reload);
  return (
    <>
      <Head title={w.pages.overview} intro={data.value && w.intro(data.value.report.domain.default_from)} />
      <Loaded data={data} lines={12}>
        {({ report, onboarding, queue, held, mails }) => (
          <>
            <PauseNote id={id} pause={report.sending.pause} onResumed={data.reload} />
            {held && <HeldNote id={id} held={held} onDone={data.reload} />}
            <NextStep id={id} onboarding={onboarding} />
            <div class="columns">
              <Plan id={id} plan={report.plan} />
              {queue && <Waiting queue={queue} />}
            </div>
            <Outcomes id={id} />
            {mails && <LastMails id={id} mails={mails.data} />}
          </>
        )}
      </Loaded>
    </>
  );
};

export default Overview;
