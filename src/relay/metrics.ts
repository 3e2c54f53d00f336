// What the relay says of itself in numbers: attempts and their ends, upstreams, the queue, and how long a delivery takes.
import { type Metric, readMetric, timed } from '#src/kernel/metrics.ts';
import { type Lane, laneOf, streams } from '#src/kernel/stream.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import type { TenantLane } from './due-heap.ts';
import type { UpstreamState } from './upstreams.ts';

const breakerStates = ['closed', 'half_open', 'open'] as const;
const DURATIONS_MS = [
  ...[SECOND / 10, SECOND / 4, SECOND / 2, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND],
  ...[MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY, 3 * DAY],
];

export const deliveryDuration = () =>
  timed(
    {
      name: 'sendwerk_delivery_duration_seconds',
      help: 'From the acceptance of a message, or the time that was asked for, to the 250 of the upstream, for each recipient.',
      buckets: DURATIONS_MS.map((ms) => ms / SECOND),
    },
    { stream: streams },
  );

interface QueueFacts {
  readonly queued: () => readonly (TenantLane & { readonly dueAt: number })[];
  readonly inFlight: () => Readonly<Record<Lane, number>>;
}

export const relayMetrics = (
  states: () => readonly UpstreamState[],
  { queued, inFlight }: QueueFacts,
  now: () => number,
): Metric[] => [
  readMetric({
    kind: 'counter',
    name: 'sendwerk_attempts_total',
    help: 'Attempts to give the copy of one recipient to an upstream: accepted, deferred (tried again), bounced (refused for good) or upstream_failure (its own, which costs the message nothing). Mail to the simulator is not counted.',
    labels: ['upstream', 'outcome'],
    read: () =>
      states().flatMap(({ upstream, outcomes }) =>
        Object.entries(outcomes).map(
          ([outcome, count]) => [count, { upstream: upstream.name, outcome }] as const,
        ),
      ),
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_upstream_breaker_state',
    help: '1 for the state that the breaker of the upstream is in, 0 for the others: closed works, open is set aside, half_open may be tried once.',
    labels: ['upstream', 'state'],
    read: () =>
      states().flatMap(({ upstream, state }) =>
        breakerStates.map((one) => [one === state ? 1 : 0, { upstream: upstream.name, state: one }] as const),
      ),
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_queue_in_flight',
    help: 'Recipients whose copies are on their way to an upstream, with the places kept for those that are just being claimed.',
    labels: ['stream'],
    read: () => streams.map((stream) => [inFlight()[laneOf[stream]], { stream }] as const),
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_queue_practices',
    help: 'Practices of which mail waits in the queue, not the mails: due waits for a place or for an upstream, later has a time that is still to come (another attempt, a schedule, a pause).',
    labels: ['stream', 'state'],
    read: () => {
      const at = now();
      const all = queued();
      return streams.flatMap((stream) => {
        const mine = all.filter((one) => one.lane === laneOf[stream]);
        const due = mine.filter(({ dueAt }) => dueAt <= at).length;
        return [
          [due, { stream, state: 'due' }],
          [mine.length - due, { stream, state: 'later' }],
        ] as const;
      });
    },
  }),
  readMetric({
    kind: 'gauge',
    name: 'sendwerk_queue_oldest_due_seconds',
    help: 'For how long the mail that has been due longest has waited for its next attempt; 0 where none is due. It counts from when the attempt was due, not from acceptance.',
    labels: ['stream'],
    read: () => {
      const at = now();
      const all = queued();
      return streams.map((stream) => {
        const times = all.filter((one) => one.lane === laneOf[stream]).map(({ dueAt }) => dueAt);
        return [
          Math.max(0, at - times.reduce((least, one) => Math.min(least, one), at)) / SECOND,
          { stream },
        ] as const;
      });
    },
  }),
];
