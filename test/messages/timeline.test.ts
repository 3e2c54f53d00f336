import { expect, test } from 'vitest';
import type { EventType } from '#src/events/catalogue.ts';
import type { EventData } from '#src/events/store.ts';
import { presentTimeline } from '#src/messages/timeline.ts';

type Told = readonly [type: EventType, recipient: string | null, data?: EventData];
const NOW = { created_at: 0, scheduled_at: null };
const own = { attempt: 1, diagnostic: '250 2.0.0 OK' };

/** Each as `recipient status (detail)`. */
const timeline = (told: readonly Told[], message: Parameters<typeof presentTimeline>[0] = NOW): string[] => {
  const events = told.map(([type, recipient, data], seq) => ({
    seq,
    id: String(seq),
    type,
    recipient,
    at: seq,
    data_json: data ? JSON.stringify(data) : null,
  }));
  return presentTimeline(message, events).data.map(
    ({ status, recipient, detail }) =>
      `${recipient ?? '*'} ${status}${detail === null ? '' : ` (${detail})`}`,
  );
};
const created: Told = ['message.created', null];

const rows: readonly (readonly [name: string, told: readonly Told[], expected: readonly string[]])[] = [
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
    'what machines opened and followed changes nothing',
    [
      created,
      ['message.sent', 'a', own],
      ['message.opened', 'a', { bot: true }],
      ['message.clicked', 'a', { bot: true }],
    ],
    ['* queued', 'a processed (250 2.0.0 OK)'],
  ],
  [
    'what comes twice or late changes nothing',
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
    'a delay told of after the hand-over, and what replaces it',
    [
      created,
      ['message.delivered', 'a', { attempt: 1 }],
      ['message.delivery_delayed', 'a', { via: 'dsn' }],
      ['message.delivered', 'a', { via: 'dsn' }],
    ],
    ['* queued', 'a delivered', 'a delivery_delayed', 'a delivered'],
  ],
  [
    'one unsubscription, of which three events tell',
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
    'content that was blocked fails the whole message once',
    [
      ['message.failed', null, { content_reasons: ['x'] }],
      ['message.content_blocked', null, { content_reasons: ['x'] }],
    ],
    ['* failed'],
  ],
];

test.each(rows)('%s', (_, told, expected) => {
  expect(timeline(told)).toEqual(expected);
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

test('what is due later begins as pending', () => {
  const later = { created_at: 0, scheduled_at: 1 };
  expect(timeline([created, ['message.sent', 'a', own]], later)[0]).toBe('* pending');
  expect(timeline([created], { created_at: 1, scheduled_at: 1 })).toEqual(['* queued']);
});
