import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { newId } from '#src/kernel/id.ts';
import { type CaptureFilter, captureStore } from '#src/relay/capture/store.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

const SOURCE = Buffer.from('sealed');
const KEEP = 100;

let tenant: SampleTenant;
let otherProject: string;
/** A capture of the default project, then one of the other. */
let own: string;
let foreign: string;
/** Of a message that is no longer kept. */
let third: string;

const capture = (messageId: string, keep = KEEP, recipient = 'anna@example.org'): string => {
  const row = {
    id: newId(),
    message_id: messageId,
    recipient,
    return_path: 'b@example.com',
  };
  captureStore(tenant.db).insert({ ...row, captured_at: 0, size_bytes: 6, source: SOURCE }, keep);
  return row.id;
};
const listed = (filter: Partial<CaptureFilter>, before: number | null = null, limit = 10): string[] =>
  captureStore(tenant.db)
    .list({ messageId: null, text: null, projects: null, ...filter }, before, limit)
    .rows.map(({ id }) => id);

beforeEach(async () => {
  tenant = await openTenantDb();
  otherProject = newId();
  const project = {
    id: otherProject,
    name: 'Labor',
    slug: 'labor',
    is_default: 0,
    archived_at: null,
  } as const;
  tenantStore(tenant.db).insertProject({ ...project, created_at: 0 });
  own = capture(queueMessage(tenant).id);
  foreign = capture(queueMessage({ ...tenant, projectId: otherProject }).id);
});

describe('what is listed', () => {
  test('is all of it, newest first, where nothing limits the reader', () => {
    expect(listed({})).toEqual([foreign, own]);
  });

  test.each([
    ['one project', () => [tenant.projectId], () => [own]],
    ['both', () => [tenant.projectId, otherProject], () => [foreign, own]],
    ['none', () => [], () => []],
    ['one that does not exist', () => [newId()], () => []],
  ])('is that of the projects the reader is limited to: %s', (_, projects, expected) => {
    expect(listed({ projects: new Set(projects()) })).toEqual(expected());
  });

  test('is what was captured of one message', () => {
    const { id } = queueMessage(tenant);
    const both = [capture(id), capture(id)];
    expect(listed({ messageId: id })).toEqual(both.toReversed());
    expect(listed({ messageId: id, projects: new Set([otherProject]) })).toEqual([]);
  });

  test.each([
    ['the beginning of a word of the address', 'Jürgen', () => [third]],
    ['words of address and subject, in any order', 'termin anna', () => [foreign, own]],
    ['a word that none has', 'rechnung', () => []],
    ['nothing but spaces', '  ', () => [third, foreign, own]],
  ])('is what has the words that were typed: %s', (_, text, expected) => {
    third = capture(newId(), KEEP, 'juergen.mueller@example.org');
    expect(listed({ text })).toEqual(expected());
  });

  test('goes on where the page before ended', () => {
    const { next } = captureStore(tenant.db).list({ messageId: null, text: null, projects: null }, null, 1);
    expect(listed({}, next)).toEqual([own]);
  });

  test('is found by its words among so many at once, and the next page goes on', () => {
    capture(newId(), KEEP, 'juergen.mueller@example.org');
    const filter = { messageId: null, text: 'anna', projects: null };
    const pageOf = (before: number | null) => {
      const { rows, next } = captureStore(tenant.db).list(filter, before, 10, 1);
      return { ids: rows.map(({ id }) => id), next };
    };
    const first = pageOf(null);
    expect(first).toEqual({ ids: [], next: expect.any(Number) });
    const second = pageOf(first.next);
    expect(second.ids).toEqual([foreign]);
    expect(pageOf(second.next)).toEqual({ ids: [own], next: null });
    capture(newId(), 1, 'juergen.mueller@example.org');
    expect(pageOf(null)).toEqual({ ids: [], next: null });
  });
});

test('a source is given only to callers that may see its project', () => {
  const { source } = captureStore(tenant.db);
  expect(source(foreign, null)).toEqual(SOURCE);
  expect(source(foreign, new Set([otherProject]))).toEqual(SOURCE);
  expect(source(foreign, new Set([tenant.projectId]))).toBeUndefined();
  expect(source(newId(), null)).toBeUndefined();
});

test('a capture whose message is gone is hidden from callers that are limited to projects', () => {
  const orphan = capture(newId());
  expect(listed({})).toContain(orphan);
  expect(listed({ projects: new Set([tenant.projectId, otherProject]) })).not.toContain(orphan);
});

test('the newest are kept', () => {
  const newest = capture(queueMessage(tenant).id, 2);
  expect(listed({})).toEqual([newest, foreign]);
});
