// The deliveries of a webhook; failed ones can be replayed.
import type { Delivery } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { usePages } from '#dashboard/data.ts';
import { Button, Card, Tabs, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Empty, toast } from '#dashboard/parts/feedback.tsx';
import { TextField, useFields } from '#dashboard/parts/form.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { localTime, number, translated } from '#dashboard/words.ts';
import { DeliveryBadge, DeliveryDialog, deliveryStatuses } from './delivery.tsx';
import { words } from './words/de.ts';

const columns = (): readonly Column<Delivery>[] => {
  const w = translated(words);
  return [
    { head: w.event, cell: ({ event }) => event, isMain: true },
    { head: w.state, cell: ({ status }) => <DeliveryBadge status={status} /> },
    {
      head: w.answer,
      cell: ({ response_status, error }) => response_status ?? <span lang="en">{error ?? '–'}</span>,
    },
    { head: w.attempts, cell: ({ attempts }) => number(attempts), align: 'end' },
    { head: w.next, cell: ({ next_attempt_at }) => <Time at={next_attempt_at} relative /> },
    { head: w.created, cell: ({ created_at }) => <Time at={created_at} seconds />, align: 'end' },
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
  const w = translated(words);
  const { values, set, href } = useFilters();
  const status = deliveryStatuses.find((one) => one === values.status);
  const { fields, field } = useFields({ since: localTime(Date.now() - DAY_MS), until: '' });
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
      since: new Date(fields.since).toISOString(),
      until: fields.until === '' ? undefined : new Date(fields.until).toISOString(),
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
          <Button text={w.reload} onClick={onReplay} />
          <Confirm
            button={w.replayAll}
            text={
              <>
                <TextField label={w.since} type="datetime-local" required {...field('since')} />
                <TextField
                  label={w.until}
                  hint={w.untilHint}
                  type="datetime-local"
                  optional
                  {...field('until')}
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
        label={w.state}
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
