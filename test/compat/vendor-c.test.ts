// Vendor C's published Node.js client, unmodified, against the daemon: what it sends, what it reads, how it fails, and what
// arrives. The guide for those who come from there is made of the table.
// @module-tag slow
import sharedClient from '@sendgrid/client';
import mailer from '@sendgrid/mail';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { type Behaviour, type Change, guideText } from './guide.ts';
import { openScene, type Scene } from './scene.ts';

const TO = 'erika@example.org';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

type Mail = Parameters<typeof mailer.send>[0] & object;

interface ResponseError {
  readonly code: number;
  readonly response: { readonly body: unknown };
}
type Fields = Readonly<Record<string, unknown>>;

/** Another one than the module's own: its types do not have the class. */
const another = <T extends object>(shared: T): T => new (shared.constructor as new () => T)();

const clientOf = (headers: Readonly<Record<string, string>> = {}, base = '/api/compat/sendgrid') => {
  const client = another(sharedClient);
  client.setDefaultRequest('baseUrl', scene.app.origin + base);
  client.setDefaultHeader({ Authorization: `Bearer ${scene.sender.token}`, ...headers });
  const mail = another(mailer);
  mail.setClient(client);
  return mail;
};

const letterOf = (fields: Fields = {}) =>
  ({
    to: TO,
    from: { email: scene.sender.practice.default_from, name: 'Praxis am Markt' },
    subject: 'Ihr Termin',
    text: 'Am Montag um 9:30 Uhr.',
    ...fields,
  }) as unknown as Mail;

const send = async (fields: Fields = {}, headers: Readonly<Record<string, string>> = {}) => {
  const [response] = await clientOf(headers).send(letterOf(fields));
  return { status: response.statusCode, body: response.body, id: String(response.headers['x-message-id']) };
};

/** The letter arrives with these fields. */
const arrived = async (fields: Fields = {}, recipient = TO) =>
  scene.arrived((await send(fields)).id, recipient);

interface Problem {
  readonly message: string;
  readonly field: string | null;
  readonly help: string | null;
}

/** The status, and the first problem. */
const refusalOf = async (work: Promise<unknown>): Promise<Problem & { readonly code: number }> =>
  work.then(
    (answer) => expect.fail(`it was answered ${JSON.stringify(answer)}`),
    (error: ResponseError) => {
      const { errors } = error.response.body as { errors: readonly [Problem] };
      return { code: error.code, ...errors[0] };
    },
  );

const refused = (fields: Fields) => refusalOf(send(fields));

/** The subjects of the practice's messages that have this tag. */
const storedAs = async (category: string): Promise<string[]> => {
  const path = `${scene.sender.base}/messages/search?tag=${category}`;
  const { body } = await scene.app.request<{ data: { subject: string }[] }>(
    'GET',
    path,
    undefined,
    scene.sender.token,
  );
  return body.data.map(({ subject }) => subject).toSorted();
};

