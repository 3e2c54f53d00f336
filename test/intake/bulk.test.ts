// Failures in the middle of a bulk or batch, and scanners.
import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type Assessment, combine } from '#src/content/assessment.ts';
import { type ContentCheck, createContentCheck } from '#src/content/check-content.ts';
import { rateContent } from '#src/content/rate-content.ts';
import { type BatchRequest, sendBatch } from '#src/intake/batch.ts';
import { type BulkRequest, sendBulk } from '#src/intake/bulk.ts';
import type { IntakeContext } from '#src/intake/intake-context.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { createLog } from '#src/kernel/log.ts';
import { inEnglish, say } from '#src/kernel/say.ts';
import type { ScannerReport } from '#src/kernel/scanner-report.ts';
import { ACCEPTED, createRelay, playUpstream, type Relay } from '#test/relay/fixture.ts';

const log = createLog('error', { write: () => undefined });
const template = { subject: 'Neues', text: 'Guten Tag {{name}},\n\n{{link}}' };

let relay: Relay;
let tenantId: string;
beforeEach(async () => {
  relay = await createRelay([playUpstream(() => ACCEPTED)]);
  tenantId = await relay.createPractice('Nord');
});

interface Result {
  readonly id?: string;
  readonly code?: string;
  readonly status?: string;
}

const recipients = (count: number, link = 'https://praxis.example/') =>
  Array.from({ length: count }, (_, index) => ({
    email: `r${index}@example.org`,
    data: { name: `R${index}`, link },
  }));

const bulk = async (intake: IntakeContext, body: Partial<BulkRequest['body']>, key: string | null = null) => {
  const request = {
    tenantId,
    projects: null,
    key,
    log,
    speak: inEnglish,
    body: { template, recipients: [], ...body },
  };
  const { status, body: answer, replayed } = await sendBulk(intake, request);
  return { status, replayed, results: (answer as { results: Result[] }).results };
};
const batch = async (intake: IntakeContext, items: BatchRequest['items'], key: string | null = null) => {
  const { status, body, replayed } = await sendBatch(intake, {
    tenantId,
    projects: null,
    source: 'batch',
    items,
    key,
    log,
    speak: inEnglish,
  });
  return { status, replayed, results: body as Result[] };
};
const read = <T>(work: (db: TenantDb) => T): Promise<T> => relay.storage.tenants.read(tenantId, work);
const countOf = (table: string) =>
  read((db) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get());
const codesOf = (results: readonly Result[]) => results.map(({ code, status }) => code ?? status);

/** This number of writes succeeds; then the disk is full, until `heal`. */
const failAfter = (writes: number) => {
  let left = writes;
  const { files } = relay.intake;
  const write: typeof files.write = (id, work) => {
    left -= 1;
    const full = { extra: { retry_after: 5 } };
    return left >= 0
      ? files.write(id, work)
      : Promise.reject(new AppError('unavailable', say`The data cannot be stored at the moment.`, full));
  };
  return {
    intake: { ...relay.intake, files: { ...files, write } },
    heal: () => {
      left = Number.POSITIVE_INFINITY;
    },
  };
};

