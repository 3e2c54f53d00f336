// The guardrail on a real file: what is counted when, and when it pauses. That real mail and real reports lead here is
// shown in test/flows/guardrail.test.ts.
import { beforeEach, describe, expect, test } from 'vitest';
import type { CountedOutcome } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createGuardrail, type Guardrail } from '#src/feedback/reputation/guardrail.ts';
import { pausePractice, resumePractice } from '#src/feedback/reputation/pause.ts';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import { systemChange } from '#src/kernel/change.ts';
import { newId } from '#src/kernel/id.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

const operator: Caller = { ...anonymous, kind: 'operator', isOwner: true };

let tenant: SampleTenant;
let guardrail: Guardrail;
let notified: string[];
/** Of a message on each of two routes. */
let outgoing: number;
let broadcast: number;
let now: number;

beforeEach(async () => {
  tenant = await openTenantDb();
  notified = [];
  guardrail = createGuardrail({ systemTenantId: () => 'another', notifyOwners: (id) => notified.push(id) });
  now = 20_000 * DAY + 5 * HOUR;
  outgoing = queueMessage(tenant).seq;
  const row = {
    ...tenantStore(tenant.db).defaultRoute(),
    id: newId(),
    slug: 'broadcast',
    is_default: 0 as const,
  };
  tenantStore(tenant.db).insertRoute(row);
  broadcast = queueMessage({ ...tenant, routeId: row.id }).seq;
});

const SENT: readonly CountedOutcome[] = ['sent'];
const BACK: readonly CountedOutcome[] = ['hard_bounced'];
const REFUSED: readonly CountedOutcome[] = ['refused', 'hard_bounced'];
const COMPLAINT: readonly CountedOutcome[] = ['complaints'];
const DELIVERED: readonly CountedOutcome[] = ['sent', 'delivered'];

const count = (fates: readonly CountedOutcome[], times = 1, seq = outgoing): void => {
  for (let time = 0; time < times; time++) guardrail.count(tenant.db, seq, fates, now);
};
const practice = () => tenantStore(tenant.db).practice();
const isPaused = (): boolean => practice().paused_at !== null;
const resume = () => resumePractice(tenant.db, operator, systemChange('practice.resume'), now);
const audit = () =>
  tenant.db
    .prepare<[], { action: string; actor_kind: string; after_json: string }>('SELECT * FROM audit')
    .all();

describe('20 messages with one bounce pause the practice in any order', () => {
  const orders: readonly (readonly [
    says: string,
    steps: readonly (readonly [readonly CountedOutcome[], number])[],
  ])[] = [
    [
      '20 are sent, then the bounce is reported',
      [
        [SENT, 20],
        [BACK, 1],
      ],
    ],
    [
      'the bounce is reported first, then the 20th is sent',
      [
        [SENT, 1],
        [BACK, 1],
        [SENT, 19],
      ],
    ],
    [
      'refused at our connection as the first',
      [
        [REFUSED, 1],
        [SENT, 19],
      ],
    ],
    [
      'refused at our connection as the 20th',
      [
        [SENT, 19],
        [REFUSED, 1],
      ],
    ],
    [
      'refused in the middle',
      [
        [SENT, 10],
        [REFUSED, 1],
        [SENT, 9],
      ],
    ],
    [
      'the 20th is refused softly',
      [
        [SENT, 18],
        [REFUSED, 1],
        [['refused', 'soft_bounced'], 1],
      ],
    ],
    [
      'a complaint first',
      [
        [DELIVERED, 5],
        [COMPLAINT, 1],
        [DELIVERED, 15],
      ],
    ],
    [
      'a complaint at the end',
      [
        [DELIVERED, 20],
        [COMPLAINT, 1],
      ],
    ],
  ];
  test.each(orders)('%s', (_, steps) => {
    for (const [index, [fates, times]] of steps.entries()) {
      const isLast = index === steps.length - 1;
      count(fates, isLast ? times - 1 : times);
      expect(isPaused()).toBe(false);
      if (isLast) count(fates);
    }
    expect(isPaused()).toBe(true);
    expect(notified).toEqual([tenant.tenantId]);
  });

  test('19 messages do not pause it, nor do 21', () => {
    count(SENT, 19);
    count(BACK);
    expect(isPaused()).toBe(false);
    count(SENT, 21, broadcast);
    count(BACK, 1, broadcast);
    expect([isPaused(), notified]).toEqual([false, []]);
  });
});

