import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { simpleParser } from 'mailparser';
import { beforeEach, describe, expect, test } from 'vitest';
import { type PracticePause, tenantStore } from '#src/accounts/tenants/store.ts';
import { createHostKeys } from '#src/domains/keys/keys.ts';
import { createSigners } from '#src/domains/keys/signers.ts';
import { dkimKeyStore } from '#src/domains/store.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { addSuppression, wholeTeam } from '#src/feedback/suppressions/change.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { newId } from '#src/kernel/id.ts';
import { freeNow } from '#src/kernel/large-octets.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { HOUR, MINUTE } from '#src/kernel/time.ts';
import { createTrackingLinks } from '#src/mail/copy-links.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { decodeReturnPath } from '#src/mail/verp.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { sealContent } from '#src/messages/sealed-content.ts';
import { type MessageRow, messageStore } from '#src/messages/store.ts';
import { type ClaimDeps, claimDue } from '#src/relay/claim.ts';
import { testSealingKey, testTenantKey, testTokenKeys } from '#test/support/keys.ts';
import { sharedSignThreads } from '#test/support/sign-threads.ts';
import {
  MANAGED_HOST,
  openTenantDb,
  queueMessage,
  type SampleMessage,
  type SampleTenant,
  SEALING_KEY,
} from '#test/support/storage.ts';

const policy: RetryPolicy = {
  waits: [MINUTE],
  thenEvery: MINUTE,
  jitter: 0,
  giveUpAfter: { 0: HOUR, 1: HOUR },
};
const returnPathKey = testTokenKeys(2);
const contentKey = testSealingKey(3);
const NOW = 1_700_000_000_000;

let tenant: SampleTenant;
let deps: ClaimDeps;
beforeEach(async () => {
  tenant = await openTenantDb();
  const pair = async (algorithm: string) =>
    algorithm === 'rsa-sha256'
      ? generateKeyPairSync('rsa', { modulusLength: 1_024 })
      : generateKeyPairSync('ed25519');
  const keys = await createHostKeys(tenant.tenantId, MANAGED_HOST, SEALING_KEY, 0, pair);
  for (const key of keys) dkimKeyStore(tenant.db).insert(key);
  deps = {
    signersOf: createSigners(SEALING_KEY, { ed25519: true }).of,
    signThreads: sharedSignThreads(),
    returnPathKey,
    contentKey,
    suppressionKey: testTenantKey(4),
    simulatorDomain: 'simulator.mail.example.com',
    guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
    softBounces: () => ({ count: 5, days: 30 }),
    unsubscribeUrl: () => 'https://mail.example.com/api/public/unsub?t=token',
    addresses: null,
    trackingLinks: createTrackingLinks('https://mail.example.com', testTokenKeys(5)),
    service: { name: 'Sendwerk', origin: 'https://mail.example.com' },
  };
});

const claim = (fields: { lane?: 0 | 1; limit?: number; now?: number } = {}) => {
  const { lane = 0, limit = 10, now = NOW } = fields;
  const request = { tenantId: tenant.tenantId, lane, limit, byteBudget: 1_000_000, now, policy };
  return tenant.db.transaction(() => claimDue(tenant.db, request, deps))();
};
const rows = () =>
  tenant.db.prepare('SELECT claimed, attempts, due_at FROM queue ORDER BY recipient_id').all();

describe('a recipient whose outcome was reported while the process was down', () => {
  test('is not sent the message again, and keeps what was reported', () => {
    const { seq, recipientIds } = queueMessage(tenant, {
      recipients: ['anna@example.org', 'berta@example.net'],
    });
    const [anna = 0] = recipientIds;
    messageStore(tenant.db).setRecipientStatus(seq, anna, 'delivered', NOW);
    expect(claim().claimed.map(({ envelope }) => envelope.recipient)).toEqual(['berta@example.net']);
    expect(rows()).toHaveLength(1);
    expect(messageStore(tenant.db).recipient(anna)?.status).toBe('delivered');
  });
});

