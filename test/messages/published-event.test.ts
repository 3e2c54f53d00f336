// What followers receive, on a practice's real file: each event caused by what causes it, read back as followers read it.

import { describe, expect, test } from 'vitest';
import { type EventType, eventTypes } from '#src/events/catalogue.ts';
import { type FollowedEvent, followStore } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import { applySignal, applySignals } from '#src/feedback/apply-signal.ts';
import { applyReport } from '#src/feedback/receive.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { addSuppression, onRoute, removeSuppression } from '#src/feedback/suppressions/change.ts';
import { copyOf, unsubscribe } from '#src/feedback/unsubscribe/unsubscribe.ts';
import type { Address } from '#src/mail/mailbox.ts';
import {
  isPublished,
  publishedDataSchema,
  publishedEvent,
  publishedFields,
} from '#src/messages/published-event.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { type Signal, signals } from '#src/messages/rules.ts';
import { messageStore } from '#src/messages/store.ts';
import { testTenantKey } from '#test/support/keys.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { openTenantDb, queueMessage } from '#test/support/storage.ts';

const NOW = 1_764_000_000_000;
const PRACTICE_URL = 'https://mail.example.com/api/practices/p';
const published = (row: FollowedEvent) => publishedEvent(row, PRACTICE_URL);
const deps = {
  suppressionKey: testTenantKey(1),
  simulatorDomain: 'simulator.mail.example.com',
  guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
  softBounces: () => ({ count: 5, days: 30 }),
};
const said: EventData = {
  smtp_code: 250,
  enhanced_code: '2.0.0',
  diagnostic: '250 2.0.0 OK',
  upstream: 'relay',
  attempt: 1,
};

/** One message to one person; `then` is done to them in one transaction each. */
const scene = async () => {
  const tenant = await openTenantDb();
  const { db } = tenant;
  const message = queueMessage(tenant, { now: NOW });
  const recipientId = message.recipientIds[0] ?? 0;
  const person = () => {
    const recipient = messageStore(db).recipient(recipientId);
    if (!recipient) throw new Error('the recipient is gone');
    return recipient;
  };
  const rows = (): FollowedEvent[] => followStore(db).after(0, 1_000);
  const receives = (signal: Signal, data: EventData = {}): void =>
    db.transaction(() => applySignal(db, person(), { signal, data }, deps, NOW))();
  const isSent = (): void => {
    db.transaction(() => {
      applySignals(db, person(), [{ signal: 'accepted', data: said }], deps, NOW);
      queueStore(db).remove(recipientId);
    })();
  };
  const leaves = (extent: 'route' | 'team'): void => {
    const copy = copyOf(db, recipientId);
    if (!copy) throw new Error('no such copy');
    db.transaction(() => unsubscribe(db, copy, { scope: extent }, deps, NOW))();
  };
  const append = (type: EventType, data?: EventData): void =>
    eventStore(db).append({
      type,
      messageSeq: message.seq,
      recipientId: null,
      at: NOW,
      ...(data ? { data } : {}),
    });
  /** Name and status of each event of the message. */
  const statuses = (): string[] =>
    rows()
      .filter(({ message_seq }) => message_seq > 0)
      .map(published)
      .map(({ event, data }) => `${event} ${data.status}`);
  return { ...tenant, message, person, rows, receives, isSent, leaves, append, statuses };
};

const expectInForm = (row: FollowedEvent): void => {
  const { data } = published(row);
  expect(publishedDataSchema(row.type).parse(data)).toEqual(data);
  expect(Object.keys(data)).toEqual(Object.keys(publishedFields[row.type]));
};

