// Whether mail leaves, by which upstream, and who waits, loaded again all the while.
import type { QueueLane, WaitingPractice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useRefreshed } from '#dashboard/data.ts';
import { Card, Head, Lamp, Time } from '#dashboard/parts/basics.tsx';
import { Loaded } from '#dashboard/parts/feedback.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { number, translated } from '#dashboard/words.ts';
import { UpstreamCard } from './upstream.tsx';
import { words } from './words/de.ts';

const EVERY_MS = 3_000;

interface Waiting {
  readonly practice: WaitingPractice;
  /** Absent: its data cannot be read. */
  readonly lane?: QueueLane;
}

const lanesOf = (practice: WaitingPractice): readonly Waiting[] =>
  practice.queue ? practice.queue.lanes.map((lane) => ({ practice, lane })) : [{ practice }];

const isStuck = ({ reason }: QueueLane): boolean => reason === 'upstream' || reason === 'paused';

const WaitingTable = ({ practices }: { readonly practices: readonly WaitingPractice[] }) => {
  const w = translated(words);
  const rows = practices.flatMap(lanesOf);
  if (rows.length === 0) return <p class="quiet">{w.nothing}</p>;
  return (
    <Table<Waiting>
      caption={w.waitingTitle}
      rows={rows}
      rowKey={({ practice, lane }) => `${practice.id} ${lane?.stream}`}
      href={({ practice }) => `/app/${practice.id}/post`}
      columns={[
        { head: w.practice, isMain: true, cell: ({ practice }) => practice.name ?? practice.id },
        { head: w.lane, cell: ({ lane }) => (lane ? w.streams[lane.stream] : '–') },
        {
          head: w.why,
          cell: ({ lane }) => (
            <Lamp
              tone={!lane || isStuck(lane) ? 'bad' : lane.reason === 'retry' ? 'warn' : 'plain'}
              text={lane ? w.reasons[lane.reason] : w.unreadable}
            />
          ),
        },
        { head: w.oldest, cell: ({ lane }) => <Time at={lane?.oldest_since ?? null} relative /> },
        { head: w.next, cell: ({ lane }) => <Time at={lane?.next_attempt_at ?? null} relative /> },
        { head: w.mails, align: 'end', cell: ({ lane }) => (lane ? number(lane.waiting) : '–') },
      ]}
    />
  );
};

const QueuesPage = () => {
  const w = translated(words);
  const queues = useRefreshed((abort) => call('GET /api/admin/queues', {}, { abort }), EVERY_MS);
  return (
    <>
      <Head title={w.pages['operator/queues']} intro={w.intro} />
      <Loaded data={queues}>
        {({ in_flight, waiting_practices, queued_practices, upstreams, practices }) => (
          <>
            <p class="quiet">
              {w.overall(number(in_flight), number(waiting_practices), number(queued_practices))}
            </p>
            <div class="columns">
              {upstreams.map((upstream) => (
                <UpstreamCard key={upstream.name} upstream={upstream} onChange={queues.reload} />
              ))}
            </div>
            <Card title={w.waitingTitle}>
              <WaitingTable practices={practices} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
};

export default QueuesPage;
