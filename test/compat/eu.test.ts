// The EU shape by the published client of the service it is known from, unmodified: what it sends, what it reads, how it fails, and
// what arrives. The guide for those who come from there is made of the table.
// @module-tag slow
import {
  ClientError,
  HttpRequestError,
  Lettermint,
  TimeoutError,
  ValidationError,
  Webhook,
  WebhookVerificationError,
} from 'lettermint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { createHook, outboundTo, requestTo } from '#test/support/hooks.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { type Behaviour, type Change, guideText } from './guide.ts';
import { openScene, type Scene } from './scene.ts';

const TO = 'erika@example.org';

let scene: Scene;
let hooks: HttpsReceiver;
beforeAll(async () => {
  hooks = await startHttpsReceiver();
  scene = await openScene({
    config: {
      service: { public_origin: 'https://mail.example.com' },
      security: outboundTo(hooks),
      limits: { body_bytes: 1_000_000 },
    },
  });
});
afterAll(async () => {
  await scene?.close();
  await hooks?.stop();
});

const baseUrl = (): string => `${scene.app.origin}/api/compat/lettermint`;
const emailBy = (token = scene.sender.token) => Lettermint.email(token, { baseUrl: baseUrl() });
const api = () => Lettermint.api(scene.sender.token, { baseUrl: baseUrl() });
const from = (): string => `Praxis Müller <${scene.sender.practice.default_from}>`;
/** A message with all that one needs. */
const letterOf = (email = emailBy()) =>
  email.from(from()).to(TO).subject('Ihr Termin').text('Am Montag um 9:30 Uhr.');
const itemOf = (fields: object = {}) => ({
  from: from(),
  to: [TO],
  subject: 'Ihr Termin',
  text: 'Am Montag um 9:30 Uhr.',
  ...fields,
});
const base64 = (content: string | Buffer | Uint8Array): string => Buffer.from(content).toString('base64');

