import { beforeEach, expect, test } from 'vitest';
import { type MessageFilter, messageSearchStore } from '#src/messages/search-store.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

const EVERYTHING: MessageFilter = {
  text: null,
  tag: null,
  status: null,
  routeId: null,
  projects: null,
  kind: null,
  createdFrom: null,
  createdBefore: null,
};

let tenant: SampleTenant;
let ids: string[];

beforeEach(async () => {
  tenant = await openTenantDb();
  const recipientOf = (n: number) => (n === 1 ? 'berta@example.org' : 'anna@example.org');
  ids = Array.from({ length: 10 }, (_, n) => queueMessage(tenant, { recipients: [recipientOf(n)] }).id);
});

/** What call after call finds, until nothing is left. */
const pages = (filter: MessageFilter, limit: number, messagesPerCall: number): string[][] => {
  const found: string[][] = [];
  for (let before: number | null = null; ; ) {
    const page = messageSearchStore(tenant.db).find(filter, before, limit, messagesPerCall);
    found.push(page.rows.map(({ id }) => id));
    before = page.before;
    if (before === null) return found;
  }
};

test('pages of the limit, newest first, each message once', () => {
  const newestFirst = ids.toReversed();
  expect(pages(EVERYTHING, 4, 100)).toEqual([
    newestFirst.slice(0, 4),
    newestFirst.slice(4, 8),
    newestFirst.slice(8),
  ]);
});

test('a call that has looked at its share ends, and the next one goes on behind it', () => {
  expect(pages({ ...EVERYTHING, text: 'berta' }, 4, 3)).toEqual([[], [], [ids[1]], []]);
});

test('a share that ends with a full page loses nothing between', () => {
  expect(pages(EVERYTHING, 3, 3).flat()).toEqual(ids.toReversed());
  expect(pages(EVERYTHING, 2, 3).flat()).toEqual(ids.toReversed());
});
