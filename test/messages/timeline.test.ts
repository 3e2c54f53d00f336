import { expect, test } from 'vitest';
import type { EventType } from '#src/events/catalogue.ts';
import type { EventData } from '#src/events/store.ts';
import { presentTimeline } from '#src/messages/timeline.ts';

type RecordedEvent = readonly [type: EventType, recipient: string | null, data?: EventData];
const NOW = { created_at: 0, scheduled_at: null };
const own = { attempt: 1, diagnostic: '250 2.0.0 OK' };

/** Each as `recipient status (detail)`. */
const timeline = (
  recorded: readonly RecordedEvent[],
  message: Parameters<typeof presentTimeline>[0] = NOW,
): string[] => {
  const events = recorded.map(([type, recipient, data], seq) => ({
    seq,
    id: String(seq),
    type,
    recipient,
    inbound_id: type === 'inbound.received' ? 'reply' : null,
    at: seq,
    data_json: data ? JSON.stringify(data) : null,
  }));
  return presentTimeline(message, events).data.map(
    ({ status, recipient, inbound_id, detail }) =>
      `${recipient ?? '*'} ${status ?? inbound_id}${detail === null ? '' : ` (${detail})`}`,
  );
};
const created: RecordedEvent = ['message.created', null];

const rows: readonly (readonly [
  name: string,
  recorded: readonly RecordedEvent[],
  expected: readonly string[],
])[] = [
  [
    'sent, delivered, opened and clicked, each recipient by itself',
    [
      created,
      ['message.sent', 'a', own],
      ['message.sent', 'b', own],
      ['message.delivered', 'a', { via: 'dsn', rule: 'dsn' }],
      ['message.opened', 'b', { bot: false }],
      ['message.clicked', 'a', { url: 'https://example.org' }],
    ],
    [
      '* queued',
      'a processed (250 2.0.0 OK)',
      'b processed (250 2.0.0 OK)',
      'a delivered (dsn)',
      'b opened',
      'a clicked',
    ],
  ],
  [
    'a reply is shown and changes nothing',
    [
      created,
      ['message.sent', 'a', own],
      ['inbound.received', 'a'],
      ['message.sent', 'a', own],
      ['inbound.received', null],
    ],
    ['* queued', 'a processed (250 2.0.0 OK)', 'a reply', '* reply'],
  ],
  [
    'opens and clicks of machines change nothing',
    [
      created,
      ['message.sent', 'a', own],
      ['message.opened', 'a', { bot: true }],
      ['message.clicked', 'a', { bot: true }],
    ],
    ['* queued', 'a processed (250 2.0.0 OK)'],
  ],
  [
    'signals that arrive twice or late change nothing',
    [
      created,
      ['message.delivery_delayed', 'a', { attempt: 1, diagnostic: '451 later' }],
      ['message.delivery_delayed', 'a', { attempt: 2, diagnostic: '451 later' }],
      ['message.sent', 'a', { attempt: 3 }],
      ['message.opened', 'a'],
      ['message.opened', 'a'],
      ['message.delivered', 'a', { via: 'dsn' }],
    ],
    ['* queued', 'a delivery_delayed (451 later)', 'a processed', 'a opened'],
  ],
  [
    'a delay reported after the hand-over, and its replacement',
    [
      created,
      ['message.delivered', 'a', { attempt: 1 }],
      ['message.delivery_delayed', 'a', { via: 'dsn' }],
      ['message.delivered', 'a', { via: 'dsn' }],
    ],
    ['* queued', 'a delivered', 'a delivery_delayed', 'a delivered'],
  ],
  [
    'one unsubscription with three events',
    [created, ['message.unsubscribed', 'a'], ['suppression.added', 'a'], ['message.subscription', 'a']],
    ['* queued', 'a unsubscribed'],
  ],
  [
    'a bounce with the words of the other side, and one with its rule alone',
    [
      created,
      ['message.hard_bounced', 'a', { diagnostic: '550 5.1.1 unknown', rule: 'unknown-user' }],
      ['message.soft_bounced', 'b', { rule: 'mailbox-full' }],
    ],
    ['* queued', 'a hard_bounced (550 5.1.1 unknown)', 'b soft_bounced (mailbox-full)'],
  ],
  [
    'blocked content fails the whole message once',
    [
      ['message.failed', null, { content_reasons: ['x'] }],
      ['message.content_blocked', null, { content_reasons: ['x'] }],
    ],
    ['* failed'],
  ],
];

test.each(rows)('%s', (_, recorded, expected) => {
  expect(timeline(recorded)).toEqual(expected);
});

test('a suppression says why', () => {
  const suppression = {
    id: '1',
    address: 'a',
    scope: 'team',
    project_id: null,
    route_id: null,
    project_slug: null,
    route_slug: null,
    reason: 'complaint',
  };
  expect(timeline([created, ['message.suppressed', 'a', { suppression }]])).toEqual([
    '* queued',
    'a suppressed (complaint)',
  ]);
});

test('a scheduled message begins as pending', () => {
  const later = { created_at: 0, scheduled_at: 1 };
  expect(timeline([created, ['message.sent', 'a', own]], later)[0]).toBe('* pending');
  expect(timeline([created], { created_at: 1, scheduled_at: 1 })).toEqual(['* queued']);
});