describe.each([
  [
    'a bulk',
    (intake: IntakeContext, key: string | null, count = 200) =>
      bulk(intake, { recipients: recipients(count) }, key),
  ],
  [
    'a batch',
    (intake: IntakeContext, key: string | null, count = 200) =>
      batch(
        intake,
        recipients(count).map(({ email }) => ({ to: email, subject: 'Termin', text: 'x' })),
        key,
      ),
  ],
] as const)('%s during which the disk becomes full', (_, send) => {
  test('answers for each message whether it was stored; the same request again stores the rest', async () => {
    const { intake, heal } = failAfter(100);
    const first = await send(intake, 'key');
    const stored = first.results.flatMap(({ id }) => id ?? []);
    expect(first.status).toBe(202);
    // The first ones are the request's own: its key, its content.
    expect([98, 99]).toContain(stored.length);
    expect(first.results.filter(({ code }) => code === 'unavailable')).toHaveLength(200 - stored.length);
    heal();
    await expect(send(intake, 'key', 201)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    const second = await send(intake, 'key');
    expect({ status: second.status, replayed: second.replayed }).toEqual({ status: 202, replayed: false });
    expect(new Set(codesOf(second.results))).toEqual(new Set(['queued']));
    expect(second.results.flatMap(({ id }) => id ?? [])).toEqual(expect.arrayContaining(stored));
    expect(await countOf('messages')).toBe(200);
    const third = await send(intake, 'key');
    expect(third).toEqual({ ...second, replayed: true });
  });
});

describe('an item that causes a defect', () => {
  test('fails alone, and the repeated request tries it again', async () => {
    let broken = true;
    const intake: IntakeContext = {
      ...relay.intake,
      content: {
        ...relay.intake.content,
        rate: (content) => {
          if (broken && content.subject === 'kaputt') throw new TypeError('defect');
          return relay.intake.content.rate(content);
        },
      },
    };
    const items = ['gut', 'kaputt', 'gut'].map((subject) => ({ to: 'a@example.org', subject, text: 'x' }));
    expect(codesOf((await batch(intake, items, 'key')).results)).toEqual([
      'queued',
      'internal_error',
      'queued',
    ]);
    await expect(batch(intake, items.slice(1), 'key')).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    broken = false;
    expect(codesOf((await batch(intake, items, 'key')).results)).toEqual(['queued', 'queued', 'queued']);
    expect(await countOf('messages')).toBe(3);
  });
});

test('a refusal that concerns all is answered once, also where the first recipient would be refused by itself', async () => {
  const given = {
    recipients: [{ email: 'jürgen@example.org' }, ...recipients(2)],
    headers: { Bcc: 'x@example.org' },
  };
  await expect(
    bulk(relay.intake, { ...given, template: { subject: 'Neues', text: 'x' } }),
  ).rejects.toMatchObject({
    code: 'header_not_allowed',
  });
  expect(await countOf('messages')).toBe(0);
});

describe('where scanners are configured', () => {
  const asked: string[][] = [];
  const report: ScannerReport = {
    rspamd: { state: 'ok', action: 'no action', score: 0, required: 15, symbols: [] },
    clamd: { state: 'skipped', virus: null, attachment: null },
    links: { state: 'off', listed: [] },
  };
  /** Scanners that report this for every message. */
  const reporting = (fields: Partial<ScannerReport>): IntakeContext => {
    asked.length = 0;
    const said = { ...report, ...fields };
    const rules = createContentCheck();
    const content: ContentCheck = {
      ...rules,
      scans: () => true,
      rate: (one) => combine(rateContent(one), report),
      scan: async (one): Promise<Assessment> => {
        asked.push([...one.recipients]);
        return combine(rateContent(one), said);
      },
    };
    return { ...relay.intake, content };
  };

  test('they are asked for the template, and once for the recipients whose values name the same host', async () => {
    const given = [{ email: 'nobody', data: { name: 'N', link: '' } }, ...recipients(30)];
    const { status } = await bulk(reporting({}), { recipients: given });
    expect({ status, asked }).toEqual({ status: 202, asked: [['r0@example.org'], ['r0@example.org']] });
  });

  test('a rejection keeps every message as failed, and the key keeps the answer', async () => {
    const intake = reporting({ rspamd: { ...report.rspamd, action: 'reject', score: 30, symbols: ['BAD'] } });
    const { status, results } = await bulk(intake, { recipients: recipients(3) }, 'key');
    expect({ status, codes: codesOf(results) }).toEqual({
      status: 422,
      codes: ['content_blocked', 'content_blocked', 'content_blocked'],
    });
    const statuses = await read((db) => db.prepare<[], string>('SELECT status FROM messages').pluck().all());
    expect(statuses).toEqual(['failed', 'failed', 'failed']);
    const again = await bulk(intake, { recipients: recipients(3) }, 'key');
    expect(again).toEqual({ status: 422, results, replayed: true });
    expect(await countOf('messages')).toBe(3);
  });

  test('their report counts for the score of every message', async () => {
    const intake = reporting({ rspamd: { ...report.rspamd, score: 6 } });
    await bulk(intake, { recipients: recipients(3) });
    const scores = await read((db) => db.prepare<[], number>('SELECT score FROM messages').pluck().all());
    expect(scores).toHaveLength(3);
    for (const score of scores) expect(score).toBeGreaterThanOrEqual(28);
  });

  test('and are required but do not answer, nothing is stored', async () => {
    const intake = reporting({});
    const silent = new AppError('unavailable', say`silent`, { extra: { retry_after: 1 } });
    const content = { ...intake.content, scan: () => Promise.reject(silent) };
    await expect(bulk({ ...intake, content }, { recipients: recipients(3) }, 'key')).rejects.toBe(silent);
    expect([
      await countOf('messages'),
      await countOf('shared_contents'),
      await countOf('idempotency_keys'),
    ]).toEqual([0, 0, 0]);
  });
});

test('a host on the operator’s list blocks the messages that link to it, and no others', async () => {
  const blockList = {
    isConfigured: () => true,
    find: (hosts: readonly string[]) =>
      hosts.includes('bad.example') ? [{ host: 'bad.example', list: 'local', weight: 100 }] : [],
  };
  const scanners = { rspamd: null, clamd: null, dnsLists: null, blockList, onFailure: () => 'pass' as const };
  const intake = { ...relay.intake, content: createContentCheck(scanners) };
  const [first, second, third] = recipients(3);
  const bad = { email: 'bad@example.org', data: { name: 'B', link: 'https://bad.example/' } };
  const { results } = await bulk(intake, { recipients: [first, bad, second, third] });
  expect(codesOf(results)).toEqual(['queued', 'content_blocked', 'queued', 'queued']);
});

test('values for all are stored once, however many and long', async () => {
  const data = {
    name: 'Sie',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`v${index}`, 'x '.repeat(500)])),
  };
  const text = Array.from({ length: 20 }, (_, index) => `{{v${index}}}`).join('');
  const own = recipients(3);
  const { results } = await bulk(relay.intake, { template: { subject: 'x', text }, data, recipients: own });
  expect(codesOf(results)).toEqual(['queued', 'queued', 'queued']);
  const stored = await read((db) =>
    db.prepare<[], string>('SELECT data_json FROM message_bodies').pluck().all(),
  );
  expect(stored).toEqual(['{}', '{}', '{}']);
});

