import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { insightStore } from '#src/insight/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

let tenant: SampleTenant;
let other: SampleTenant;
beforeEach(async () => {
  tenant = await openTenantDb();
  const project = { ...tenantStore(tenant.db).defaultProject(), id: newId(), slug: 'other' };
  tenantStore(tenant.db).insertProject({ ...project, is_default: 0 });
  other = { ...tenant, projectId: project.id };
});

const store = () => insightStore(tenant.db);
const named = (of: SampleTenant, subject: string, now: number): number => {
  const { seq } = queueMessage(of, { now, recipients: [`${subject}@example.org`] });
  tenant.db.prepare('UPDATE messages SET subject = ? WHERE seq = ?').run(subject, seq);
  return seq;
};
const subjects = (since: number, limit: number, projects: string[] | null) =>
  store()
    .subjects(since, limit, projects)
    .map(({ subject }) => subject);
const addresses = (since: number, limit: number, projects: string[] | null) =>
  store()
    .recipients(since, limit, projects)
    .map(({ address }) => address);

describe('the newest since a time', () => {
  beforeEach(() => {
    for (const [of, subject, at] of [
      [tenant, 'a', 10],
      [other, 'b', 20],
      [tenant, 'c', 30],
      [other, 'd', 40],
    ] as const)
      named(of, subject, at);
  });

  test('subjects are limited and newest first, of some projects or of all', () => {
    expect(subjects(0, 10, null)).toEqual(['d', 'c', 'b', 'a']);
    expect(subjects(0, 3, null)).toEqual(['d', 'c', 'b']);
    expect(subjects(20, 10, null)).toEqual(['d', 'c', 'b']);
    expect(subjects(21, 10, null)).toEqual(['d', 'c']);
    expect(subjects(41, 10, null)).toEqual([]);
    expect(subjects(0, 10, [other.projectId])).toEqual(['d', 'b']);
    expect(subjects(0, 10, [])).toEqual([]);
  });

  test('recipients are limited and newest first too', () => {
    expect(addresses(20, 2, null)).toEqual(['d@example.org', 'c@example.org']);
    expect(addresses(20, 10, [tenant.projectId])).toEqual(['c@example.org']);
    expect(addresses(41, 10, null)).toEqual([]);
  });

  test('gaps of removed messages do not matter', () => {
    tenant.db.prepare("DELETE FROM messages WHERE subject IN ('a', 'c')").run();
    expect(subjects(0, 10, null)).toEqual(['d', 'b']);
    expect(subjects(21, 10, null)).toEqual(['d']);
  });
});

test('a bounded number of rows is read', () => {
  const wanted = named(other, 'old', 0);
  const insert = tenant.db.prepare(
    `INSERT INTO messages SELECT seq + ?, ?, internet_message_id, ?, route_id, message_kind, channel, source, from_json,
       to_json, cc_json, bcc_json, reply_to_json, subject, tag, tags_json, metadata_json, settings_json, decisions_json,
       status, score, size_bytes, scheduled_at, created_at, updated_at, is_pseudonymous, campaign_seq, template_id,
       token_id FROM messages WHERE seq = ?`,
  );
  insert.run(19_999, newId(), tenant.projectId, wanted);
  expect(subjects(0, 10, [other.projectId])).toEqual(['old']);
  insert.run(20_000, newId(), tenant.projectId, wanted);
  expect(subjects(0, 10, [other.projectId])).toEqual([]);
});

test('the upstreams that accepted the newest mails are named', () => {
  const { recipientIds } = queueMessage(tenant, { recipients: ['a@a.de', 'b@a.de', 'c@a.de', 'd@a.de'] });
  const set = tenant.db.prepare('UPDATE recipients SET status = ?, upstream = ? WHERE id = ?');
  expect(store().relayedBy()).toEqual([]);
  set.run('soft_bounced', 'first', recipientIds[0]);
  set.run('delivery_delayed', 'second', recipientIds[1]);
  set.run('failed', null, recipientIds[2]);
  expect(store().relayedBy()).toEqual([]);
  set.run('delivered', 'second', recipientIds[1]);
  set.run('processed', 'first', recipientIds[2]);
  expect(store().relayedBy()).toEqual(['first', 'second']);
  for (let number = 0; number < 20; number++)
    queueMessage(tenant, { recipients: Array.from({ length: 50 }, (_, index) => `r${index}@a.de`) });
  expect(store().relayedBy()).toEqual([]);
});

test('no query scans or sorts a table', () => {
  const asked: string[] = [];
  const recording = new Proxy(tenant.db, {
    get: (db, name) =>
      name === 'prepare'
        ? (source: string) => {
            asked.push(source);
            return db.prepare(source);
          }
        : Reflect.get(db, name),
  });
  insightStore(recording as TenantDb);
  const plans = asked.flatMap((source) => {
    const bound = source.replace(/:projectIds/g, "'[]'").replace(/:\w+|\?/g, '5');
    return tenant.db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${bound}`).all();
  });
  const details = plans.map(({ detail }) => detail);
  expect(details).toContain('SEARCH messages USING INTEGER PRIMARY KEY (rowid>?)');
  expect(details.filter((detail) => /^SCAN (?!json_each)|TEMP B-TREE FOR (?!DISTINCT)/.test(detail))).toEqual(
    [],
  );
});
