// The first run of a practice: one step at a time, beginning with the first that is not done. The service knows what is done, so
// the way goes on where it was left, also in another browser.
import type { FunctionComponent } from 'preact';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useData } from '#dashboard/data.ts';
import { useLive } from '#dashboard/live.ts';
import { Card, Head, LinkButton } from '#dashboard/parts/basics.tsx';
import { Empty, Loaded } from '#dashboard/parts/feedback.tsx';
import { type FirstStep, type FirstStepId, firstSteps } from '#dashboard/parts/first-steps.ts';
import { may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { Access } from './access.tsx';
import { GoLive } from './go-live.tsx';
import type { StepProps } from './step-props.ts';
import { Domain, Legal, TestMessage } from './steps.tsx';
import { words } from './words/de.ts';

const steps: Readonly<Record<FirstStepId, FunctionComponent<StepProps>>> = {
  legal: Legal,
  test: TestMessage,
  domain: Domain,
  access: Access,
  live: GoLive,
};
/** Any of them takes the step. */
const needs: Readonly<Record<FirstStepId, readonly string[]>> = {
  legal: ['practice.manage'],
  test: ['messages.send'],
  domain: [],
  access: ['tokens.manage', 'members.manage'],
  live: ['stats.view'],
};

const Way = ({ all, present }: { readonly all: readonly FirstStep[]; readonly present: string }) => {
  const w = translated(words);
  const { href } = useFilters();
  return (
    <nav class="way" aria-label={w.title}>
      <ol>
        {all.map(({ id, isDone }) => (
          <li key={id} class={isDone ? 'done' : undefined}>
            <a href={href({ step: id })} aria-current={id === present ? 'step' : undefined}>
              {w.steps[id]}
              {isDone && <span class="hidden"> ({w.done})</span>}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
};

const Step = ({
  all,
  id,
  of,
  onChanged,
}: { readonly all: readonly FirstStep[]; readonly id: FirstStepId } & Omit<StepProps, 'isDone'>) => {
  const w = translated(words);
  const { href } = useFilters();
  const at = all.findIndex((step) => step.id === id);
  const following = all[at + 1];
  const isDone = all[at]?.isDone ?? false;
  const Content = steps[id];
  const isAllowed = needs[id].length === 0 || needs[id].some(may);
  return (
    <Card title={w.steps[id]} actions={<span class="quiet">{w.stepOf(at + 1, all.length)}</span>}>
      {isAllowed ? <Content of={of} isDone={isDone} onChanged={onChanged} /> : <p>{w.notYours}</p>}
      {isDone && following && (
        <p class="actions end">
          <a class="button" href={href({ step: following.id })}>
            {w.next}: {w.steps[following.id]}
          </a>
        </p>
      )}
    </Card>
  );
};

const Start = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { values, set } = useFilters();
  const data = useData(
    async (abort) => {
      const [of, onboarding] = await Promise.all([
        call('GET /api/practices/{id}', { id }, { abort }),
        call('GET /api/practices/{id}/onboarding', { id }, { abort }),
      ]);
      return { of, steps: firstSteps(onboarding) };
    },
    [id],
  );
  useLive(({ event }) => {
    if (event.startsWith('message.')) data.reload();
  }, data.reload);
  return (
    <>
      <Head title={w.title} intro={w.intro} />
      <Loaded data={data}>
        {({ of, steps: all }) => {
          const chosen = all.find((step) => step.id === values.step);
          const present = chosen ?? all.find(({ isDone }) => !isDone);
          return (
            <>
              <Way all={all} present={present?.id ?? ''} />
              {present === undefined ? (
                <Empty
                  title={w.finished}
                  text={w.finishedText}
                  action={<LinkButton text={w.toOverview} kind="primary" href={`/app/${id}/overview`} />}
                />
              ) : (
                <Step
                  key={present.id}
                  all={all}
                  id={present.id}
                  of={of}
                  onChanged={() => {
                    // What follows is shown, whatever was chosen before; a message sent and a token stay to be looked at.
                    const isOver = present.id === 'legal' || present.id === 'live';
                    set({ step: isOver ? '' : present.id }, 'replace');
                    data.reload();
                  }}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
};

export default Start;