const behaviours: readonly Behaviour<Scene>[] = [
  {
    what: '`mail_settings` but `sandbox_mode`, and `tracking_settings` but `click_tracking` and `open_tracking`, may be there without being enabled',
    differs:
      'enabled ones are refused with 400: footers, copies, and mail past suppressions are not made; `{{unsubscribe_url}}` in the HTML is the link to unsubscribe',
    run: async () => {
      await send({
        mailSettings: { footer: { enable: false } },
        trackingSettings: { subscriptionTracking: { enable: false }, ganalytics: { enable: false } },
      });
      for (const [fields, field] of [
        [{ mailSettings: { bypassListManagement: { enable: true } } }, 'mail_settings'],
        [{ mailSettings: { footer: { enable: true, text: 'Fuß' } } }, 'mail_settings'],
        [{ trackingSettings: { subscriptionTracking: { enable: true } } }, 'tracking_settings'],
        [
          { trackingSettings: { openTracking: { enable: true, substitutionTag: '%open%' } } },
          'tracking_settings',
        ],
      ] as const)
        expect(await refused(fields)).toMatchObject({ code: 400, field });
    },
  },
  {
    what: '`asm`, `batch_id`, `ip_pool_name` and `sections`',
    differs: 'refused with 400, and `message` says what to do instead',
    run: async () => {
      for (const [fields, field] of [
        [{ asm: { groupId: 7 } }, 'asm'],
        [{ batchId: 'abc' }, 'batch_id'],
        [{ ipPoolName: 'pool' }, 'ip_pool_name'],
        [{ sections: { '%head%': 'x' } }, 'sections'],
      ] as const)
        expect(await refused(fields)).toMatchObject({ code: 400, field });
    },
  },
  {
    what: '`template_id` with `dynamic_template_data`',
    differs:
      'templates are this service’s, by name or id (`POST /api/practices/{id}/templates`), with `{{name}}` and `{{name.inner}}` for values, and without conditions and loops; the client sends the data with names that begin with `d-` only; a subject, content or `substitutions` beside one is refused',
    run: async ({ app, sender }) => {
      const template = {
        name: 'd-erinnerung',
        subject: 'Termin am {{tag}}',
        text: 'Guten Tag {{patient.name}}!',
      };
      expect((await app.request('POST', `${sender.base}/templates`, template, sender.token)).status).toBe(
        201,
      );
      const data = { tag: 'Montag', patient: { name: 'Frau Muster' } };
      const mail = await arrived({
        subject: undefined,
        text: undefined,
        templateId: 'd-erinnerung',
        dynamicTemplateData: data,
      });
      expect(mail.subject).toBe('Termin am Montag');
      expect(mail.text).toContain('Guten Tag Frau Muster!');
      const unknown = { subject: undefined, text: undefined, templateId: 'd-0123' };
      expect(await refused(unknown)).toMatchObject({ code: 404, message: expect.stringContaining('d-0123') });
      expect(await refused({ templateId: 'd-erinnerung' })).toMatchObject({ code: 400 });
      const substituted = { ...unknown, templateId: 'erinnerung', substitutions: { tag: 'x' } };
      expect(await refused(substituted)).toMatchObject({
        code: 400,
        field: 'template_id',
      });
    },
  },
  {
    what: 'A request has many personalizations, each a message of its own',
    differs:
      'up to 500, each with 50 recipients; `X-Message-Id` is the id of the first; all are accepted or none is; content and attachments of all together must not be larger than a request may be',
    run: async ({ arrived: arrives }) => {
      const { id } = await send({
        to: undefined,
        categories: ['viele'],
        headers: { 'X-Practice': 'all' },
        customArgs: { visit: '1', room: 'A' },
        substitutions: undefined,
        personalizations: [
          { to: 'erika@example.org', subject: 'Für -name-', substitutions: { name: 'Erika' } },
          {
            to: [{ email: 'otto@example.org', name: 'Muster, Otto' }],
            cc: 'carl@example.org',
            bcc: 'dora@example.org',
            subject: 'Für Otto',
            headers: { 'X-Practice': 'one' },
            customArgs: { room: 'B' },
          },
        ],
        substitutionWrappers: ['-', '-'],
      });
      expect((await arrives(id, TO)).headers.get('x-practice')).toBe('all');
      expect(await storedAs('viele')).toEqual(['Für Erika', 'Für Otto']);
      const other = `${scene.sender.base}/messages/search?tag=viele&q=${encodeURIComponent('Otto')}`;
      const { body } = await scene.app.request<{ data: { id: string }[] }>(
        'GET',
        other,
        undefined,
        scene.sender.token,
      );
      const second = String(body.data[0]?.id);
      for (const recipient of ['otto@example.org', 'carl@example.org', 'dora@example.org']) {
        const mail = await arrives(second, recipient);
        expect(mail.headers.get('x-practice')).toBe('one');
        expect(mail.to).toMatchObject({ value: [{ name: 'Muster, Otto', address: 'otto@example.org' }] });
        expect(JSON.stringify(mail.headerLines)).not.toContain('dora@');
      }
      expect(await scene.app.message(scene.sender, second)).toMatchObject({
        metadata: { visit: '1', room: 'B' },
      });
      const wrong = [{ to: 'good@example.org' }, { to: 'bad@@example.org' }];
      expect(await refused({ to: undefined, categories: ['keine'], personalizations: wrong })).toMatchObject({
        code: 400,
        field: 'personalizations.1.to.0.email',
      });
      const foreign = [{ to: TO }, { to: TO, from: 'chef@fremd.example' }];
      expect(
        await refused({ to: undefined, categories: ['keine'], personalizations: foreign }),
      ).toMatchObject({
        code: 403,
        field: 'from',
      });
      expect(await storedAs('keine')).toEqual([]);
    },
  },
  {
    what: '`headers` of your own arrive',
    differs:
      '`X-*` (but those by which relays take orders), In-Reply-To, References, Importance, Organization and List-Id; another one is refused with 400',
    run: async () => {
      expect((await arrived({ headers: { 'X-Order': '4711' } })).headers.get('x-order')).toBe('4711');
      expect(await refused({ headers: { 'X-SMTPAPI': '{}' } })).toMatchObject({
        code: 400,
        field: 'headers',
      });
    },
  },
  {
    what: '`attachments` arrive byte for byte; an `inline` one with `content_id` is shown by `cid:`',
    differs:
      'at most 5, of 10 MiB each and 30 MiB together, of the types in `attachment_policy` of `GET /api/meta`',
    run: async () => {
      const pdf = Buffer.from(contentOf('pdf'));
      const png = Buffer.from(contentOf('png'));
      const mail = await arrived({
        html: '<img src="cid:logo">',
        attachments: [
          {
            content: pdf.toString('base64'),
            filename: 'Befund.pdf',
            type: 'application/pdf',
            disposition: 'attachment',
            content_id: 'x',
          },
          {
            content: png.toString('base64'),
            filename: 'logo.png',
            type: 'image/png',
            disposition: 'inline',
            content_id: 'logo',
          },
        ],
      });
      const [file, image] = mail.attachments.toSorted((a, b) =>
        (a.filename ?? '').localeCompare(b.filename ?? ''),
      );
      expect(file).toMatchObject({ filename: 'Befund.pdf', contentDisposition: 'attachment', content: pdf });
      expect(image).toMatchObject({
        contentId: expect.stringMatching(/^<logo@/),
        related: true,
        content: png,
      });
      const program = { content: 'TVqQAAMAAAAEAAAA', filename: 'setup.exe' };
      expect(await refused({ attachments: [program] })).toMatchObject({ code: 400, field: 'attachments' });
      const broken = { content: '§§§', filename: 'a.pdf' };
      expect(await refused({ attachments: [broken] })).toMatchObject({
        code: 400,
        field: 'attachments.0.content',
      });
    },
  },
  {
    what: '`send_at` of the mail, or of one personalization',
    differs: 'at most 30 days ahead; a time of more than five minutes ago is refused with 400',
    run: async ({ app, sender }) => {
      const hour = Math.floor(Date.now() / 1_000) + 3_600;
      const own = { to: undefined, sendAt: hour, personalizations: [{ to: TO, sendAt: hour + 60 }] };
      const { id } = await send(own);
      expect(await app.message(sender, id)).toMatchObject({
        scheduled_at: new Date((hour + 60) * 1_000).toISOString(),
      });
      expect(await refused({ sendAt: hour - 7_200 })).toMatchObject({ code: 400, field: 'send_at' });
    },
  },
  {
    what: '`custom_args` are kept with the message and come with its events, `categories` are tags',
    differs: 'at most 50 of each message',
    run: async ({ app, sender }) => {
      const { id } = await send({ customArgs: { patient: '4711' }, categories: ['befund', 'markt'] });
      expect(await app.message(sender, id)).toMatchObject({
        metadata: { patient: '4711' },
        tags: ['befund', 'markt'],
      });
    },
  },
  {
    what: '`sandbox_mode` answers 200, and keeps nothing; what would be refused is refused',
    differs: 'whether its content would be held is told by `POST /api/practices/{id}/send/score`',
    run: async () => {
      const mailSettings = { sandboxMode: { enable: true } };
      expect(await send({ mailSettings, categories: ['sandkasten'] })).toMatchObject({
        status: 200,
        id: 'undefined',
      });
      expect(await storedAs('sandkasten')).toEqual([]);
      const foreign = { email: 'chef@fremd.example' };
      expect(await refused({ mailSettings, from: foreign })).toMatchObject({ code: 403, field: 'from' });
    },
  },
  {
    what: 'Errors are `{ errors: [{ message, field, help }] }`: 400 for the mail, 401 for the key, 403 for the sender, 404 and 405 for the path',
    differs:
      '`help` is a sentence, not a link; a month whose mails are used up is 401, a used-up day of the warm-up 429',
    run: async ({ app }) => {
      const nobody = clientOf({ Authorization: 'Bearer SG.wrong' }).send(letterOf());
      expect(await refusalOf(nobody)).toMatchObject({ code: 401, field: null });
      expect(await refused({ from: 'chef@fremd.example' })).toMatchObject({ code: 403, field: 'from' });
      expect(await refused({ text: undefined })).toMatchObject({
        code: 400,
        field: 'content',
        message: 'one of content and template_id is required',
      });
      const path = '/api/compat/sendgrid/v3';
      const ask = (at: string) => app.request('GET', path + at, undefined, scene.sender.token);
      expect((await ask('/mail/send')).status).toBe(405);
      const missing = await ask('/templates');
      expect(missing.status).toBe(404);
      expect(missing.body).toMatchObject({ errors: [{ help: expect.stringContaining('/templates') }] });
    },
  },
  {
    what: '`from` must be there, and fields that are not known are refused',
    differs: 'without `from` the practice’s default From address is used',
    run: async ({ app, sender }) => {
      const mail = {
        ...JSON.parse(JSON.stringify(letterOf())),
        to: undefined,
        personalizations: [{ to: [{ email: TO }] }],
      };
      const post = (body: object) =>
        app.request('POST', '/api/compat/vendor-c/mail/send', body, sender.token);
      const { text: _, from: __, ...rest } = mail;
      const content = [{ type: 'text/plain', value: 'Guten Tag' }];
      expect((await post({ ...rest, content })).status).toBe(202);
      const { status, body } = await post(mail);
      expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ field: 'text' }] } });
    },
  },
  {
    what: 'A repeated request is sent again',
    differs: 'but not under a header `Idempotency-Key`, which is remembered for 24 hours',
    run: async () => {
      const key = { 'Idempotency-Key': 'termin/17' };
      const fields = { categories: ['einmal'] };
      const first = await send(fields, key);
      expect((await send(fields, key)).id).toBe(first.id);
      expect(await storedAs('einmal')).toHaveLength(1);
      const other = refusalOf(send({ ...fields, text: 'Anders' }, key));
      expect(await other).toMatchObject({ code: 400, message: expect.stringContaining('key was used') });
    },
  },
  {
    what: '`send` answers 202 with an empty body and `X-Message-Id`',
    run: async ({ arrived: arrives }) => {
      const { status, body, id } = await send();
      expect({ status, body }).toEqual({ status: 202, body: '' });
      expect(await arrives(id, TO)).toMatchObject({
        subject: 'Ihr Termin',
        from: { value: [{ name: 'Praxis am Markt', address: scene.sender.practice.default_from }] },
      });
      const [bare] = await clientOf({}, '').send(letterOf());
      await arrives(String(bare.headers['x-message-id']), TO);
    },
  },
  {
    what: '`sendMultiple` sends each recipient a message of their own, `send` one to all',
    run: async () => {
      const to = ['erika@example.org', 'otto@example.org'];
      await clientOf().sendMultiple(letterOf({ to, categories: ['einzeln'] }) as never);
      expect(await storedAs('einzeln')).toHaveLength(2);
      const mail = await arrived({ to, cc: 'carl@example.org' }, 'otto@example.org');
      expect(mail.to).toMatchObject({ value: to.map((address) => ({ address })) });
      expect(mail.cc).toMatchObject({ value: [{ address: 'carl@example.org' }] });
    },
  },
  {
    what: '`reply_to`, or `reply_to_list`',
    run: async () => {
      expect((await arrived({ replyTo: 'a@example.org' })).replyTo?.value).toMatchObject([
        { address: 'a@example.org' },
      ]);
      const replyToList = [{ email: 'a@example.org' }, { email: 'b@example.org', name: 'B' }];
      expect((await arrived({ replyToList })).replyTo?.value).toMatchObject([
        { address: 'a@example.org' },
        { address: 'b@example.org', name: 'B' },
      ]);
      expect(await refused({ replyTo: 'a@example.org', replyToList })).toMatchObject({
        field: 'reply_to_list',
      });
    },
  },
  {
    what: '`text` and `html`, which the client makes `content` of',
    run: async () => {
      const mail = await arrived({ html: '<p>Bis <b>Montag</b>!</p>' });
      expect(mail.html).toContain('<b>Montag</b>');
      expect(mail.text).toContain('Am Montag um 9:30 Uhr.');
    },
  },
  {
    what: '`substitutions` are put into subject, text and HTML as they are, the longer tag first, at most 10,000 characters',
    run: async () => {
      const mail = await arrived({
        subject: '{{na}} {{name}}',
        text: 'x{{name}}x {{na}}',
        html: '<p>{{name}}</p>',
        substitutions: { na: '{{name}}', name: '<i>E</i>' },
      });
      expect(mail.subject).toBe('{{name}} <i>E</i>');
      expect(mail.text).toContain('x<i>E</i>x {{name}}');
      expect(mail.html).toContain('<p><i>E</i></p>');
      const text = 'a'.repeat(100_000);
      const bomb = { text, substitutions: { a: 'b'.repeat(9_000) }, substitutionWrappers: ['', ''] };
      expect(await refused(bomb)).toMatchObject({ code: 400, field: 'personalizations' });
    },
  },
  {
    what: '`open_tracking` and `click_tracking` win over the settings of the account',
    run: async ({ app, sender }) => {
      const html = '<a href="https://example.org/">Termin</a>';
      const trackingSettings = { clickTracking: { enable: true }, openTracking: { enable: false } };
      const { id } = await send({ html, trackingSettings });
      expect(await app.message(sender, id)).toMatchObject({
        decisions: expect.arrayContaining([
          expect.objectContaining({ gate: 'tracking', facts: { track_opens: false, track_clicks: true } }),
        ]),
      });
    },
  },
];

