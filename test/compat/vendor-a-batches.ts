// Batches and idempotency keys of vendor A's client, and what it reads back.
import { expect } from 'vitest';
import { UUID } from '#test/support/asking.ts';
import { OK } from '#test/support/smtp-receiver.ts';
import type { Behaviour } from './guide.ts';
import type { Scene } from './scene.ts';
import {
  clientOf,
  dataOf,
  ERIKA,
  expectRefused,
  letterOf,
  PDF,
  postPlain,
  sendWith,
} from './vendor-a-scene.ts';

const subjectsOf = async (scene: Scene, ids: readonly { id: string }[]) =>
  Promise.all(ids.map(async ({ id }) => (await scene.app.message(scene.sender, id)).subject));

const messagesOf = ({ app, sender }: Scene): number => app.rowCounts(sender.practice.id).messages ?? 0;

const numbered = (scene: Scene, count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...letterOf(scene), subject: `Brief ${index + 1}` }));

export const batches: readonly Behaviour<Scene>[] = [
  {
    what: '`batch.send` takes up to 100 messages and answers their ids in their order',
    run: async (scene) => {
      const { data } = dataOf(await clientOf(scene).batch.send(numbered(scene, 3)));
      expect(await subjectsOf(scene, data)).toEqual(['Brief 1', 'Brief 2', 'Brief 3']);
      const before = messagesOf(scene);
      const refused = await clientOf(scene).batch.send(numbered(scene, 101));
      expectRefused(refused, 'validation_error', 422, /at most 100 items/);
      expect(messagesOf(scene)).toBe(before);
    },
  },
  {
    what: 'In a strict batch, the default, one wrong message refuses all, and nothing is sent',
    run: async (scene) => {
      const before = messagesOf(scene);
      const [good, bad] = numbered(scene, 2) as [ReturnType<typeof letterOf>, ReturnType<typeof letterOf>];
      const strict = async (wrong: object, name: string, status: number, words: RegExp) =>
        expectRefused(
          await clientOf(scene).batch.send([good, { ...bad, ...wrong }, good]),
          name,
          status,
          words,
        );
      await strict({ to: undefined }, 'missing_required_field', 422, /^Missing `to` field in message 2\./);
      await strict({ to: 'erika' }, 'validation_error', 422, /Message 2: to: /);
      await strict({ from: 'Praxis' }, 'invalid_from_address', 422, /`from` of message 2/);
      await strict({ from: 'a@nirgends.example' }, 'validation_error', 403, /Message 2: /);
      await strict({ scheduledAt: 'tomorrow' }, 'validation_error', 422, /`scheduled_at` of message 2/);
      expect(messagesOf(scene)).toBe(before);
    },
  },
  {
    what: 'In a permissive batch those that are right are sent, and `errors` names the others by `index`',
    run: async (scene) => {
      const [one, two] = numbered(scene, 2) as [ReturnType<typeof letterOf>, ReturnType<typeof letterOf>];
      const batch = [{ ...one, to: 'erika' }, one, { ...one, scheduledAt: 'in 1 min' }, two];
      const { data, errors } = dataOf(
        await clientOf(scene).batch.send(batch, { batchValidation: 'permissive' }),
      );
      expect(await subjectsOf(scene, data)).toEqual(['Brief 1', 'Brief 2']);
      expect(errors).toEqual([
        { index: 0, message: expect.stringContaining('to: ') },
        { index: 2, message: expect.stringContaining('campaigns/{campaignID}/schedule') },
      ]);
      const good = await clientOf(scene).batch.send([one], { batchValidation: 'permissive' });
      expect(dataOf(good).errors).toEqual([]);
      const none = await clientOf(scene).batch.send([{ ...one, to: 'erika' }], {
        batchValidation: 'permissive',
      });
      expect(dataOf(none)).toMatchObject({ data: [], errors: [{ index: 0 }] });
    },
  },
  {
    what: 'Attachments in a batch',
    differs: 'they are sent',
    run: async (scene) => {
      const attachments = [{ filename: 'Befund.pdf', content: PDF }];
      const sent = await clientOf(scene).batch.send([{ ...letterOf(scene), attachments } as never]);
      const [first] = dataOf(sent).data;
      const mail = await scene.arrived(first?.id ?? '', ERIKA);
      expect(mail.attachments[0]?.content.equals(PDF)).toBe(true);
    },
  },
  {
    what: '`idempotencyKey`: a repetition within 24 hours is answered with the same id, and nothing is sent again',
    run: async (scene) => {
      const send = (fields: object = {}) =>
        clientOf(scene).emails.send({ ...letterOf(scene), ...fields }, { idempotencyKey: 'welcome/17' });
      const first = await send();
      const before = messagesOf(scene);
      const again = await send();
      expect(dataOf(again).id).toBe(dataOf(first).id);
      expect(again.headers?.['idempotent-replayed']).toBe('true');
      expectRefused(await send({ subject: 'Anders' }), 'invalid_idempotent_request', 409, /key was used/);
      expect(messagesOf(scene)).toBe(before);
    },
  },
  {
    what: 'The same holds for a batch; a refused request leaves its key free',
    run: async (scene) => {
      const idempotencyKey = 'batch/17';
      const send = (batch: ReturnType<typeof numbered>) =>
        clientOf(scene).batch.send(batch, { idempotencyKey });
      const wrong = await send(numbered(scene, 2).map((letter) => ({ ...letter, to: 'erika' })));
      expectRefused(wrong, 'validation_error', 422, /./);
      const first = dataOf(await send(numbered(scene, 2)));
      const before = messagesOf(scene);
      expect(dataOf(await send(numbered(scene, 2)))).toEqual(first);
      expectRefused(await send(numbered(scene, 3)), 'invalid_idempotent_request', 409, /key was used/);
      const permissive = await clientOf(scene).batch.send(numbered(scene, 2), {
        idempotencyKey,
        batchValidation: 'permissive',
      });
      expectRefused(permissive, 'invalid_idempotent_request', 409, /key was used/);
      expect(messagesOf(scene)).toBe(before);
    },
  },
  {
    what: 'A key of more than 256 characters is refused with 400 `invalid_idempotency_key`',
    run: async (scene) => {
      const options = { idempotencyKey: 'k'.repeat(257) };
      const refused = await clientOf(scene).emails.send(letterOf(scene), options);
      expectRefused(refused, 'invalid_idempotency_key', 400, /1 to 256 characters/);
    },
  },
  {
    what: '`emails.get` shows the message with its `last_event`',
    differs:
      '`html` and `text` are null for who may not see content: project tokens, and roles without `messages.view_content`',
    run: async (scene) => {
      const fields = {
        to: ['Erika Muster <erika@example.org>', 'a@example.org'],
        cc: 'c@example.org',
        replyTo: ['"Empfang, links" <r@example.org>'],
        tags: [{ name: 'a', value: 'b' }],
        text: 'Text',
      };
      const id = await sendWith(scene, fields);
      const { message_id } = dataOf(await clientOf(scene).emails.get(id));
      await scene.arrived(id, ERIKA);
      const shown = dataOf(await clientOf(scene).emails.get(id));
      expect(shown).toEqual({
        object: 'email',
        id,
        message_id: expect.stringMatching(/^<[0-9a-f-]{36}@.+>$/),
        from: letterOf(scene).from,
        to: fields.to,
        cc: ['c@example.org'],
        bcc: null,
        reply_to: fields.replyTo,
        subject: 'Ihr Befund',
        html: letterOf(scene).html,
        text: 'Text',
        tags: fields.tags,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        last_event: 'sent',
        scheduled_at: null,
      });
      expect(shown.message_id).toBe(message_id);
      const project_id = (await scene.app.message(scene.sender, id)).project_id;
      const token = await scene.app.createToken(scene.sender.practice.id, { scope: 'project', project_id });
      const limited = dataOf(await clientOf(scene, token).emails.get(id));
      expect(limited).toEqual({ ...shown, html: null, text: null });
    },
  },
  {
    what: '`last_event` is one of the words that the client knows',
    differs:
      'mail to an address that is suppressed here is accepted and has `suppressed`, with no attempt to send it',
    run: async (scene) => {
      const { app, sender, receiver } = scene;
      const eventOf = async (id: string) => dataOf(await clientOf(scene).emails.get(id)).last_event;
      await app.request('POST', `${sender.base}/suppression`, { address: 's@example.org' }, sender.token);
      expect(await eventOf(await sendWith(scene, { to: 's@example.org' }))).toBe('suppressed');
      // What rows before have sent may still be on its way to others.
      const gone = 'weg@example.org';
      receiver.setBehaviour({ rcpt: ({ address }) => (address === gone ? '550 5.1.1 User unknown' : OK) });
      const bounced = await sendWith(scene, { to: gone });
      await app.untilStatus(sender, bounced, 'hard_bounced');
      receiver.setBehaviour({});
      expect(await eventOf(bounced)).toBe('bounced');
      const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
      const later = await app.send(sender, { scheduled_at });
      expect(dataOf(await clientOf(scene).emails.get(later))).toMatchObject({
        last_event: 'scheduled',
        scheduled_at,
      });
    },
  },
  {
    what: '`emails.list` has the newest first, in pages by `limit`, `after` and `before`',
    run: async (scene) => {
      const token = await scene.app.createSender().then((sender) => sender.token);
      const client = clientOf(scene, token);
      const ids: string[] = [];
      for (const subject of ['1', '2', '3', '4', '5']) {
        const sent = await client.post<{ id: string }>('/emails', { to: ERIKA, subject, text: 'Text' });
        ids.unshift(dataOf(sent).id);
      }
      const page = async (options: object) => {
        const { data, has_more, object } = dataOf(await client.emails.list(options as never));
        expect(object).toBe('list');
        return [data.map(({ subject }) => subject).join(''), has_more];
      };
      const idOf = (subject: number): string => ids[5 - subject] ?? '';
      expect(await page({})).toEqual(['54321', false]);
      expect(await page({ limit: 2 })).toEqual(['54', true]);
      expect(await page({ limit: 2, after: idOf(4) })).toEqual(['32', true]);
      expect(await page({ limit: 2, after: idOf(2) })).toEqual(['1', false]);
      expect(await page({ limit: 2, before: idOf(1) })).toEqual(['32', true]);
      expect(await page({ limit: 5, before: idOf(3) })).toEqual(['54', false]);
      const [first] = dataOf(await client.emails.list({ limit: 1 })).data;
      expect(first).toMatchObject({ id: idOf(5), message_id: expect.any(String), to: [ERIKA], cc: null });
      expectRefused(await client.emails.list({ limit: 101 }), 'invalid_parameter', 422, /at most 100/);
      const both = { after: idOf(4), before: idOf(1) } as never;
      expectRefused(await client.emails.list(both), 'invalid_parameter', 422, /beside `after`/);
      const foreign = dataOf(await postPlain(scene, {})).id;
      expectRefused(await client.emails.list({ after: foreign }), 'not_found', 404, /no such message/);
    },
  },
  {
    what: 'With a token of one project `emails.list` has its messages only, however many of others lie between them',
    differs:
      'where more than a second of looking finds none, 422 `invalid_parameter` names the search to use',
    run: async ({ app, ...scene }) => {
      const sender = await app.createSender();
      const { body } = await app.request<{ id: string }>(
        'POST',
        `${sender.base}/projects`,
        { name: 'Zwei', slug: 'zwei' },
        sender.token,
      );
      const own = { project_id: body.id };
      const first = await app.send(sender, own);
      const other = await app.send(sender);
      const ask = <T>(statement: string) => app.sql<T>(sender.practice.id, statement);
      const [row] = ask<{ rest: string }>(
        `SELECT group_concat(name) AS rest FROM pragma_table_info('messages') WHERE name NOT IN ('seq', 'id')`,
      );
      ask(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         INSERT INTO messages (id, ${row?.rest}) SELECT 'other' || i, ${row?.rest} FROM n, messages WHERE id = '${other}'`,
      );
      const last = await app.send(sender, own);
      const token = await app.createToken(sender.practice.id, { scope: 'project', ...own });
      const { emails } = clientOf({ ...scene, app }, token);
      const page = async (options: object) => {
        const { data, has_more } = dataOf(await emails.list(options as never));
        return [data.map(({ id }) => id), has_more];
      };
      expect(await page({})).toEqual([[last, first], false]);
      expect(await page({ limit: 1 })).toEqual([[last], true]);
      expect(await page({ after: last })).toEqual([[first], false]);
      expect(await page({ before: first })).toEqual([[last], false]);
    },
  },
  {
    what: 'A message that is not yours, or none, is 404 `not_found`; what is no id is 422 `invalid_parameter`',
    run: async (scene) => {
      const other = await scene.app.createSender();
      const foreign = await scene.app.send(other);
      for (const id of [foreign, crypto.randomUUID()])
        expectRefused(await clientOf(scene).emails.get(id), 'not_found', 404, /no such message/);
      expectRefused(await clientOf(scene).emails.get('17'), 'invalid_parameter', 422, /`params\.id`.*UUID/);
    },
  },
  {
    what: '`domains.list` and `domains.get` show the sending domains and their records',
    differs:
      "a domain's id is its name; the managed host is among them, with no records to publish; DMARC is among the records; `region` is always `eu-west-1`",
    run: async (scene) => {
      const { app, sender } = scene;
      const pending = await app.createSender({ domain: 'praxis-muster.example' });
      const client = clientOf(scene, pending.token);
      const { data } = dataOf(await client.domains.list());
      expect(data).toMatchObject([
        { id: pending.practice.managed_host, status: 'verified', capabilities: { sending: 'enabled' } },
        { id: 'praxis-muster.example', name: 'praxis-muster.example', status: 'pending' },
      ]);
      const { records } = dataOf(await client.domains.get('praxis-muster.example'));
      expect(new Set(records.map(({ record }) => record))).toEqual(new Set(['DKIM', 'SPF', 'DMARC']));
      expect(records[0]).toEqual({
        record: 'DKIM',
        name: expect.stringContaining('._domainkey.praxis-muster.example'),
        type: 'CNAME',
        ttl: 'Auto',
        status: 'not_started',
        value: expect.stringContaining('.dkim.'),
      });
      expect(records).toContainEqual(expect.objectContaining({ record: 'SPF', type: 'MX', priority: 10 }));
      expect(dataOf(await client.domains.get(pending.practice.managed_host)).records).toEqual([]);
      expectRefused(
        await client.domains.get(sender.practice.managed_host),
        'not_found',
        404,
        /no such domain/,
      );
    },
  },
  {
    what: 'Ids are UUIDs that grow with time',
    run: async (scene) => {
      const first = await sendWith(scene);
      const second = await sendWith(scene);
      expect([first, second]).toEqual([UUID, UUID]);
      expect(second > first).toBe(true);
    },
  },
];