describe('the status of a published event', () => {
  test.each<{ name: string; after: (it: Awaited<ReturnType<typeof scene>>) => void; expected: string[] }>([
    {
      name: 'is what the event means if it is new',
      after: ({ receives }) => {
        receives('delivered');
        receives('opened');
        receives('clicked');
      },
      expected: ['message.delivered delivered', 'message.opened opened', 'message.clicked clicked'],
    },
    {
      name: 'stays opened where the delivery is reported late',
      after: ({ receives }) => {
        receives('opened');
        receives('delivered');
      },
      expected: ['message.opened opened', 'message.delivered opened'],
    },
    {
      name: 'stays delivered where a machine opens the mail',
      after: ({ receives }) => {
        receives('delivered');
        receives('opened', { bot: true });
        receives('clicked', { bot: true });
      },
      expected: ['message.delivered delivered', 'message.opened delivered', 'message.clicked delivered'],
    },
    {
      name: 'stays spam_complaint where the person unsubscribes as well',
      after: ({ receives, leaves }) => {
        receives('spam_complaint');
        leaves('route');
      },
      expected: [
        'message.spam_complaint spam_complaint',
        'message.unsubscribed spam_complaint',
        'message.subscription spam_complaint',
      ],
    },
    {
      name: 'is unsubscribed with both events of an unsubscription',
      after: ({ leaves }) => leaves('team'),
      expected: ['message.unsubscribed unsubscribed', 'message.subscription unsubscribed'],
    },
    {
      name: 'is delivery_delayed where a notice of a delay comes after the hand-over, and what replaces it then',
      after: ({ receives }) => {
        receives('delayed', { via: 'dsn' });
        receives('delivered', { via: 'dsn' });
        receives('auto_replied');
      },
      expected: [
        'message.delivery_delayed delivery_delayed',
        'message.delivered delivered',
        'message.auto_replied auto_replied',
      ],
    },
    {
      name: 'is that of an opt-out at the provider',
      after: ({ db, person, receives }) => {
        receives('hard_bounced');
        const feedback = { feedbackType: 'opt-out', originalMailFrom: null };
        applyReport(db, person().id, { kind: 'feedback', feedback }, 'proven', deps, NOW);
      },
      expected: [
        'message.hard_bounced hard_bounced',
        'message.unsubscribed hard_bounced',
        'message.subscription hard_bounced',
      ],
    },
  ])('$name', async ({ after, expected }) => {
    const it = await scene();
    it.isSent();
    after(it);
    expect(it.statuses()).toEqual(['message.sent processed', ...expected]);
    for (const row of it.rows()) expectInForm(row);
  });

  test('is that of the recipient, for every order of signals', async () => {
    const it = await scene();
    it.isSent();
    const reported = signals.filter(
      (one) => !['scheduled', 'queued', 'deferred', 'suppressed'].includes(one),
    );
    for (const one of [...reported, ...reported.toReversed()])
      for (const bot of [true, false]) {
        it.receives(one, { bot });
        const last = it
          .rows()
          .filter(({ message_seq }) => message_seq > 0)
          .at(-1);
        expect(last && published(last).data.status).toBe(it.person().status);
      }
  });

  test('of a scheduled message stays pending when it is rescheduled', async () => {
    const { db, message, append, rows } = await scene();
    append('message.created', { status: 'pending' });
    const [before] = rows().map(published);
    messageStore(db).setSchedule(message.seq, NOW, '[]', NOW);
    expect(rows().map(published)).toEqual([before]);
    expect(before?.data.status).toBe('pending');
  });

  test('of a creation without a recorded status is that of its row', async () => {
    const { append, rows } = await scene();
    append('message.created');
    const [row] = rows();
    if (!row) throw new Error('no event');
    expect(published(row).data).toMatchObject({ status: 'queued', recipient: null });
    expect(published({ ...row, scheduled_at: NOW + 1 }).data.status).toBe('pending');
  });

  test('of blocked content is `failed`, for the whole message', async () => {
    const { append, rows, statuses } = await scene();
    for (const type of ['message.failed', 'message.content_blocked'] as const)
      append(type, { content_reasons: ['eicar'] });
    expect(statuses()).toEqual(['message.failed failed', 'message.content_blocked failed']);
    for (const row of rows()) {
      expectInForm(row);
      expect(published(row).data).toMatchObject({ recipient: null, content_reasons: ['eicar'] });
    }
  });
});