test('the pause names its counts, and the audit log names the service as the author', () => {
  count(SENT, 19, broadcast);
  count(REFUSED, 1, broadcast);
  expect(practice()).toMatchObject({
    paused_at: now,
    pause_by: 'guardrail',
    pause_reason:
      'Hard bounces on the route broadcast: 1 of 20 messages since 2024-09-05 (5%). The limit is 5%.',
    pause_told: 0,
  });
  const [entry, ...others] = audit();
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ action: 'practice.pause', actor_kind: 'system' });
  expect(JSON.parse(entry?.after_json ?? '')).toMatchObject({ status: 'paused', pause: { by: 'guardrail' } });
});

test('each route is judged by itself', () => {
  count(SENT, 10);
  count(SENT, 10, broadcast);
  count(REFUSED, 1, broadcast);
  expect(isPaused()).toBe(false);
  count(SENT, 500);
  count(SENT, 8, broadcast);
  expect(isPaused()).toBe(false);
  count(SENT, 1, broadcast);
  expect(isPaused()).toBe(true);
});

test('a paused practice is not paused again', () => {
  count(SENT, 20);
  count(BACK, 3);
  count(REFUSED, 3, broadcast);
  expect([audit().length, notified.length]).toEqual([1, 1]);
});

test('the practice by which the service sends is never paused', () => {
  guardrail = createGuardrail({
    systemTenantId: () => tenant.tenantId,
    notifyOwners: (id) => notified.push(id),
  });
  count(REFUSED, 50);
  count(COMPLAINT, 50);
  expect([isPaused(), audit(), notified]).toEqual([false, [], []]);
});

describe('days', () => {
  test('a message counts until the day it leaves the window', () => {
    count(SENT, 10);
    count(BACK);
    now += 29 * DAY;
    count(SENT, 9);
    expect(isPaused()).toBe(false);
    count(SENT);
    expect(isPaused()).toBe(true);
  });

  test('a bounce of 31 days ago does not count', () => {
    count(SENT, 10);
    count(BACK);
    now += 30 * DAY;
    count(SENT, 40);
    expect(isPaused()).toBe(false);
  });

  // 49 messages or 50, one came back; 29 days later the first 30 are counted no more.
  test.each([
    [18, [false, true]],
    [19, [true]],
  ] as const)(
    'a share that rises by the passing of days pauses with the mail that makes it: %i left',
    (left, after) => {
      count(SENT, 30);
      now += DAY;
      count(SENT, left);
      count(BACK);
      now += 28 * DAY;
      expect(isPaused()).toBe(false);
      now += DAY;
      for (const expected of after) {
        count(SENT);
        expect(isPaused()).toBe(expected);
      }
    },
  );
});

describe('after a resumption', () => {
  test('counting restarts, also within the same day', () => {
    count(SENT, 20);
    count(BACK);
    now += HOUR;
    resume();
    count(SENT, 100);
    expect(isPaused()).toBe(false);
    now += HOUR;
    count(BACK, 4);
    expect(isPaused()).toBe(false);
    count(BACK);
    expect(isPaused()).toBe(true);
    expect(practice().pause_reason).toContain('5 of 100 messages since 2024-10-04');
  });

  test('earlier bounces no longer keep the route watched', () => {
    count(SENT, 5);
    count(BACK);
    pausePractice(tenant.db, 'Urlaub', operator, systemChange('practice.pause'), now);
    resume();
    count(SENT, 50);
    expect(isPaused()).toBe(false);
  });

  test('the counts of the pause are left out', () => {
    count(SENT, 20);
    count(BACK);
    count(BACK, 10);
    count(SENT, 10);
    resume();
    count(SENT, 19);
    count(BACK);
    expect(isPaused()).toBe(false);
    count(SENT);
    expect(isPaused()).toBe(true);
  });

  test('a resumption before the window leaves nothing out', () => {
    count(SENT, 20);
    count(BACK);
    resume();
    now += 40 * DAY;
    count(SENT, 19);
    expect(isPaused()).toBe(false);
    count(REFUSED);
    expect(practice().pause_reason).toContain('1 of 20 messages');
  });

  test('days later, only the counts of its own day are left out', () => {
    count(SENT, 20);
    count(BACK);
    resume();
    count(SENT, 10);
    now += 5 * DAY;
    count(SENT, 9);
    count(BACK);
    expect(isPaused()).toBe(false);
    count(SENT);
    expect(isPaused()).toBe(true);
  });
});

test('a route without bounces is not watched, and one with them only until they are forgotten', () => {
  const watched = () => tenant.db.prepare('SELECT look_on FROM guardrail_watch').pluck().all();
  count(SENT, 30);
  expect(watched()).toEqual([]);
  count(BACK);
  expect(watched()).toEqual([20_001]);
  now += 40 * DAY;
  count(SENT);
  expect(watched()).toEqual([]);
});