/** The error with which it fails. */
const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (answer) => expect.fail(`it was answered ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );

const nativeErrors =
  'the errors are named after this service: `responseBody` has `code`, `error` and `hint`, and 422 is for what a gate refuses, 400 for a malformed request';

const behaviours: readonly Behaviour<Scene>[] = [
  {
    what: '`Lettermint.email(token, { baseUrl })` sends with the field `x-lettermint-token`, and reads `message_id` and `status`',
    run: async ({ arrived }) => {
      const { message_id, status } = await letterOf().send();
      expect(status).toBe('queued');
      expect(await arrived(message_id, TO)).toMatchObject({ subject: 'Ihr Termin' });
    },
  },
  {
    what: '`new Lettermint({ apiToken, baseUrl })`, and `baseUrl` with or without a slash at its end',
    run: async ({ sender, arrived }) => {
      const { email } = new Lettermint({ apiToken: sender.token, baseUrl: `${baseUrl()}/` });
      await arrived((await letterOf(email).send()).message_id, TO);
    },
  },
  {
    what: 'the bare origin as `baseUrl`',
    run: async ({ app, sender, arrived }) => {
      const email = Lettermint.email(sender.token, { baseUrl: app.origin });
      await arrived((await letterOf(email).send()).message_id, TO);
    },
  },
  {
    what: '`authMode: "api"`, which sends the token as bearer',
    differs: 'one token does both; what it may do depends on its permissions, not on the field it comes in',
    run: async ({ app, sender, arrived }) => {
      const config = {
        apiToken: sender.token,
        authMode: 'api',
        baseUrl: `${app.origin}/api/compat/eu`,
      } as const;
      await arrived((await letterOf(new Lettermint(config).email).send()).message_id, TO);
    },
  },
  {
    what: '`ping()` of both clients',
    run: async () => {
      expect(await emailBy().ping()).toBe('pong');
      expect(await api().ping()).toBe('pong');
      expect(await failureOf(emailBy('svc_team_wrong').ping())).toMatchObject({ statusCode: 401 });
    },
  },
  {
    what: '`from` with a name, umlauts in names and subject',
    run: async ({ sender, arrived }) => {
      const { message_id } = await letterOf().subject('Größe „XL“ für Änne').send();
      const mail = await arrived(message_id, TO);
      expect(mail.subject).toBe('Größe „XL“ für Änne');
      expect(mail.from?.value).toEqual([{ name: 'Praxis Müller', address: sender.practice.default_from }]);
    },
  },
  {
    what: '`to` and `cc` with several recipients and names; each gets a copy that shows all of them',
    run: async ({ arrived }) => {
      const { message_id } = await letterOf()
        .to('Erika Muster <erika@example.org>', 'otto@example.org')
        .cc('carl@example.org')
        .send();
      for (const recipient of [TO, 'otto@example.org', 'carl@example.org'])
        expect(await arrived(message_id, recipient)).toMatchObject({
          to: { value: [{ name: 'Erika Muster', address: TO }, { address: 'otto@example.org' }] },
          cc: { value: [{ address: 'carl@example.org' }] },
        });
    },
  },
  {
    what: '`bcc`, which no copy shows',
    run: async ({ arrived }) => {
      const { message_id } = await letterOf().bcc('dora@example.org').send();
      for (const recipient of [TO, 'dora@example.org']) {
        const mail = await arrived(message_id, recipient);
        expect(mail.headers.has('bcc')).toBe(false);
        expect(JSON.stringify(mail.headerLines)).not.toContain('dora@');
      }
    },
  },
  {
    what: '`replyTo` with several addresses',
    run: async ({ arrived }) => {
      const { message_id } = await letterOf().replyTo('a@example.org', 'B <b@example.org>').send();
      expect((await arrived(message_id, TO)).replyTo?.value).toMatchObject([
        { address: 'a@example.org' },
        { name: 'B', address: 'b@example.org' },
      ]);
    },
  },
  {
    what: '`html` and `text`; `html(null)` and `text(null)` are as if absent',
    run: async ({ arrived }) => {
      const { message_id } = await letterOf().html('<p>Bis <b>Montag</b>!</p>').send();
      const both = await arrived(message_id, TO);
      expect(both.html).toContain('<b>Montag</b>');
      expect(both.text).toContain('Am Montag um 9:30 Uhr.');
      const [only] = await emailBy().sendBatch([
        itemOf({ text: null, html: '<p>Nur HTML</p>', tag: null, settings: null }),
      ]);
      const mail = await arrived(only?.message_id ?? '', TO);
      expect(mail.html).toContain('Nur HTML');
      expect(mail.text).toContain('Nur HTML');
    },
  },
  {
    what: '`headers` of one’s own',
    differs:
      '`X-*`, `In-Reply-To`, `References`, `Importance`, `X-Priority`, `List-Id` and `Organization`; others are refused',
    run: async ({ arrived }) => {
      const { message_id } = await letterOf()
        .headers({ 'X-Order': '4711', 'In-Reply-To': '<1@example.org>' })
        .send();
      const { headers } = await arrived(message_id, TO);
      expect(headers.get('x-order')).toBe('4711');
      expect(headers.get('in-reply-to')).toBe('<1@example.org>');
      expect(await failureOf(letterOf().headers({ 'Return-Path': 'a@example.org' }).send())).toMatchObject({
        statusCode: 422,
        responseBody: { code: 'header_not_allowed' },
      });
    },
  },
  {
    what: '`attach` of a file, with its type or by its name',
    differs: 'at most 5 files of 10 MiB, of the types in `attachment_policy` of `GET /api/meta`',
    run: async ({ arrived }) => {
      const { message_id } = await letterOf()
        .attach('Röntgen.pdf', base64(contentOf('pdf')))
        .attach('termine.csv', `${base64('Name;Tag\r\n')}\n`, undefined, 'text/csv; charset=utf-8')
        .send();
      const { attachments } = await arrived(message_id, TO);
      expect(attachments).toMatchObject([
        {
          filename: 'Röntgen.pdf',
          contentType: 'application/pdf',
          contentDisposition: 'attachment',
          content: Buffer.from(contentOf('pdf')),
        },
        { filename: 'termine.csv', contentType: 'text/csv', content: Buffer.from('Name;Tag\r\n') },
      ]);
    },
  },
  {
    what: '`attach` with `content_id`: an image that the HTML shows by `cid:`',
    run: async ({ arrived }) => {
      const { message_id } = await letterOf()
        .html('<img src="cid:logo">')
        .attach('logo.png', base64(contentOf('png')), 'logo')
        .send();
      const mail = await arrived(message_id, TO);
      expect(mail.attachments).toMatchObject([
        {
          contentId: expect.stringMatching(/^<logo@/),
          related: true,
          content: Buffer.from(contentOf('png')),
        },
      ]);
    },
  },
  {
    what: '`metadata`, which is kept with the message, comes with its events and does not leave',
    run: async ({ app, sender, receiver, arrived }) => {
      const { message_id } = await letterOf().metadata({ patient: '4711-geheim' }).send();
      expect(await app.message(sender, message_id)).toMatchObject({ metadata: { patient: '4711-geheim' } });
      await arrived(message_id, TO);
      expect(receiver.messages.some(({ content }) => content.includes('4711-geheim'))).toBe(false);
    },
  },
  {
    what: '`tag` and `tags`',
    differs:
      'a tag with a name and a value is kept as `name:value`; names may be longer, up to 100 characters',
    run: async ({ app, sender }) => {
      const { message_id } = await letterOf()
        .tag('erinnerung')
        .tags([{ name: 'standort', value: 'Hamburg' }])
        .send();
      expect(await app.message(sender, message_id)).toMatchObject({
        tag: 'erinnerung',
        tags: ['erinnerung', 'standort:Hamburg'],
      });
    },
  },
  {
    what: '`route` by its slug',
    differs:
      'the routes `outgoing` and `broadcast` exist from the beginning; mail on `broadcast` needs a complete Impressum, a domain whose DKIM is verified and day 3 of its warm-up; newsletters to lists, with double opt-in, are campaigns',
    run: async ({ app, sender, arrived }) => {
      const path = `${sender.base}/routes`;
      const route = { name: 'Befunde', slug: 'befunde', type: 'transactional' };
      await app.request('POST', path, route, sender.token);
      const { message_id } = await letterOf().route('befunde').send();
      expect(await app.message(sender, message_id)).toMatchObject({ route: { slug: 'befunde' } });
      await arrived(message_id, TO);
      expect(await failureOf(letterOf().route('nirgends').send())).toMatchObject({
        statusCode: 404,
        responseBody: { code: 'not_found' },
      });
      expect(await failureOf(letterOf().route('broadcast').send())).toMatchObject({
        statusCode: 422,
        responseBody: { code: 'impressum_incomplete' },
      });
    },
  },
  {
    what: '`settings` for opens and clicks',
    differs:
      '`tls` is not read: whether a connection must be encrypted is set by the operator for each upstream',
    run: async ({ arrived }) => {
      const html = '<p><a href="https://praxis.example/">Praxis</a></p>';
      const tracked = await letterOf()
        .html(html)
        .settings({ track_opens: true, track_clicks: true, tls: 'opportunistic' })
        .send();
      const plain = await letterOf().html(html).settings({ track_opens: false, track_clicks: false }).send();
      const link = 'href="https://praxis.example/"';
      const followed = (await arrived(tracked.message_id, TO)).html;
      expect(followed).toContain('<img');
      expect(followed).not.toContain(link);
      const bare = (await arrived(plain.message_id, TO)).html;
      expect(bare).not.toContain('<img');
      expect(bare).toContain(link);
    },
  },
  {
    what: '`scheduledAt`',
    differs: 'the status is `pending` while it waits; at most 30 days ahead',
    run: async ({ app, sender }) => {
      const at = new Date(Date.now() + 3_600_000).toISOString();
      const answer = await letterOf().scheduledAt(at).send();
      expect(answer).toMatchObject({ status: 'pending', scheduled_at: at });
      expect(await api().messages.retrieve(answer.message_id)).toMatchObject({
        status: 'pending',
        scheduled_at: at,
      });
      await app.request(
        'POST',
        `${sender.base}/messages/${answer.message_id}/cancel`,
        undefined,
        sender.token,
      );
    },
  },
  {
    what: '`idempotencyKey`: a repetition is answered as the first request and sends nothing',
    differs: 'remembered for a day',
    run: async ({ app, sender }) => {
      const first = await letterOf().idempotencyKey('termin-1').send();
      const before = app.rowCounts(sender.practice.id).messages;
      expect(await letterOf().idempotencyKey('termin-1').send()).toEqual(first);
      expect(app.rowCounts(sender.practice.id).messages).toBe(before);
    },
  },
  {
    what: 'the same `idempotencyKey` for another message is refused',
    run: async () => {
      await letterOf().idempotencyKey('termin-2').send();
      const error = await failureOf(letterOf().subject('Anders').idempotencyKey('termin-2').send());
      expect(error).toBeInstanceOf(HttpRequestError);
      expect(error).toMatchObject({ statusCode: 409, responseBody: { code: 'idempotency_conflict' } });
    },
  },
  {
    what: '`sendBatch` answers an array in the order of the messages',
    run: async ({ arrived }) => {
      const answers = await emailBy().sendBatch([itemOf(), itemOf({ to: ['otto@example.org'] })]);
      expect(answers).toMatchObject([{ status: 'queued' }, { status: 'queued' }]);
      expect(await arrived(answers[1]?.message_id ?? '', 'otto@example.org')).toMatchObject({
        to: { value: [{ address: 'otto@example.org' }] },
      });
    },
  },
  {
    what: 'a wrong message in a batch',
    differs: 'the others are sent; in its place are `status_code`, `code`, `error` and `hint`',
    run: async ({ arrived }) => {
      const answers = await emailBy().sendBatch([
        itemOf({ to: ['not an address'] }),
        itemOf({ text: undefined }),
        itemOf(),
      ]);
      expect(answers).toMatchObject([
        { status_code: 422, code: 'invalid_recipient' },
        { status_code: 400, code: 'invalid_request' },
        { status: 'queued' },
      ]);
      await arrived(answers[2]?.message_id ?? '', TO);
    },
  },
  {
    what: 'a batch without any message that can be sent fails as a whole',
    run: async () => {
      const error = await failureOf(emailBy().sendBatch([itemOf({ to: ['not an address'] })]));
      expect(error).toBeInstanceOf(ValidationError);
      expect(error).toMatchObject({ responseBody: [{ code: 'invalid_recipient' }] });
    },
  },
  {
    what: '`idempotencyKey` for a batch',
    run: async () => {
      const send = () => emailBy().idempotencyKey('stapel-1').sendBatch([itemOf(), itemOf()]);
      expect(await send()).toEqual(await send());
    },
  },
  {
    what: '422 is a `ValidationError`',
    differs: nativeErrors,
    run: async () => {
      const error = await failureOf(letterOf().from('a@elsewhere.example').send());
      expect(error).toBeInstanceOf(ValidationError);
      expect(error).toMatchObject({
        statusCode: 422,
        errorType: expect.stringContaining('elsewhere.example'),
        responseBody: { code: 'from_not_allowed', hint: expect.any(String) },
      });
    },
  },
  {
    what: '400 is a `ClientError`',
    run: async () => {
      const error = await failureOf(emailBy().from(from()).to(TO).subject('Ohne Inhalt').send());
      expect(error).toBeInstanceOf(ClientError);
      expect(error).toMatchObject({
        message: expect.stringContaining('one of text, html and template is required'),
        responseBody: { code: 'invalid_request', fields: [{ path: 'body.text' }] },
      });
    },
  },
  {
    what: 'a wrong token is an `HttpRequestError` with 401',
    run: async () => {
      const error = await failureOf(letterOf(emailBy('svc_team_wrong')).send());
      expect(error).toBeInstanceOf(HttpRequestError);
      expect(error).toMatchObject({ statusCode: 401, responseBody: { code: 'unauthorized' } });
    },
  },
  {
    what: 'a request that is too large is an `HttpRequestError` with 413',
    run: async () => {
      const error = await failureOf(letterOf().text('x'.repeat(1_100_000)).send());
      expect(error).toMatchObject({ statusCode: 413, responseBody: { code: 'body_too_large' } });
    },
  },
  {
    what: 'a recipient who is suppressed',
    differs: 'the answer also has `code` and `hint`, which say that nothing is sent',
    run: async ({ app, sender }) => {
      await app.request('POST', `${sender.base}/suppression`, { address: 'weg@example.org' }, sender.token);
      expect(await letterOf().to('weg@example.org').send()).toMatchObject({
        status: 'suppressed',
        code: 'recipient_suppressed',
      });
    },
  },
  {
    what: '`timeout` ends in a `TimeoutError`, and sending again under the same `idempotencyKey` is safe',
    run: async ({ app, sender }) => {
      const silent = await startHttpsReceiver({
        plain: true,
        answer: async ({ path, headers, body }) => {
          const { 'x-lettermint-token': token, 'idempotency-key': key } = headers;
          const fields = { 'x-lettermint-token': String(token), 'idempotency-key': String(key) };
          await app.request('POST', path, JSON.parse(body.toString()), undefined, fields);
          return 'hang' as const;
        },
      });
      try {
        const email = Lettermint.email(sender.token, {
          baseUrl: `${new URL(silent.url('/')).origin}/api/compat/lettermint`,
          timeout: 2_000,
        });
        const before = app.rowCounts(sender.practice.id).messages ?? 0;
        expect(await failureOf(letterOf(email).idempotencyKey('einmal').send())).toBeInstanceOf(TimeoutError);
        const { message_id } = await letterOf().idempotencyKey('einmal').send();
        expect(app.rowCounts(sender.practice.id).messages).toBe(before + 1);
        expect(await app.message(sender, message_id)).toMatchObject({ source: 'eu' });
      } finally {
        await silent.stop();
      }
    },
  },
  {
    what: '`messages.retrieve` of the API client',
    differs: '`delivery_delayed` reads `queued` and `auto_replied` reads `delivered`',
    run: async ({ app, sender, arrived }) => {
      const { message_id } = await letterOf()
        .to('Erika <erika@example.org>')
        .replyTo('b@example.org')
        .tags([{ name: 'standort', value: 'Hamburg' }])
        .attach('befund.pdf', base64(contentOf('pdf')))
        .send();
      await arrived(message_id, TO);
      const { route } = await app.message(sender, message_id);
      expect(await api().messages.retrieve(message_id)).toEqual({
        id: message_id,
        type: 'outbound',
        status: 'processed',
        status_changed_at: expect.any(String),
        scheduled_at: null,
        tag: 'standort:Hamburg',
        tags: [{ name: 'standort', value: 'Hamburg' }],
        from_email: sender.practice.default_from,
        from_name: 'Praxis Müller',
        reply_to: ['b@example.org'],
        subject: 'Ihr Termin',
        to: [{ email: TO, name: 'Erika' }],
        cc: [],
        bcc: [],
        attachments: [
          {
            size: contentOf('pdf').length,
            filename: 'befund.pdf',
            content_id: null,
            content_type: 'application/pdf',
          },
        ],
        metadata: {},
        spam_score: expect.any(Number),
        route_id: route.id,
        created_at: expect.any(String),
      });
      const other = await app.createSender();
      const stranger = Lettermint.api(other.token, { baseUrl: baseUrl() });
      expect(await failureOf(stranger.messages.retrieve(message_id))).toMatchObject({ statusCode: 404 });
    },
  },
  {
    what: 'the other calls of the API client: domains, projects, routes, statistics, suppressions, team, webhooks',
    differs: 'answered 404; `hint` names the call of this service’s own API that does it',
    run: async () => {
      for (const call of [
        () => api().domains.list(),
        () => api().messages.list(),
        () => api().projects.list(),
        () => api().routes.retrieve('outgoing'),
        () => api().stats.retrieve({ start: '2026-01-01', end: '2026-01-31' }),
        () => api().suppressions.list(),
        () => api().team.members(),
        () => api().webhooks.list(),
        () => api().blockedFileTypes(),
      ])
        expect(await failureOf(call())).toMatchObject({
          statusCode: 404,
          responseBody: { code: 'not_found', hint: expect.stringMatching(/^Use GET \/api\//) },
        });
    },
  },
  {
    what: '`Webhook.verify` for the events of this service',
    differs:
      'the fields have other names, so the signature is put together: `"t=" + headers["x-service-timestamp"] + ",v1=" + headers["x-service-signature"]`; `verifyHeaders` does not find it',
    run: async ({ app, sender }) => {
      const hook = await createHook(app, sender, hooks.url('/lettermint'), ['message.created']);
      const { message_id } = await letterOf().send();
      const { headers, body } = await requestTo(hooks, hook);
      const signature = `t=${headers['x-service-timestamp']},v1=${headers['x-service-signature']}`;
      expect(new Webhook(hook.secret).verify(body, signature)).toMatchObject({
        event: 'message.created',
        data: { message_id },
      });
      expect(() => new Webhook(`${hook.secret}x`).verify(body, signature)).toThrow(WebhookVerificationError);
    },
  },
];

const SEND = 'https://mail.example.com/api/compat/lettermint';
const changes: readonly Change[] = [
  {
    language: 'Node',
    syntax: 'ts',
    before: 'const email = Lettermint.email(token);',
    after: `const email = Lettermint.email(token, { baseUrl: '${SEND}' });`,
  },
  {
    language: 'Python',
    syntax: 'python',
    before: 'lettermint = Lettermint(sending_token=token)',
    after: `lettermint = Lettermint(sending_token=token, base_url="${SEND}")`,
  },
  {
    language: 'PHP',
    syntax: 'php',
    before: '$lettermint = new Lettermint\\Lettermint($token);',
    after: "$lettermint = new Lettermint\\Lettermint($token, 'https://mail.example.com');",
  },
  {
    language: 'Go',
    syntax: 'go',
    before: 'client, err := lettermint.New(lettermint.WithSendingToken(token))',
    after: `client, err := lettermint.New(lettermint.WithSendingToken(token), lettermint.WithBaseURL("${SEND}"))`,
  },
  {
    language: 'curl',
    syntax: 'sh',
    before: `curl https://api.lettermint.co/v1/send -H "x-lettermint-token: $TOKEN" --json @message.json`,
    after: `curl ${SEND}/send -H "x-lettermint-token: $TOKEN" --json @message.json`,
  },
  {
    language: 'SMTP',
    syntax: 'ini',
    before: 'host = smtp.lettermint.co\nport = 587\nuser = lettermint\npassword = <token>',
    after: 'host = mail.example.com\nport = 587\nuser = lettermint\npassword = <token>',
  },
];