describe('what is claimed', () => {
  test('each recipient has an envelope of its own', () => {
    const recipients = ['anna@example.org', 'berta@example.net'];
    const { id, recipientIds } = queueMessage(tenant, { recipients, now: NOW });
    const { claimed } = claim();
    expect(claimed.map(({ envelope }) => envelope.recipient)).toEqual(recipients);
    expect(claimed.map(({ envelope }) => envelope.envelopeId)).toEqual([id, id]);
    expect(claimed.map(({ envelope }) => decodeReturnPath(returnPathKey, envelope.returnPath))).toEqual(
      recipientIds.map((recipientId) => ({ tenantNumber: 1, recipientId })),
    );
    for (const { envelope } of claimed) expect(envelope.returnPath).toMatch(`@bounce.${MANAGED_HOST}`);
  });

  test('is prepared as the message, signed by both keys', async () => {
    queueMessage(tenant, { now: NOW });
    const [claimed] = claim().claimed;
    const source = (await claimed?.prepare())?.toString() ?? '';
    expect(source.match(/^DKIM-Signature:/gm)).toHaveLength(2);
    expect(source).toMatch(/^Subject: Termin\r$/m);
    expect(source).toMatch(/^To: anna@example\.org\r$/m);
    expect(source).toContain('Guten Tag');
  });

  test('has its attempt and the next time on the disk before it is handed out', () => {
    queueMessage(tenant, { now: NOW });
    const { claimed } = claim();
    expect(claimed.map(({ row }) => row.attempts)).toEqual([1]);
    expect(rows()).toEqual([{ claimed: 1, attempts: 1, due_at: NOW + MINUTE }]);
    expect(claim({ now: NOW + HOUR }).claimed).toEqual([]);
  });

  test('is of one lane, and the next times of both are returned', () => {
    queueMessage(tenant, { kind: 'newsletter', dueAt: NOW - 5 });
    queueMessage(tenant, { dueAt: NOW + 7 });
    queueMessage(tenant, { dueAt: NOW });
    const { claimed, next } = claim();
    expect(claimed).toHaveLength(1);
    expect(next).toEqual({ 0: NOW + 7, 1: NOW - 5 });
    expect(claim({ lane: 1 }).claimed).toHaveLength(1);
  });
});

/** Hands a message over whose text the file does not have. */
const handOver = (
  { seq }: Pick<SampleMessage, 'seq'>,
  fields: Partial<MessageRow> = {},
  octets: readonly Uint8Array[] = [],
): void => {
  const store = messageStore(tenant.db);
  const [message, body] = [store.bySeq(seq), store.body(seq)];
  if (!message || !body) throw new Error('nothing is stored');
  store.handOver({
    message: { ...message, ...fields },
    body: { ...body, text: 'Aus dem Speicher' },
    attachments: octets.map((content) => ({
      filename: 'a.pdf',
      content_type: 'application/pdf',
      content_id: null,
      size_bytes: content.length,
      content,
    })),
    files: { octets, copies: store.recipients(seq).length },
    recipients: new Map(store.recipients(seq).map((row) => [row.id, row])),
    suppressionVersion: suppressionStore(tenant.db).version(),
  });
};

describe('what intake has just handed over', () => {
  const textOf = async () => (await claim().claimed[0]?.prepare())?.toString();
  const suppress = (address: Address) => {
    const manual = { place: wholeTeam, reason: 'manual', sourceMessageId: null, note: null } as const;
    addSuppression(tenant.db, deps.suppressionKey, { ...manual, address }, NOW);
  };

  test('is not read from the file again, but the second attempt is', async () => {
    handOver(queueMessage(tenant, { now: NOW }));
    const [first] = claim().claimed;
    expect((await first?.prepare())?.toString()).toContain('Aus dem Speicher');
    if (first) queueStore(tenant.db).giveBack(first.row, 0, NOW);
    expect(await textOf()).toContain('Guten Tag');
  });

  test('is read from the file where something of it has changed since', async () => {
    const message = queueMessage(tenant, { now: NOW });
    handOver(message);
    messageStore(tenant.db).setRecipientStatus(message.seq, message.recipientIds[0] ?? 0, 'queued', NOW);
    expect(await textOf()).toContain('Guten Tag');
  });

  test('is read from the file where any part of it is too large for the memory', async () => {
    const message = queueMessage(tenant, { now: NOW });
    handOver(message, { metadata_json: 'x'.repeat(9 * 1_024 * 1_024) });
    expect(await textOf()).toContain('Guten Tag');
  });

  test('has its files until the last copy is made', async () => {
    const recipients = ['anna@example.org', 'berta@example.org', 'carla@example.org'];
    const octets = Buffer.alloc(40_000, 'ABC');
    handOver(queueMessage(tenant, { recipients, now: NOW }), {}, [octets]);
    for (const left of [2, 1, 0]) {
      const [one] = claim({ limit: 1 }).claimed;
      expect((await one?.prepare())?.toString().match(/QUJD/g)?.length).toBeGreaterThan(13_000);
      expect(octets.length).toBe(left > 0 ? 40_000 : 0);
    }
  });

  // Made here, made here in memory of its own, and made on a thread.
  test.each([1_000, 40_000, 200_001])(
    'leaves with its file of %d octets and with signatures that are right',
    async (bytes) => {
      const records = new Map(
        deps
          .signersOf(tenant.db, tenant.tenantId, MANAGED_HOST)
          .map(({ algorithm, domain, selector, privateKey }) => [
            `${selector}._domainkey.${domain}`,
            dkimRecord(createPublicKey(privateKey), algorithm),
          ]),
      );
      // The memory of each is that of the one before.
      for (let round = 0; round < 3; round += 1) {
        const file = randomBytes(bytes);
        const recipients = ['anna@example.org', 'berta@example.org'];
        handOver(queueMessage(tenant, { recipients, now: NOW }), {}, [Buffer.from(file)]);
        for (const { prepare } of claim().claimed) {
          const message = await prepare();
          const { results } = await dkimVerify(message, {
            curTime: new Date(NOW),
            minBitLength: 1_024,
            resolver: async (name: string) => [[records.get(name) ?? '']],
          });
          expect(results.map(({ status }) => status.result)).toEqual(['pass', 'pass']);
          const { attachments, text } = await simpleParser(message);
          expect(text).toContain('Aus dem Speicher');
          expect(attachments.map(({ content }) => content.equals(file))).toEqual([true]);
          freeNow(message);
        }
      }
    },
  );

  test('goes to no one who has been suppressed since', () => {
    suppress('berta@example.org' as Address);
    const recipients = ['anna@example.org', 'carla@example.org'];
    handOver(queueMessage(tenant, { recipients, now: NOW }));
    suppress('anna@example.org' as Address);
    expect(claim().claimed.map(({ envelope }) => envelope.recipient)).toEqual(['carla@example.org']);
  });
});

