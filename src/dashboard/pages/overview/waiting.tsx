// What waits to be sent, since when, and why.
import type { PracticeQueue, QueueLane } from '#api';
import { Card, Time } from '#dashboard/parts/basics.tsx';
import { ago, plural, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const Lane = ({ lane }: { readonly lane: QueueLane }) => {
  const w = translated(words);
  const { stream, waiting, reason, next_attempt_at: nextAt, upstream_retry_at: retryAt } = lane;
  const at = reason === 'upstream' ? retryAt : reason === 'retry' || reason === 'scheduled' ? nextAt : null;
  return (
    <li>
      {w.streams[stream]}: {plural(waiting, w.reasons[reason])}.
      {at && (
        <span class="quiet">
          {' '}
          {w.nextTry}: <Time at={at} relative />.
        </span>
      )}
    </li>
  );
};

export const Waiting = ({ queue }: { readonly queue: PracticeQueue }) => {
  const w = translated(words);
  const { waiting, oldest_since: since, lanes } = queue;
  if (waiting === 0) return null;
  return (
    <Card title={w.waiting}>
      <p>
        <strong>{w.waits(waiting, since && ago(since))}</strong>
      </p>
      <ul>
        {lanes.map((lane) => (
          <Lane key={lane.stream} lane={lane} />
        ))}
      </ul>
    </Card>
  );
};
