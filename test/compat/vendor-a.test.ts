// Vendor A's published client, unmodified, against the daemon: what it relies on, row by row, and the guide for those who come
// from there, made of the rows.
// @module-tag slow
import { Resend } from 'resend';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { asVendorA } from '#src/compat/errors.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { letter, startApp } from '#test/support/app.ts';
import { createHook, outboundTo, requestTo } from '#test/support/hooks.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { describedPaths } from '#test/support/openapi.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { type PlayedRspamd, startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { until } from '#test/support/process.ts';
import { type Behaviour, guideText } from './guide.ts';
import { openScene, type Scene } from './scene.ts';
import { batches } from './vendor-a-batches.ts';
import { errors } from './vendor-a-errors.ts';
import { guide } from './vendor-a-guide.ts';
import { clientOf, dataOf, expectRefused, letterOf, sendWith } from './vendor-a-scene.ts';
import { sending } from './vendor-a-sending.ts';

interface WholeScene extends Scene {
  readonly rspamd: PlayedRspamd;
  readonly hooks: HttpsReceiver;
}

let scene: WholeScene;
beforeAll(async () => {
  const rspamd = await startPlayedRspamd();
  const hooks = await startHttpsReceiver();
  const opened = await openScene({
    keyPatienceMs: 50,
    config: {
      service: { public_origin: 'https://mail.example.com' },
      scanners: { rspamd: { url: rspamd.url, timeout: '60s' } },
      security: outboundTo(hooks),
    },
  });
  scene = { ...opened, rspamd, hooks };
});
afterAll(async () => {
  await scene?.close();
  await scene?.rspamd.stop();
  await scene?.hooks.stop();
});

