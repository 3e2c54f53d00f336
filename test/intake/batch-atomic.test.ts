// A batch of which all is accepted or nothing.
import { beforeEach, describe, expect, test } from 'vitest';
import { type BatchRequest, sendBatch } from '#src/intake/batch.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createLog } from '#src/kernel/log.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { ACCEPTED, createRelay, playUpstream, type Relay } from '#test/relay/fixture.ts';

const log = createLog('error', { write: () => undefined });
const letter = (to: string, fields: object = {}) => ({ to, subject: 'Termin', text: 'x', ...fields });
const three = ['a', 'b', 'c'].map((name) => letter(`${name}@example.org`));

let relay: Relay;
let tenantId: string;
beforeEach(async () => {
  relay = await createRelay([playUpstream(() => ACCEPTED)]);
  tenantId = await relay.createPractice('Nord');
});

const send = (
  items: BatchRequest['items'],
  key: string | null = null,
  intake = relay.intake,
  isAtomic = true,
) =>
  sendBatch(intake, {
    tenantId,
    projects: null,
    source: 'vendor-a',
    items,
    key,
    log,
    speak: inEnglish,
    isAtomic,
  });
const stored = () =>
  relay.storage.tenants.read(tenantId, (db) => {
    const countOf = (table: string) =>
      db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
    return { messages: countOf('messages'), queued: countOf('queue'), events: countOf('events') };
  });
const nothing = { messages: 0, queued: 0, events: 0 };

test('accepts all in their order', async () => {
  const { status, body } = await send(three);
  expect(status).toBe(202);
  expect(body).toMatchObject(three.map(() => ({ status: 'queued' })));
  expect((await stored()).messages).toBe(3);
});

describe('refuses the whole, and stores nothing,', () => {
  test.each([
    ['for a malformed item', letter('c@example.org', { subject: 7 }), 'invalid_request', 'body[2].subject'],
    ['for a malformed address', letter('nobody'), 'invalid_recipient', 'nobody'],
    [
      'for what a gate refuses',
      letter('c@example.org', { from: 'a@elsewhere.example' }),
      'from_not_allowed',
      'Message 3: ',
    ],
    [
      'for a template that does not exist',
      { to: 'c@example.org', template: 'weg' },
      'not_found',
      'Message 3: There is no template',
    ],
    [
      'for blocked content',
      letter('c@example.org', { text: 'https://gesperrt.example/' }),
      'content_blocked',
      'Message 3: ',
    ],
  ])('%s', async (_, item, code, words) => {
    const intake = {
      ...relay.intake,
      content: {
        ...relay.intake.content,
        rate: (draft: Parameters<typeof relay.intake.content.rate>[0]) => {
          const rated = relay.intake.content.rate(draft);
          return draft.text?.includes('gesperrt') ? { ...rated, block: 'score' as const } : rated;
        },
      },
    };
    const refusal = await send([three[0], three[1], item], 'key', intake).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ code });
    expect(JSON.stringify(refusal)).toContain(words);
    expect(await stored()).toEqual(nothing);
    // The key is free for the corrected batch.
    expect((await send(three, 'key')).replayed).toBe(false);
    expect((await stored()).messages).toBe(3);
  });
});

test('a repetition after a crash between the messages and the answer sends none twice', async () => {
  const write = relay.intake.files.write;
  let writes = 0;
  const dying = {
    ...relay.intake,
    files: {
      ...relay.intake.files,
      // The first write is the key's, the second the messages'; the process is gone before the third keeps the answer.
      write: ((id, work) => {
        writes += 1;
        return writes > 2 ? Promise.reject(new Error('gone')) : write(id, work);
      }) as typeof write,
    },
  };
  const first = await send(three, 'key', dying);
  const woken: Parameters<typeof relay.intake.wake>[] = [];
  const second = await send(three, 'key', { ...relay.intake, wake: (...args) => woken.push(args) });
  expect(second.body).toEqual(first.body);
  expect((await stored()).messages).toBe(3);
  // A failed sync, too, leaves messages that wait.
  expect(woken).toContainEqual([tenantId, 0, relay.clock.now()]);
});

test('the key of a batch of which a part was accepted is refused to one of which all must be, and the other way', async () => {
  const batch = [three[0], letter('nobody')];
  const { body } = await send(batch, 'key', relay.intake, false);
  expect(body).toMatchObject([{ status: 'queued' }, { code: 'invalid_recipient' }]);
  await expect(send(batch, 'key')).rejects.toMatchObject({ code: 'idempotency_conflict' });
  await send(three, 'other');
  await expect(send(three, 'other', relay.intake, false)).rejects.toMatchObject({
    code: 'idempotency_conflict',
  });
});

test('others have the event loop between two messages, and none is rated in the transaction', async () => {
  const { files, content } = relay.intake;
  let turn = 0;
  let isWriting = false;
  const rated: { turn: number; isWriting: boolean }[] = [];
  const watched = {
    ...relay.intake,
    files: {
      ...files,
      write: ((id, work) =>
        files.write(id, (db) => {
          isWriting = true;
          try {
            return work(db);
          } finally {
            isWriting = false;
          }
        })) as typeof files.write,
    },
    content: {
      ...content,
      rate: (draft: Parameters<typeof content.rate>[0]) => {
        rated.push({ turn, isWriting });
        const end = performance.now() + 6;
        while (performance.now() < end);
        return content.rate(draft);
      },
    },
  };
  const other = (): void => {
    turn += 1;
    if (rated.length < three.length) setImmediate(other);
  };
  setImmediate(other);
  await send(three, null, watched);
  expect(rated.map((one) => one.isWriting)).toEqual([false, false, false]);
  expect(new Set(rated.map((one) => one.turn)).size).toBe(3);
});