const guide = {
  from: 'Lettermint',
  start: [
    'The token comes from `POST /api/practices/{id}/api-tokens` (scope `team` or `project`); `mail.example.com` is the host of your installation. Requests go to `/api/compat/eu`, which is `/api/compat/lettermint` too, and `/v1` for clients that keep that path (`compat.aliases` in the configuration).',
    'To try it first, start the [playground](playground.md). It prints a token, and its address is `http://127.0.0.1:8080/api/compat/lettermint`.',
  ],
  changes,
  notes: [
    'The PHP client always asks for `/v1/send` at the root of the host.',
    'SMTP listens on 587 (STARTTLS) and 465 (TLS) where the operator has turned it on; sign in by PLAIN or LOGIN, not by CRAM-MD5. The fields `X-Lettermint-Route`, `X-LM-Tag` and `X-LM-Metadata-*` of a message mean the same here, and do not leave with it.',
    'Everything else is done by this service’s own API, which `GET /reference` describes: `/api/practices/{id}/send` takes the same body.',
    'Events have the same names; `data` has other fields. Verify them by `X-Service-Signature`, or by any library for Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`): [webhooks.md](webhooks.md). The scheme of `Webhook.verifyHeaders` is none of Standard Webhooks, so its fields are not sent.',
  ],
};

