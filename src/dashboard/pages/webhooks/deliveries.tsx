// The deliveries of a webhook; failed ones can be replayed.
import { useState } from 'preact/hooks';
import type { Delivery } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { usePages } from '#dashboard/data.ts';
import { Card, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Empty, toast } from '#dashboard/parts/feedback.tsx';
import { TextField } from '#dashboard/parts/form.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { localTime, number } from '#dashboard/words.ts';
import { DeliveryBadge, DeliveryDialog, deliveryStatuses } from './delivery.tsx';
import { webhookWords } from './words.ts';

const columns = (): readonly Column<Delivery>[] => {
  const w = webhookWords();
  return [
    { id: 'event', head: w.event, cell: ({ event }) => event, isMain: true },
    { id: 'status', head: w.status, cell: ({ status }) => <DeliveryBadge status={status} /> },
    {
      id: 'answer',
      head: w.answer,
      cell: ({ response_status, error }) => response_status ?? <span lang="en">{error ?? '–'}</span>,
    },
    { id: 'attempts', head: w.attempts, cell: ({ attempts }) => number(attempts), align: 'end' },
    { id: 'next', head: w.next, cell: ({ next_attempt_at }) => <Time at={next_attempt_at} relative /> },
    {
      id: 'created',
      head: w.created,
      cell: ({ created_at }) => <Time at={created_at} seconds />,
      align: 'end',
    },
  ];
};

const DAY_MS = 86_400_000;

export const Deliveries = ({
  id,
  webhookID,
  turn,
  onReplay,
}: {
  readonly id: string;
  readonly webhookID: string;
  readonly turn: number;
  readonly onReplay: () => void;
}) => {
  const w = webhookWords();
  const { values, set, href } = useFilters();
  const status = deliveryStatuses.find((one) => one === values.status);
  const [since, setSince] = useState(() => localTime(Date.now() - DAY_MS));
  const [until, setUntil] = useState('');
  const pages = usePages(
    (cursor, abort) =>
      call(
        'GET /api/practices/{id}/webhooks/{webhookID}/deliveries',
        { id, webhookID, status, cursor },
        { abort },
      ),
    [id, webhookID, status, turn],
  );
  const replayAll = async (): Promise<void> => {
    const body = {
      since: new Date(since).toISOString(),
      until: until === '' ? undefined : new Date(until).toISOString(),
    };
    let count = 0;
    for (let more = true; more; ) {
      const answer = await call('POST /api/practices/{id}/webhooks/{webhookID}/replay', {
        id,
        webhookID,
        body,
      });
      count += answer.replayed;
      more = answer.more && answer.replayed > 0;
    }
    toast(w.replayedAll(count));
    onReplay();
  };
  return (
    <Card
      title={w.deliveries}
      actions={
        <>
          <button type="button" onClick={onReplay}>
            {w.reload}
          </button>
          <Confirm
            button={w.replayAll}
            text={
              <>
                <TextField
                  label={w.since}
                  type="datetime-local"
                  path="since"
                  required
                  value={since}
                  onValue={setSince}
                />
                <TextField
                  label={w.until}
                  hint={w.untilHint}
                  type="datetime-local"
                  path="until"
                  optional
                  value={until}
                  onValue={setUntil}
                />
              </>
            }
            confirm={w.replay}
            onConfirm={replayAll}
          />
        </>
      }
    >
      <Tabs
        label={w.status}
        present={status ?? ''}
        tabs={[
          { id: '', text: w.all, href: href({ status: '' }) },
          ...deliveryStatuses.map((one) => ({ id: one, text: w.statuses[one], href: href({ status: one }) })),
        ]}
      />
      <PagedTable
        caption={w.list}
        columns={columns()}
        pages={pages}
        rowKey={(row) => row.id}
        href={(row) => href({ delivery: row.id })}
        empty={<Empty title={w.empty} text={w.emptyText} />}
      />
      {values.delivery && (
        <DeliveryDialog
          id={id}
          webhookID={webhookID}
          deliveryID={values.delivery}
          onClose={() => set({ delivery: '' }, 'replace')}
          onChange={onReplay}
        />
      )}
    </Card>
  );
};
