// How vendor A's client is refused: each error by the name and status that its users branch on, with the service's hint.
import { type ErrorResponse, Resend } from 'resend';
import { expect } from 'vitest';
import { startApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';
import type { Behaviour } from './guide.ts';
import { startMute } from './mute.ts';
import type { Scene } from './scene.ts';
import { BASE, clientOf, dataOf, ERIKA, expectRefused, letterOf, postPlain } from './vendor-a-scene.ts';

const SCHEDULE = /campaigns\/\{campaignID\}\/schedule/;

const post = (scene: Scene, headers: Record<string, string>, body: string | undefined) =>
  fetch(`${scene.app.origin}${BASE}/emails`, {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  });

/** What is answered while these limits hold. */
const underLimits = async <T>(
  { app }: Pick<Scene, 'app'>,
  limits: object,
  ask: () => Promise<T>,
): Promise<T> => {
  await app.reconfigure({ limits });
  try {
    return await ask();
  } finally {
    await app.reconfigure({});
  }
};

/** What the client cannot be made to send. */
const refusalOf = async (scene: Scene, headers: Record<string, string>, body?: string) => {
  const answer = await post(scene, { 'Content-Type': 'application/json', ...headers }, body);
  const error = (await answer.json()) as ErrorResponse;
  expect(answer.status).toBe(error.statusCode);
  return { data: null, error };
};

export const errors: readonly Behaviour<Scene>[] = [
  {
    what: '`scheduledAt` of `emails.send`, `emails.update` and `emails.cancel`',
    differs:
      'refused with 422 `validation_error`: use the schedule of a campaign, or the native `scheduled_at`',
    run: async (scene) => {
      const { emails } = clientOf(scene);
      const scheduledAt = 'in 1 hour';
      expectRefused(
        await emails.send({ ...letterOf(scene), scheduledAt }),
        'validation_error',
        422,
        SCHEDULE,
      );
      const id = dataOf(await emails.send(letterOf(scene))).id;
      expectRefused(await emails.update({ id, scheduledAt }), 'validation_error', 422, SCHEDULE);
      expectRefused(await emails.cancel(id), 'validation_error', 422, SCHEDULE);
    },
  },
  {
    what: '`topicId`',
    differs: 'refused with 422 `validation_error`: consent is kept by lists, and mail to them is a campaign',
    run: async (scene) => {
      const refused = await clientOf(scene).emails.send({ ...letterOf(scene), topicId: 'herbst' });
      expectRefused(refused, 'validation_error', 422, /`topic_id`.*\/lists/);
    },
  },
  {
    what: 'Missing fields are 422 `missing_required_field`, in the order `to`, `html` or `text` (`validation_error`), `subject`',
    run: async (scene) => {
      const refusal = (fields: object) => clientOf(scene).post('/emails', fields);
      expectRefused(await refusal({}), 'missing_required_field', 422, /^Missing `to` field\. /);
      expectRefused(await refusal({ to: ERIKA }), 'validation_error', 422, /one of text, html and template/);
      const text = 'Text';
      expectRefused(
        await refusal({ to: ERIKA, text }),
        'missing_required_field',
        422,
        /^Missing `subject` field\. /,
      );
    },
  },
  {
    what: 'An address that is none is 422 `validation_error`, in `from` 422 `invalid_from_address`',
    run: async (scene) => {
      for (const field of ['to', 'cc', 'bcc', 'reply_to'])
        expectRefused(
          await postPlain(scene, { [field]: 'erika' }),
          'validation_error',
          422,
          new RegExp(`${field}\\b`),
        );
      expectRefused(
        await postPlain(scene, { from: 'Praxis' }),
        'invalid_from_address',
        422,
        /`from`.*named here/,
      );
    },
  },
  {
    what: '`from` at a domain that is not verified is 403 `validation_error`',
    run: async (scene) => {
      const refused = await clientOf(scene).emails.send({ ...letterOf(scene), from: 'a@nirgends.example' });
      expectRefused(refused, 'validation_error', 403, /may not send from nirgends\.example/);
    },
  },
  {
    what: 'More than 50 recipients are 422 `validation_error`',
    differs: '`to`, `cc` and `bcc` count together',
    run: async (scene) => {
      const to = Array.from({ length: 50 }, (_, index) => `r${index}@example.org`);
      const refused = await clientOf(scene).emails.send({ ...letterOf(scene), to, cc: 'c@example.org' });
      expectRefused(refused, 'validation_error', 422, /51 recipients/);
    },
  },
  {
    what: 'No key is 401 `missing_api_key`, a wrong one 403 `invalid_api_key`',
    run: async (scene) => {
      expectRefused(await refusalOf(scene, {}, '{}'), 'missing_api_key', 401, /Authorization: Bearer/);
      const wrong = await clientOf(scene, 're_123456789').emails.send(letterOf(scene));
      expectRefused(wrong, 'invalid_api_key', 403, /svc_team_/);
    },
  },
  {
    what: 'A body that is no JSON is 400 `validation_error`, one over 48 MiB 413',
    run: async (scene) => {
      const authorization = `Bearer ${scene.sender.token}`;
      expectRefused(await refusalOf(scene, { authorization }, '{"to":'), 'validation_error', 400, /not JSON/);
      const large = await underLimits(scene, { body_bytes: 65_536 }, () =>
        clientOf(scene).emails.send({ ...letterOf(scene), text: 'x'.repeat(70_000) }),
      );
      expectRefused(large, 'validation_error', 413, /larger than 65536 bytes/);
    },
  },
  {
    what: 'Too many requests are 429 `rate_limit_exceeded`, with `ratelimit-*` and `retry-after`',
    differs: '100 a second for each key, 500 at once, unless the operator says otherwise',
    run: async (scene) => {
      // Its clock does not move, so no time passes between the two requests.
      const app = await startApp({ clock: createTestClock(Date.now()) });
      try {
        const client = clientOf({ ...scene, app }, (await app.createSender()).token);
        const refused = await underLimits({ app }, { api_rate: { per_second: 1, burst: 1 } }, async () => {
          dataOf(await client.domains.list());
          return client.domains.list();
        });
        expectRefused(refused, 'rate_limit_exceeded', 429, /Too many requests/);
        expect(refused.headers).toMatchObject({
          'ratelimit-limit': '1',
          'ratelimit-remaining': '0',
          'ratelimit-reset': '1',
          'retry-after': '1',
        });
      } finally {
        await app.remove();
      }
    },
  },
  {
    what: 'The mails of the month used up is 429 `monthly_quota_exceeded`',
    differs: 'by the plan; mail from the managed host has a cap of its own',
    run: async (scene) => {
      const refused = await underLimits(scene, { managed_host_mails: 0 }, () =>
        clientOf(scene).emails.send(letterOf(scene)),
      );
      expectRefused(refused, 'monthly_quota_exceeded', 429, /mails of this month/);
    },
  },
  {
    what: 'An account that may not send is 403 `validation_error`',
    differs: 'a practice that was paused, by hand or because of bounces and complaints',
    run: async (scene) => {
      const sender = await scene.app.createSender();
      const reason = { reason: 'Die Liste wird geprüft.' };
      await scene.app.request('POST', `${sender.base}/pause`, reason, sender.token);
      const refused = await clientOf(scene, sender.token).emails.send(letterOf(scene, sender));
      expectRefused(refused, 'validation_error', 403, /paused/);
    },
  },
  {
    what: 'A method that a path does not take is 405 `method_not_allowed`',
    run: async (scene) => {
      const refused = await clientOf(scene).domains.update({ id: 'praxis.example', openTracking: true });
      expectRefused(refused, 'method_not_allowed', 405, /It takes GET/);
    },
  },
  {
    what: 'A slow answer ends when you end it, by `signal`, or when the connection is lost, as `application_error` without a status; the client does not repeat',
    differs: 'the message may have been accepted: repeat it under an idempotency key',
    run: async (scene) => {
      const mute = await startMute(scene);
      const client = new Resend(scene.sender.token, { baseUrl: `http://${mute.authority}${BASE}` });
      const controller = new AbortController();
      const calls = [
        { signal: controller.signal, end: () => controller.abort() },
        { signal: new AbortController().signal, end: mute.stop },
      ];
      for (const [index, { signal, end }] of calls.entries()) {
        const ended = client.emails.send(letterOf(scene), { signal });
        await until('the request is there', () => mute.passed.length === index + 1);
        await mute.passed[index];
        end();
        expectRefused(await ended, 'application_error', null, /could not be resolved/);
        expect(mute.passed).toHaveLength(index + 1);
      }
      mute.close();
    },
  },
];