describe('a paused tenant', () => {
  const setPause = (pause: Partial<PracticePause>): void => {
    const store = tenantStore(tenant.db);
    store.updatePause({ ...store.practice(), ...pause });
  };
  beforeEach(() => {
    setPause({ paused_at: 1, pause_reason: 'bounces' });
  });

  test('keeps its mail, untouched, and is looked at again later', () => {
    queueMessage(tenant, { dueAt: NOW });
    queueMessage(tenant, { kind: 'newsletter', dueAt: NOW + 5 * HOUR });
    expect(claim()).toEqual({ claimed: [], next: { 0: NOW + HOUR, 1: NOW + 5 * HOUR } });
    expect(rows()).toMatchObject([{ claimed: 0, attempts: 0 }, { claimed: 0 }]);
  });

  test('keeps none of it in memory', () => {
    const { seq, recipientIds } = queueMessage(tenant, { dueAt: NOW });
    handOver({ seq });
    claim();
    expect(messageStore(tenant.db).takeHandedOver(seq, recipientIds[0] ?? 0)).toBeUndefined();
  });

  test('sends it after it has been resumed', () => {
    queueMessage(tenant, { dueAt: NOW });
    claim();
    setPause({ paused_at: null });
    expect(claim().claimed).toHaveLength(1);
  });
});

describe('what cannot be sent', () => {
  test('is not prepared without its content', async () => {
    queueMessage(tenant, { now: NOW });
    tenant.db.prepare('DELETE FROM message_bodies').run();
    const [claimed] = claim().claimed;
    await expect(claimed?.prepare()).rejects.toThrow('content');
  });

  test('is not prepared unsigned', async () => {
    queueMessage(tenant, { now: NOW });
    tenant.db.prepare('DELETE FROM dkim_keys').run();
    const [claimed] = claim().claimed;
    await expect(claimed?.prepare()).rejects.toThrow('DKIM');
  });
});

describe('the service’s own mail', () => {
  const seal = (key: SealingKey, id: string) => {
    const { sealed } = sealContent(key, id, { text: 'Ihr Code: 123456', html: null });
    tenant.db.prepare('UPDATE message_bodies SET text = NULL, sealed = ?').run(sealed);
  };

  test('is opened when it is prepared', async () => {
    seal(contentKey, queueMessage(tenant, { now: NOW }).id);
    const [claimed] = claim().claimed;
    expect((await claimed?.prepare())?.toString()).toContain('Ihr Code: 123456');
  });

  test('is not prepared where it cannot be opened', async () => {
    queueMessage(tenant, { now: NOW });
    seal(contentKey, newId());
    const [claimed] = claim().claimed;
    await expect(claimed?.prepare()).rejects.toThrow('sealed content');
  });
});
