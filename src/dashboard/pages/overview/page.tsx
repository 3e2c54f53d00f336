// How it goes: what to do next, what needs a look, what became of the mail, and the last messages. At most six requests.
import type { MessageSummary, Onboarding, Overview as Report } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useData, useGathered } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Badge, Card, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { allDays } from '#dashboard/parts/chart.tsx';
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
import { LookFirst } from './look-first.tsx';
import { Outcomes, WINDOWS } from './outcomes.tsx';
import { compared } from './trend.ts';
import { Waiting } from './waiting.tsx';
import { words } from './words/de.ts';

const LAST_MAILS = 5;
/** Who does not pay for the plan sees it from this share on. */
const NEARLY_USED = 0.7;
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
  if (plan.used === null || (!may('billing.manage') && (plan.share ?? 0) < NEARLY_USED)) return null;
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
  const filters = useFilters();
  const days = WINDOWS.find((one) => String(one) === filters.values.days) ?? WINDOWS[1];
  const data = useData(
    async (abort) => {
      const [report, rates, onboarding, queue, held, mails] = await Promise.all([
        call('GET /api/practices/{id}/overview', { id }, { abort }),
        call('GET /api/practices/{id}/rates', { id, days: 2 * days }, { abort }),
        // The steps are for who sets up.
        may('practice.manage') ? call('GET /api/practices/{id}/onboarding', { id }, { abort }) : undefined,
        seesMail ? call('GET /api/practices/{id}/queue', { id }, { abort }) : undefined,
        seesMail ? call('GET /api/practices/{id}/held-mail', { id }, { abort }) : undefined,
        seesMail
          ? call('GET /api/practices/{id}/messages/search', { id, limit: LAST_MAILS }, { abort })
          : undefined,
      ]);
      return { report, rates, onboarding, queue, held, mails };
    },
    [id, days],
  );
  useLive(useGathered(data.reload, CALM_MS), data.reload);
  return (
    <>
      <Head title={w.pages.overview} intro={data.value && w.intro(data.value.report.domain.default_from)} />
      <Loaded data={data} lines={12}>
        {({ report, rates, onboarding, queue, held, mails }) => (
          <>
            <PauseNote id={id} pause={report.sending.pause} onResumed={data.reload} />
            {held && <HeldNote id={id} held={held} onDone={data.reload} />}
            {onboarding && <NextStep id={id} onboarding={onboarding} />}
            <div class="columns">
              <LookFirst
                id={id}
                failing={report.dns.failing.length}
                watched={rates.routes.filter(({ guardrail }) => guardrail?.state === 'watch').length}
                sum={compared(allDays(rates), rates.days / 2).now}
              />
              {queue && <Waiting queue={queue} />}
            </div>
            <Outcomes
              id={id}
              rates={rates}
              filters={filters}
              days={rates.days / 2}
              mails={mails?.data ?? []}
            />
            {mails && <LastMails id={id} mails={mails.data} />}
            <Plan id={id} plan={report.plan} />
          </>
        )}
      </Loaded>
    </>
  );
};

export default Overview;