test.each(behaviours)('$what', ({ run }) => run(scene));

test('what is accepted is answered in English too, alone and in a batch, whatever is asked for', async () => {
  const { app, sender } = scene;
  const address = 'abgemeldet@example.org';
  await app.request('POST', `${sender.base}/suppression`, { address }, sender.token);
  const message = itemOf({ to: [address], html: '<a href="https://bit.ly/x">Termin</a>' });
  const wordsOf = async (path: string, body: unknown, language: string) => {
    const fields = { 'Accept-Language': language };
    const [answer] = [(await app.request('POST', path, body, sender.token, fields)).body].flat();
    const { hint, content_warnings } = answer as { hint: unknown; content_warnings: unknown };
    return { hint, content_warnings };
  };
  const english = await wordsOf(`${sender.base}/send`, message, 'en');
  const german = await wordsOf(`${sender.base}/send`, message, 'de');
  expect(german.hint).not.toBe(english.hint);
  expect(german.content_warnings).not.toEqual(english.content_warnings);
  expect(await wordsOf('/api/compat/eu/send', message, 'de')).toEqual(english);
  expect(await wordsOf('/api/compat/eu/send/batch', [message], 'de')).toEqual(english);
});

test('the guide says what the table shows', async () => {
  await expect(guideText(guide, behaviours)).toMatchFileSnapshot('../../docs/from-lettermint.md');
});
