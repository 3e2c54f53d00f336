// One webhook: how it fares, and its deliveries.
import { useState } from 'preact/hooks';
import { call } from '#dashboard/api/call.ts';
import { useAnswer, useData } from '#dashboard/data.ts';
import { Card, Facts, Head, Time } from '#dashboard/parts/basics.tsx';
import { Loaded } from '#dashboard/parts/feedback.tsx';
import { FollowerState, failureOf } from '#dashboard/parts/followers.tsx';
import { practice } from '#dashboard/session.ts';
import { number, percent, translated } from '#dashboard/words.ts';
import { WebhookActions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { words } from './words/de.ts';

export const WebhookPage = ({ webhookID }: { readonly webhookID: string }) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const [turn, setTurn] = useState(0);
  const data = useAnswer('GET /api/practices/{id}/webhooks/{webhookID}', { id, webhookID });
  const health = useData(
    (abort) => call('GET /api/practices/{id}/webhooks/{webhookID}/health', { id, webhookID }, { abort }),
    [id, webhookID, turn],
  );
  const { success_rate, last_success_at, last_error, waiting, oldest_waiting_since } = health.value ?? {};
  return (
    <>
      <Head
        title={data.value?.name ?? w.facts}
        back={{ href: `/app/${id}/webhooks`, text: w.pages.webhooks }}
        actions={
          data.value && (
            <WebhookActions
              id={id}
              webhook={data.value}
              onChange={data.replace}
              onTest={() => setTurn((before) => before + 1)}
            />
          )
        }
      />
      <Loaded data={data} lines={4}>
        {(webhook) => (
          <Card>
            <Facts
              facts={[
                [w.state, <FollowerState key="state" follower={webhook} />],
                [w.lastError, last_error && <span lang="en">{failureOf(last_error)}</span>],
                [w.successRate, success_rate == null ? null : percent(success_rate)],
                [w.lastSuccess, last_success_at && <Time at={last_success_at} seconds />],
                [
                  w.waiting,
                  oldest_waiting_since && (
                    <>
                      {number(waiting ?? 0)}, {w.oldest} <Time at={oldest_waiting_since} relative />
                    </>
                  ),
                ],
                [w.address, <code key="url">{webhook.url}</code>],
                [w.events, <code key="events">{webhook.events.join(', ')}</code>],
                [w.inboundMail, webhook.inbound_mail === 'whole' ? w.whole : null],
                [
                  w.previousUntil,
                  webhook.previous_secret_until && <Time at={webhook.previous_secret_until} />,
                ],
                [w.created, <Time key="created" at={webhook.created_at} />],
              ]}
            />
          </Card>
        )}
      </Loaded>
      {data.value && (
        <Deliveries
          id={id}
          webhookID={webhookID}
          turn={turn}
          onReplay={() => setTurn((before) => before + 1)}
        />
      )}
    </>
  );
};
