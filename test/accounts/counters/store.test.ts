import { beforeEach, describe, expect, test } from 'vitest';
import { counterStore } from '#src/accounts/counters/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { newId } from '#src/kernel/id.ts';
import { openTenantDb, type SampleTenant } from '#test/support/storage.ts';

let tenant: SampleTenant;
beforeEach(async () => {
  tenant = await openTenantDb();
});

const addRoute = ({ db }: SampleTenant): string => {
  const row = { ...tenantStore(db).defaultRoute(), id: newId(), slug: 'second', is_default: 0 as const };
  tenantStore(db).insertRoute(row);
  return row.id;
};

const of = (route_id: string, project_id = tenant.projectId) => ({ route_id, project_id });

describe('the counters', () => {
  test('add up per route and day', () => {
    const counters = counterStore(tenant.db);
    const second = addRoute(tenant);
    counters.addAccepted(10, of(tenant.routeId), 2);
    counters.addAccepted(10, of(tenant.routeId), 3);
    counters.addAccepted(10, of(second), 7);
    counters.addAccepted(11, of(second), 100);
    counters.write();
    expect(
      tenant.db.prepare('SELECT accepted FROM counters WHERE day = 10').pluck().all().toSorted(),
    ).toEqual([5, 7]);
  });

  test('know what a month has used, and of which share its owners were notified', () => {
    const counters = counterStore(tenant.db);
    expect(counters.usage('2026-11')).toEqual({ accepted: 0, ownDomain: 0, notified: 0 });
    counters.addUsage('2026-11', 3, false);
    counters.addUsage('2026-11', 4, false);
    counters.addUsage('2026-12', 1, false);
    counters.setNotified('2026-11', 90);
    counters.setNotified('2026-11', 70);
    expect(counters.usage('2026-11')).toEqual({ accepted: 7, ownDomain: 0, notified: 90 });
    expect(counters.usage('2026-12')).toEqual({ accepted: 1, ownDomain: 0, notified: 0 });
  });

  test('plan mails per stream and day', () => {
    const counters = counterStore(tenant.db);
    counters.addVolume(9, 'marketing', 5);
    counters.addVolume(10, 'marketing', 1);
    counters.addVolume(10, 'marketing', 2);
    counters.addVolume(10, 'transactional', 8);
    counters.addVolume(12, 'marketing', 4);
    expect([...counters.volumesFrom('marketing', 10)]).toEqual([
      [10, 3],
      [12, 4],
    ]);
  });

  test('tell per route what became of mails', () => {
    const counters = counterStore(tenant.db);
    counters.addAccepted(10, of(tenant.routeId), 2);
    counters.addOutcomes(10, of(tenant.routeId), ['sent', 'delivered']);
    counters.addOutcomes(10, of(tenant.routeId), ['sent', 'complaints']);
    counters.addOutcomes(11, of(tenant.routeId), ['hard_bounced', 'unsubscribes']);
    const none = { refused: 0, soft_bounced: 0, opens: 0, clicks: 0 };
    const counts = { ...none, accepted: 2, sent: 2, delivered: 1, hard_bounced: 1 };
    expect(counters.perRoute(10, 12)).toEqual([
      { route_id: tenant.routeId, ...counts, complaints: 1, unsubscribes: 1 },
    ]);
    expect(counters.perRoute(11, 12)).toMatchObject([{ accepted: 0, sent: 0, hard_bounced: 1 }]);
  });

  test('tell of one route over days, of the others nothing', () => {
    const counters = counterStore(tenant.db);
    const second = addRoute(tenant);
    counters.addAccepted(12, of(second), 5);
    for (const day of [9, 10, 12, 13])
      counters.addOutcomes(day, of(tenant.routeId), ['refused', 'hard_bounced']);
    const counts = { sent: 0, refused: 2, delivered: 0, hard_bounced: 2, soft_bounced: 0, complaints: 0 };
    expect(counters.ofRoute(tenant.routeId, 10, 13)).toMatchObject(counts);
    expect(counters.ofRoute(second, 10, 13)).toMatchObject({ ...counts, refused: 0, hard_bounced: 0 });
    expect(counters.ofRoute(tenant.routeId, 14, 15)).toMatchObject({ refused: 0 });
  });

  test('tell per day of some routes together', () => {
    const counters = counterStore(tenant.db);
    const second = addRoute(tenant);
    counters.addOutcomes(10, of(tenant.routeId), ['sent', 'opens']);
    counters.addOutcomes(12, of(tenant.routeId), ['sent']);
    counters.addAccepted(12, of(second), 5);
    expect(counters.perDay(10, 13, [tenant.routeId, second], null)).toMatchObject([
      { day: 10, accepted: 0, sent: 1, opens: 1 },
      { day: 12, accepted: 5, sent: 1, opens: 0 },
    ]);
    expect(counters.perDay(10, 13, [second], null)).toMatchObject([{ day: 12, accepted: 5, sent: 0 }]);
    expect(counters.perDay(10, 12, [second], null)).toEqual([]);
  });

  test('are those of one project on a route that others use too', () => {
    const counters = counterStore(tenant.db);
    const other = {
      ...tenantStore(tenant.db).defaultProject(),
      id: newId(),
      slug: 'other',
      is_default: 0 as const,
    };
    tenantStore(tenant.db).insertProject(other);
    counters.addOutcomes(10, of(tenant.routeId), ['sent']);
    counters.addOutcomes(10, of(tenant.routeId, other.id), ['sent', 'hard_bounced']);
    expect(counters.ofRoute(tenant.routeId, 10, 11)).toMatchObject({ sent: 2, hard_bounced: 1 });
    const mine = new Set([tenant.projectId]);
    for (const [projects, sent] of [
      [null, 2],
      [mine, 1],
    ] as const) {
      expect(counters.perRoute(10, 11, projects)).toMatchObject([{ sent }]);
      expect(counters.perDay(10, 11, [tenant.routeId], projects)).toMatchObject([{ sent }]);
    }
    expect(counters.perRoute(10, 11, new Set())).toEqual([]);
  });

  test('tell per day and channel what some projects, or all, have had accepted', () => {
    const counters = counterStore(tenant.db);
    counters.addToChannel(10, 'a', 'termin', 1);
    counters.addToChannel(10, 'a', 'termin', 2);
    counters.addToChannel(10, 'b', 'termin', 4);
    counters.addToChannel(11, 'b', 'recall', 8);
    counters.addToChannel(12, 'a', 'recall', 16);
    const [termin, recall] = [
      { day: 10, channel: 'termin', accepted: 7 },
      { day: 11, channel: 'recall', accepted: 8 },
    ];
    expect(counters.perChannel(10, 12, null)).toEqual([termin, recall]);
    expect(counters.perChannel(10, 12, new Set(['a', 'c']))).toEqual([{ ...termin, accepted: 3 }]);
    expect(counters.perChannel(10, 12, new Set())).toEqual([]);
  });

  test('are those of a route that exists', () => {
    const counters = counterStore(tenant.db);
    counters.addAccepted(1, of(newId()), 1);
    expect(counters.write).toThrow(/FOREIGN KEY/);
  });
});