const BASE = 'https://mail.example.com/api/compat/sendgrid';
const changes: readonly Change[] = [
  {
    language: 'Node.js',
    syntax: 'js',
    before: 'sgMail.setApiKey(process.env.SENDGRID_API_KEY);',
    after: `const client = new Client(); // of @sendgrid/client\nclient.setApiKey(process.env.SENDGRID_API_KEY);\nclient.setDefaultRequest('baseUrl', '${BASE}');\nsgMail.setClient(client);`,
  },
  {
    language: 'curl',
    syntax: 'sh',
    before: 'curl https://api.sendgrid.com/v3/mail/send -H "Authorization: Bearer $TOKEN" --json @mail.json',
    after: `curl ${BASE}/v3/mail/send -H "Authorization: Bearer $TOKEN" --json @mail.json`,
  },
  {
    language: 'SMTP',
    syntax: 'text',
    before: 'smtp.sendgrid.net, port 465 or 587, user name apikey, the API key as password',
    after: 'mail.example.com, port 465 or 587, any user name, the API token as password',
  },
];

const guide = {
  from: 'SendGrid',
  start: [
    'The key is an API token of your practice (`POST /api/practices/{id}/api-tokens`); `mail.example.com` is the host of your installation. `POST /v3/mail/send` is served below `/api/compat/sendgrid` and at the host alone, and is `/api/compat/vendor-c/mail/send` (`compat.aliases` in the configuration). The client warns of a key that does not begin with `SG.`; it sends it all the same.',
    'To try it first, start the [playground](playground.md). It prints a token, and its address is `http://127.0.0.1:8080/api/compat/sendgrid`.',
  ],
  changes,
  notes: [
    'Route, kind and project of a message are extensions, in plain JSON: `route`, `message_kind` and `project_id` are taken as natively. Marketing mail needs a marketing route; newsletters to lists are campaigns.',
    'Suppressions are this service’s own; import those you have: `POST /api/practices/{id}/suppression/import`. A message to addresses that are suppressed is answered 202 and kept as suppressed.',
    'Links in texts are not counted (`enable_text`); those in HTML are.',
    'Everything else is done by this service’s own API, which `GET /reference` describes. Events have other names and fields: [from-sendgrid-native.md](from-sendgrid-native.md) has the map.',
  ],
};

test.each(behaviours)('$what', ({ run }) => run(scene));

test('the guide says what the table shows', async () => {
  await expect(guideText(guide, behaviours)).toMatchFileSnapshot('../../docs/from-sendgrid.md');
});