test('own values that would take too much space are refused, and nothing is stored', async () => {
  const data = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`v${index}`, 'x'.repeat(10_000)]),
  );
  const text = Object.keys(data)
    .map((name) => `{{${name}}}`)
    .join('');
  const asked = bulk(relay.intake, {
    template: { subject: 'x', text },
    recipients: recipients(501).map((one) => ({ ...one, data })),
  });
  await expect(asked).rejects.toMatchObject({
    code: 'invalid_request',
    extra: { fields: [{ path: 'body.recipients' }] },
  });
  expect(await countOf('messages')).toBe(0);
});

test('a key of another project is neither shown nor changed', async () => {
  const project = await read((db) => tenantStore(db).defaultProject().id);
  const body = { template, recipients: recipients(1), project_id: project };
  const ask = (projects: ReadonlySet<string> | null, asked: BulkRequest['body']) =>
    sendBulk(relay.intake, { tenantId, projects, body: asked, key: 'key', log, speak: inEnglish });
  expect((await ask(null, body)).replayed).toBe(false);
  const elsewhere = new Set([newId()]);
  for (const asked of [body, { ...body, recipients: recipients(2) }])
    await expect(ask(elsewhere, asked)).rejects.toMatchObject({ code: 'not_found' });
  expect((await ask(null, body)).replayed).toBe(true);
});