describe('the published data', () => {
  test('of a message name it, its project and its route, and repeat tags and metadata', async () => {
    const { db, isSent, rows, message, projectId, routeId } = await scene();
    isSent();
    const [row] = rows();
    if (!row) throw new Error('no event');
    const given = {
      ...row,
      tag: 'Termin',
      tags_json: '["Termin","b"]',
      metadata_json: '{"10":"x","Fall":"ü"}',
    };
    expect(published(given)).toEqual({
      event: 'message.sent',
      timestamp: '2025-11-24T16:00:00.000Z',
      data: {
        event_id: eventStore(db).ofMessage(message.seq, 0, 1)[0]?.id,
        message_id: message.id,
        status: 'processed',
        recipient: 'anna@example.org',
        project_id: projectId,
        project_slug: 'default',
        route_id: routeId,
        route_slug: 'outgoing',
        message_kind: 'transactional',
        tag: 'Termin',
        tags: ['Termin', 'b'],
        metadata: { '10': 'x', Fall: 'ü' },
        smtp_code: 250,
        enhanced_code: '2.0.0',
        diagnostic: '250 2.0.0 OK',
        upstream: 'relay',
      },
    });
    expectInForm(given);
  });

  test('of a suppression say where it applies', async () => {
    const { db, rows, routeId, message } = await scene();
    const key = deps.suppressionKey;
    const wanted = { address: 'bert@example.org' as Address, place: onRoute(routeId), note: 'private' };
    db.transaction(() => {
      const { row } = addSuppression(
        db,
        key,
        { ...wanted, reason: 'manual', sourceMessageId: message.id },
        NOW,
      );
      removeSuppression(db, row, NOW + 1);
    })();
    const all = rows().map(published);
    expect(all.map(({ event }) => event)).toEqual(['suppression.added', 'suppression.removed']);
    for (const { data } of all)
      expect(data).toMatchObject({
        address: 'bert@example.org',
        scope: 'route',
        project_id: null,
        project_slug: null,
        route_id: routeId,
        route_slug: 'outgoing',
        reason: 'manual',
        source_message_id: message.id,
      });
    for (const row of rows()) expectInForm(row);
    expect(JSON.stringify(all)).not.toContain('private');
  });

  test('of an unsubscription have its scope and the fields of the message', async () => {
    const { leaves, isSent, rows, routeId, projectId } = await scene();
    isSent();
    leaves('team');
    const left = rows().filter(
      ({ type }) => type === 'message.unsubscribed' || type === 'message.subscription',
    );
    expect(left).toHaveLength(2);
    for (const row of left) {
      expectInForm(row);
      expect(published(row).data).toMatchObject({
        scope: 'team',
        project_id: projectId,
        route_id: routeId,
        suppression: { scope: 'team', project_id: null, route_id: null, reason: 'unsubscribe_all' },
      });
    }
  });

  test('contain neither subject nor content of a message', async () => {
    const { isSent, receives, rows } = await scene();
    isSent();
    receives('hard_bounced', { diagnostic: '550 no' });
    const text = JSON.stringify(rows().map(published));
    expect(text).toContain('550 no');
    expect(text).not.toMatch(/Termin|Guten Tag/);
  });

  test('of a mail received have links, short verdicts, and neither its subject nor its text', async () => {
    const { db, rows } = await scene();
    const mail = receiveMail(db, {}, { at: NOW });
    const [row] = rows();
    if (!row) throw new Error('no event');
    expectInForm(row);
    expect(published(row)).toEqual({
      event: 'inbound.received',
      timestamp: '2025-11-24T16:00:00.000Z',
      data: {
        event_id: row.id,
        inbound_id: mail.id,
        url: `${PRACTICE_URL}/inbound/messages/${mail.id}`,
        raw_url: `${PRACTICE_URL}/inbound/messages/${mail.id}/raw`,
        from: { address: 'erika@example.org', name: 'Erika Muster' },
        to: ['info@in.praxis.example'],
        received_at: '2025-11-24T16:00:00.000Z',
        size_bytes: 1_234,
        auth: { spf: 'softfail', dkim: 'pass', dmarc: 'pass', arc: 'none' },
        spam: { verdict: 'clean', score: 3 },
        thread_id: mail.thread_id,
        reply_to_message_id: null,
        project_id: null,
        project_slug: null,
        route_id: null,
        route_slug: null,
        mail: null,
      },
    });
    expect(JSON.stringify(published(row))).not.toContain('Befunde');
  });

  test('of a reply name the message that it answers, also where the mail is no longer kept', async () => {
    const { db, rows, message, projectId, routeId } = await scene();
    const about = { messageSeq: message.seq, recipientId: message.recipientIds[0] ?? 0 };
    const { id, seq } = receiveMail(db, { from_json: 'null' }, about);
    const place = {
      project_id: projectId,
      project_slug: 'default',
      route_id: routeId,
      route_slug: 'outgoing',
    };
    const of = () => rows().map((row) => published(row).data);
    expect(of()).toMatchObject([{ inbound_id: id, from: null, reply_to_message_id: message.id, ...place }]);
    db.prepare('DELETE FROM inbound_messages WHERE seq = ?').run(seq);
    for (const row of rows()) expectInForm(row);
    expect(of()).toMatchObject([
      { inbound_id: null, url: null, to: null, auth: null, reply_to_message_id: message.id, ...place },
    ]);
  });

  test('always have an id and, for messages, message_id and status', () => {
    for (const type of eventTypes) {
      const names = Object.keys(publishedFields[type]);
      expect(names).toContain('event_id');
      expect(names).toEqual(
        expect.arrayContaining(
          type.startsWith('message.')
            ? ['message_id', 'status']
            : ['project_id', 'project_slug', 'route_id', 'route_slug'],
        ),
      );
    }
  });
});

describe('whether an event is published', () => {
  const TRACKED = '{"plain_text_fallback":true,"track_opens":false,"track_clicks":true}';
  const UNTRACKED = '{"plain_text_fallback":true,"track_opens":false,"track_clicks":false}';
  test.each<
    [name: string, type: EventType, data: EventData | null, settings: string | null, expected: boolean]
  >([
    ['a repeated event is not', 'message.delivered', { repeated: true }, TRACKED, false],
    ['a delay of an untracked message is not', 'message.delivery_delayed', {}, UNTRACKED, false],
    [
      'a delay of a message of a version that did not track is not',
      'message.delivery_delayed',
      {},
      '{}',
      false,
    ],
    ['a second delay is not', 'message.delivery_delayed', { repeated: true }, TRACKED, false],
    ['the first delay of a tracked message is', 'message.delivery_delayed', {}, TRACKED, true],
    ['an open by a machine is', 'message.opened', { bot: true }, TRACKED, true],
    ['any other event of an untracked message is', 'message.sent', null, UNTRACKED, true],
    ['a suppression is', 'suppression.added', {}, null, true],
  ])('%s', async (_, type, data, settings_json, expected) => {
    const { append, rows } = await scene();
    append(type);
    const [row] = rows();
    if (!row) throw new Error('no event');
    const data_json = data && JSON.stringify(data);
    expect(isPublished({ ...row, data_json, settings_json })).toBe(expected);
  });
});