const reaching: readonly Behaviour<WholeScene>[] = [
  {
    what: 'The base address may be `/api/compat/resend`, `/api/compat/vendor-a` or that of the service alone',
    run: async (here) => {
      for (const base of ['/api/compat/resend', '/api/compat/vendor-a', ''])
        await here.arrived(
          dataOf(await clientOf(here, here.sender.token, base).emails.send(letterOf(here))).id,
          'erika@example.org',
        );
    },
  },
  {
    what: 'The base address may be in the environment, as `RESEND_BASE_URL`, and the key as `RESEND_API_KEY`',
    run: async (here) => {
      vi.stubEnv('RESEND_BASE_URL', `${here.app.origin}/api/compat/resend`);
      vi.stubEnv('RESEND_API_KEY', here.sender.token);
      try {
        dataOf(await new Resend().emails.send(letterOf(here)));
      } finally {
        vi.unstubAllEnvs();
      }
    },
  },
  {
    what: 'A key is limited to what it is for',
    differs:
      'team tokens of a practice, tokens of one project, and sessions of people, which name the practice in `X-Service-Practice`; who may not do a thing gets 401 `restricted_api_key`',
    run: async (here) => {
      const { practice } = here.sender;
      const [project] = here.app.sql<{ id: string }>(practice.id, 'SELECT id FROM projects');
      const token = await here.app.createToken(practice.id, { scope: 'project', project_id: project?.id });
      dataOf(await clientOf(here, token).emails.send(letterOf(here)));
      const app = await startApp({ config: unlimitedSignIn });
      try {
        const { practice: other } = await app.createSender();
        const there = { ...here, app };
        const headers = { 'X-Service-Practice': other.id };
        const body = { ...letter, from: other.default_from };
        const as = async (role_id: string) => {
          const person = await join(app, other.id, `${role_id}@example.org`, { role_id });
          return clientOf(there, person.token).emails.send(body, { headers });
        };
        dataOf(await as('member'));
        expectRefused(await as('viewer'), 'restricted_api_key', 401, /permission messages\.send/);
      } finally {
        await app.remove();
      }
    },
  },
  {
    what: 'A second request under the key of one that still runs is 409 `concurrent_idempotent_requests`',
    differs: 'after it has waited half a minute for the first one',
    run: async (here) => {
      const answerNow = here.rspamd.hang();
      const { length } = here.rspamd.asked;
      const send = () => clientOf(here).emails.send(letterOf(here), { idempotencyKey: 'held' });
      const first = send();
      await until('the first is looked at', () => here.rspamd.asked.length > length);
      expectRefused(await send(), 'concurrent_idempotent_requests', 409, /still running/);
      answerNow();
      const { id } = dataOf(await first);
      expect(dataOf(await send()).id).toBe(id);
    },
  },
  {
    what: 'Content that is held for spam or carries a virus is refused with 422 `validation_error`',
    differs:
      'the reasons are in the error’s `message`, and the id under which the mail is kept as failed; of a strict batch nothing is kept',
    run: async ({ app, sender, ...here }) => {
      here.rspamd.reject('verboten');
      const { emails, batch } = clientOf({ ...here, app, sender });
      const right = letterOf({ ...here, app, sender });
      const wrong = { ...right, text: 'Das ist verboten.' };
      const refused = await emails.send(wrong);
      expectRefused(refused, 'validation_error', 422, /`content_reasons`: \w/);
      const [, id = ''] = /`message_id`: ([\w-]+)/.exec(refused.error?.message ?? '') ?? [];
      expect((await app.message(sender, id)).status).toBe('failed');
      const kept = () => app.rowCounts(sender.practice.id).messages;
      const before = kept();
      expectRefused(await batch.send([right, wrong]), 'validation_error', 422, /Message 2: .*content/);
      expect(kept()).toBe(before);
    },
  },
  {
    what: '`webhooks.verify` accepts our webhooks',
    differs:
      'their headers and signature are those of Standard Webhooks; the payload is `{ id, event, timestamp, data }`, with the events of `/reference`',
    run: async (here) => {
      const hook = await createHook(here.app, here.sender, here.hooks.url('/a'), ['message.sent']);
      await here.arrived(await sendWith(here), 'erika@example.org');
      const { headers, body } = await requestTo(here.hooks, hook);
      const given = {
        payload: body.toString(),
        headers: {
          id: String(headers['webhook-id']),
          timestamp: String(headers['webhook-timestamp']),
          signature: String(headers['webhook-signature']),
        },
        webhookSecret: hook.secret,
      };
      const { webhooks } = clientOf(here);
      expect(webhooks.verify(given)).toMatchObject({ event: 'message.sent' });
      expect(() => webhooks.verify({ ...given, payload: `${given.payload} ` })).toThrow(/signature/);
    },
  },
  {
    what: 'What else the client can call',
    differs:
      'audiences, contacts, segments, topics, broadcasts, API keys, webhooks, templates, events, inboxes, logs, suppressions and usage are 404 `not_found`, or 405 where the path takes other methods, and name what to use here',
    run: async (here) => {
      const paths = await describedPaths<Record<string, object>>(here.app);
      for (const base of ['/api/compat/resend', '']) {
        const client = clientOf(here, here.sender.token, base);
        const id = crypto.randomUUID();
        const answers = await Promise.all([
          client.apiKeys.create({ name: 'a' }),
          client.audiences.create({ name: 'a' }),
          client.automations.list(),
          client.broadcasts.list(),
          client.contactProperties.list(),
          client.contacts.create({ email: 'a@example.org' }),
          client.contacts.imports.list(),
          client.domains.create({ name: 'praxis.example' }),
          client.domains.verify('praxis.example'),
          client.domains.remove('praxis.example'),
          client.emails.attachments.list({ emailId: id }),
          client.emails.metrics(),
          client.emails.receiving.list(),
          client.emails.receiving.get(id),
          client.emails.share(id),
          client.events.list(),
          client.inboxes.list(),
          client.logs.list(),
          client.oauthGrants.list(),
          client.segments.list(),
          client.suppressions.list(),
          client.templates.list(),
          client.topics.list(),
          client.usage.get(),
          client.webhooks.list(),
        ]);
        for (const [place, { error }] of answers.entries()) {
          expect({ place, ...error }).toMatchObject({
            place,
            statusCode: error?.name === 'method_not_allowed' ? 405 : 404,
            name: expect.stringMatching(/^(?:not_found|method_not_allowed)$/),
          });
          const [, method = '', path = ''] = /Use ([A-Z]+) (\/\S+);/.exec(error?.message ?? '') ?? [];
          expect(paths[path], error?.message).toHaveProperty(method.toLowerCase());
        }
      }
    },
  },
];

const behaviours: readonly Behaviour<WholeScene>[] = [...reaching, ...sending, ...batches, ...errors];

describe(`vendor A's client: ${behaviours.length} behaviours`, () => {
  test.each(behaviours)('$what', ({ run }) => run(scene));
});

/** All that the client's types know. */
const NAMES: Readonly<Record<string, readonly number[]>> = {
  missing_api_key: [401],
  restricted_api_key: [401],
  invalid_api_key: [403],
  validation_error: [400, 403, 413, 422],
  missing_required_field: [422],
  invalid_idempotency_key: [400],
  invalid_idempotent_request: [409],
  concurrent_idempotent_requests: [409],
  invalid_attachment: [422],
  invalid_from_address: [422],
  invalid_parameter: [422],
  not_found: [404],
  method_not_allowed: [405],
  monthly_quota_exceeded: [429],
  daily_quota_exceeded: [429],
  rate_limit_exceeded: [429],
  internal_server_error: [500],
  application_error: [503],
};

test.each(Object.keys(errorTable) as ErrorCode[])('%s is an error that the client knows', (code) => {
  const [name, status] = errorTable[code].foreign.a;
  expect(NAMES[name]).toContain(status);
  const refusal = { code, error: 'So it is.', hint: 'Do that.' };
  expect(asVendorA(refusal)).toEqual({ statusCode: status, name, message: 'So it is. Do that.' });
});

test('the guide says what the rows show', async () => {
  await expect(guideText(guide, behaviours)).toMatchFileSnapshot('../../docs/from-resend.md');
});
