// Whose copy a report is about, in real files.

import { describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { domainRegistryStore } from '#src/domains/registry-store.ts';
import { type Clues, locate } from '#src/feedback/locate.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { encodeUnsubscribeToken } from '#src/mail/copy-links.ts';
import { encodeReturnPath } from '#src/mail/verp.ts';
import { messageStore } from '#src/messages/store.ts';
import { testTokenKeys } from '#test/support/keys.ts';
import { plansOf } from '#test/support/query-plan.ts';
import {
  createSampleTenant,
  openTenantDb,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const returnPathKey = testTokenKeys(1);
const unsubscribeKey = testTokenKeys(2);

const scene = async () => {
  const storage = await openTestStorage(await temporaryDirectory());
  const tenantId = await createSampleTenant(storage);
  const place = (db: TenantDb) => ({
    db,
    tenantId,
    projectId: tenantStore(db).defaultProject().id,
    routeId: tenantStore(db).defaultRoute().id,
  });
  const add = (...recipients: string[]) =>
    storage.tenants.write(tenantId, (db) => queueMessage(place(db), { recipients }));
  /** As a mail program brings it, under a Message-ID of its own. */
  const submit = (internetMessageId: string, ...recipients: string[]) =>
    storage.tenants.write(tenantId, (db) => {
      const store = messageStore(db);
      const row = store.bySeq(queueMessage(place(db), { recipients: [] }).seq);
      if (!row) throw new Error('no message');
      const { seq: _, ...message } = {
        ...row,
        id: newId(),
        internet_message_id: internetMessageId,
        source: 'smtp',
      };
      const body = {
        text: 'x',
        html: null,
        sealed: null,
        headers_json: '[]',
        calendar_json: null,
        parts_json: null,
        shared: null,
      };
      const seq = store.insert(message, body);
      return recipients.map((address) => store.insertRecipient(seq, address, 'to', 'processed', 0).id);
    });
  const { number, host } = await storage.tenants.read(tenantId, (db) => {
    const { number, managed_host } = tenantStore(db).practice();
    return { number, host: managed_host };
  });
  const deps = {
    readPlatform: storage.platform.read,
    files: storage.tenants,
    returnPathKey,
    unsubscribeKey,
    holderOf: (db: PlatformDb, host: string) => domainRegistryStore(db).holderOf(host),
  };
  const found = async (clues: Clues): Promise<number | null> => {
    const target = await locate(deps, clues);
    if (target) expect(target.tenantNumber).toBe(number);
    return target?.recipientId ?? null;
  };
  return { storage, tenantId, add, submit, host, number, found };
};

describe('a signed reference', () => {
  test('names its copy: a return path before a link, and either before a Message-ID', async () => {
    const { add, host, number, found } = await scene();
    const { id, recipientIds } = await add('a@example.org', 'b@example.org', 'c@example.org');
    const [first = 0, second = 0, third = 0] = recipientIds;
    const path = encodeReturnPath(returnPathKey, { tenantNumber: number, recipientId: first }, host);
    const token = encodeUnsubscribeToken(unsubscribeKey, { tenantNumber: number, recipientId: second });
    const clues = {
      returnPaths: ['someone@example.org', path],
      unsubscribeTokens: ['nonsense', token],
      messageId: `<${id}@${host}>`,
      recipients: ['c@example.org'],
    };
    expect(await found(clues)).toBe(first);
    expect(await found({ ...clues, returnPaths: [path.replace(host, 'other.example')] })).toBe(second);
    expect(await found({ ...clues, returnPaths: [], unsubscribeTokens: [] })).toBe(third);
  });

  test('with another key names no copy', async () => {
    const { host, number, found } = await scene();
    const path = encodeReturnPath(unsubscribeKey, { tenantNumber: number, recipientId: 1 }, host);
    const token = encodeUnsubscribeToken(returnPathKey, { tenantNumber: number, recipientId: 1 });
    expect(await found({ returnPaths: [path], unsubscribeTokens: [token] })).toBeNull();
  });
});

describe('a Message-ID', () => {
  test('of a message to one recipient names that recipient', async () => {
    const { add, host, found } = await scene();
    const { id, recipientIds } = await add('a@example.org');
    for (const messageId of [
      `<${id}@${host}>`,
      `${id}@${host}`,
      `<${id.toUpperCase()}@${host.toUpperCase()}>`,
      ` <${id}@${host}> `,
    ])
      expect(await found({ messageId }), messageId).toBe(recipientIds[0]);
    expect(await found({ messageId: `<${id}@${host}>`, recipients: ['hash-5f2a@provider.example'] })).toBe(
      recipientIds[0],
    );
  });

  test.each([
    { name: 'no recipient is named', recipients: [], named: null },
    { name: 'one is named', recipients: ['B@Example.org'], named: 1 },
    { name: 'one is named, and somebody else', recipients: ['x@example.org', 'b@example.org'], named: 1 },
    { name: 'two are named', recipients: ['a@example.org', 'b@example.org'], named: null },
    { name: 'somebody else is named', recipients: ['x@example.org'], named: null },
  ])('of a message to several, where $name', async ({ recipients, named }) => {
    const { add, host, found } = await scene();
    const { id, recipientIds } = await add('a@example.org', 'b@example.org');
    expect(await found({ messageId: `<${id}@${host}>`, recipients })).toBe(
      named === null ? null : recipientIds[named],
    );
  });

  test('with another host than that of the message names no copy', async () => {
    const { storage, add, host, found } = await scene();
    const other = await createSampleTenant(storage, 'Andere');
    const otherHost = await storage.tenants.read(other, (db) => tenantStore(db).practice().managed_host);
    const { id } = await add('a@example.org');
    expect(await found({ messageId: `<${id}@${otherHost}>` })).toBeNull();
    expect(await found({ messageId: `<${id}@${otherHost}>`, fromHost: host })).toBeNull();
    expect(await found({ messageId: `<${id}@example.org>`, fromHost: host })).toBeNull();
  });

  test('made by a mail program is searched in the practice of the sender’s domain', async () => {
    const { submit, host, found } = await scene();
    const [only] = await submit('<1.AbC@laptop.local>', 'a@example.org');
    expect(await found({ messageId: '<1.AbC@laptop.local>', fromHost: host })).toBe(only);
    expect(await found({ messageId: '<1.AbC@laptop.local>', fromHost: 'example.org' })).toBeNull();
    expect(await found({ messageId: '<1.AbC@laptop.local>' })).toBeNull();
    expect(await found({ messageId: '<2.AbC@laptop.local>', fromHost: host })).toBeNull();
  });

  test('submitted once for each of several recipients does not name one by itself', async () => {
    const { submit, host, found } = await scene();
    const [first] = await submit('<1@laptop.local>', 'a@example.org');
    await submit('<1@laptop.local>', 'b@example.org');
    const clues = { messageId: '<1@laptop.local>', fromHost: host };
    expect(await found(clues)).toBeNull();
    expect(await found({ ...clues, recipients: ['a@example.org'] })).toBe(first);
  });

  test('submitted twice for one recipient names the last copy', async () => {
    const { submit, host, found } = await scene();
    await submit('<1@laptop.local>', 'a@example.org');
    const [last] = await submit('<1@laptop.local>', 'a@example.org');
    expect(await found({ messageId: '<1@laptop.local>', fromHost: host })).toBe(last);
  });

  test.each([
    '',
    '<>',
    '<@>',
    'x',
    '<a@>',
    '<@b.example>',
    '<a b@c.example>',
    `<${'a'.repeat(1_000)}@b.example>`,
    '<a@b@c.example>',
  ])('%j is none', async (messageId) => {
    const { host, found } = await scene();
    expect(await found({ messageId, fromHost: host })).toBeNull();
  });
});

test('no look-up scans a table', async () => {
  const { db } = await openTenantDb();
  const steps = plansOf(db, messageStore)
    .filter(({ sql }) => sql.includes('internet_message_id = ?'))
    .flatMap((plan) => plan.steps);
  expect(steps.join()).toContain('messages_submitted (internet_message_id=?)');
  expect(steps.join()).not.toContain('SCAN messages');
});
