// What programs written for Postmark rely on when they send, shown with its published Node.js client, unmodified.
import type { AddressObject } from 'mailparser';
import { Errors, Models, ServerClient } from 'postmark';
import { expect } from 'vitest';
import { asVendorB } from '#src/compat/errors.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import type { Sender } from '#test/support/app.ts';
import { describedPaths } from '#test/support/openapi.ts';
import type { Behaviour } from './guide.ts';
import { startMute } from './mute.ts';
import type { Scene } from './scene.ts';

const PATH = '/api/compat/vendor-b';
const ERIKA = 'erika@example.org';

type Options = ConstructorParameters<typeof ServerClient>[1] & {
  readonly token?: string;
  readonly path?: string;
};

const clientOf = (scene: Scene, { token = scene.sender.token, path = PATH, ...options }: Options = {}) =>
  new ServerClient(token, { useHttps: false, requestHost: scene.authority + path, ...options });

const fromOf = ({ practice }: Sender): string => `Praxis am Markt <praxis@${practice.managed_host}>`;

/** As short as can be; what is shown overrides it. */
const letterOf = (scene: Scene, fields: Partial<Models.Message> = {}): Models.Message => ({
  From: fromOf(scene.sender),
  To: ERIKA,
  Subject: 'Ihr Termin',
  TextBody: 'Am Montag um 9:30 Uhr.',
  ...fields,
});

const arrivedOf = async (scene: Scene, fields: Partial<Models.Message>, recipient = ERIKA) => {
  const sent = await clientOf(scene).sendEmail(letterOf(scene, fields));
  return scene.arrived(sent.MessageID, recipient);
};

const addressesOf = (field: AddressObject | AddressObject[] | undefined) =>
  [field ?? []].flat().flatMap(({ value }) => value.map(({ name, address }) => [name, address]));

/** The error that the call throws. */
const thrownBy = async (call: Promise<unknown>): Promise<Errors.HttpError> => {
  const thrown = await call.then(
    (answer) => {
      throw new Error(`nothing was thrown: ${JSON.stringify(answer)}`);
    },
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(Errors.PostmarkError);
  return thrown as Errors.HttpError;
};

/** That the call is refused as an error of that class with that code and words. */
const expectRefusal = async (
  call: Promise<unknown>,
  [name, code, statusCode]: readonly [keyof typeof Errors, number, number],
  words: string | RegExp,
) => {
  const error = await thrownBy(call);
  expect({ name: error.name, code: error.code, statusCode: error.statusCode }).toEqual({
    name,
    code,
    statusCode,
  });
  expect(error).toBeInstanceOf(Errors[name]);
  expect(error.message).toMatch(words);
};

const native = <Body = Readonly<Record<string, unknown>>>(
  { app, sender }: Scene,
  method: string,
  path: string,
  body?: unknown,
) => app.request<Body>(method, sender.base + path, body, app.adminToken);

const suppress = async (scene: Scene, address: string): Promise<string> => {
  expect((await native(scene, 'POST', '/suppression', { address })).status).toBe(201);
  return address;
};

/** Another practice in the same daemon, which the behaviour may leave as it likes. */
const ownPractice = async (scene: Scene): Promise<Scene> => {
  const sender = await scene.app.createSender({ plan: 'praxis' });
  return { ...scene, sender, arrived: (id, recipient) => scene.arrived(id, recipient, sender) };
};

const template = {
  name: 'rechnung',
  subject: 'Rechnung für {{kunde.name}}',
  text: 'Guten Tag {{kunde.name}}, {{betrag}} Euro.',
  html: '<p>Guten Tag {{kunde.name}}, {{betrag}} Euro.</p>',
};
const model = { kunde: { name: 'Erika & Söhne' }, betrag: 12.5 };

const withTemplate = async (scene: Scene) => {
  const own = await ownPractice(scene);
  const { body } = await native(own, 'POST', '/templates', template);
  return { ...own, templateId: String(body.id) };
};

const templated = (
  { sender }: Scene,
  fields: Partial<Models.TemplatedMessage> = {},
): Models.TemplatedMessage => ({
  From: fromOf(sender),
  To: ERIKA,
  TemplateAlias: template.name,
  TemplateModel: model,
  ...fields,
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const pdf = Buffer.from(`%PDF-1.4\n${'Befund ä\n'.repeat(20)}%%EOF\n`);

export const sendBehaviours: readonly Behaviour<Scene>[] = [
  ...[PATH, '/api/compat/postmark', ''].map((path) => ({
    what: `The client works with \`requestHost\` and \`${path === '' ? 'no path' : path}\``,
    run: async (scene: Scene) => {
      const sent = await clientOf(scene, { path }).sendEmail(letterOf(scene));
      expect((await scene.arrived(sent.MessageID, ERIKA)).subject).toBe('Ihr Termin');
      expect((await scene.app.message(scene.sender, sent.MessageID)).source).toBe('vendor-b');
    },
  })),
  {
    what: 'A send answers with `To` as given, `SubmittedAt`, `MessageID`, `ErrorCode` 0 and `Message` "OK"',
    run: async (scene) => {
      const To = '"Muster, Erika" <erika@example.org>, b@example.org';
      expect(await clientOf(scene).sendEmail(letterOf(scene, { To, Cc: 'c@example.org' }))).toEqual({
        To,
        Cc: 'c@example.org',
        SubmittedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        MessageID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ErrorCode: 0,
        Message: 'OK',
      });
    },
  },
  {
    what: '`From`, `To`, `Cc` and `Bcc` take names, names with commas in quotes, and several addresses',
    differs: 'the same; `From` may be left out, then the practice’s default From is used',
    run: async (scene) => {
      const mail = await arrivedOf(
        scene,
        {
          To: '"Muster, Erika" <erika@example.org>, b@example.org',
          Cc: 'Jörg Weiß <c@example.org>',
          Bcc: 'd@example.org',
        },
        'd@example.org',
      );
      expect(addressesOf(mail.from)).toEqual([
        ['Praxis am Markt', `praxis@${scene.sender.practice.managed_host}`],
      ]);
      expect(addressesOf(mail.to)).toEqual([
        ['Muster, Erika', ERIKA],
        ['', 'b@example.org'],
      ]);
      expect(addressesOf(mail.cc)).toEqual([['Jörg Weiß', 'c@example.org']]);
      expect(mail.headers.has('bcc')).toBe(false);
    },
  },
  {
    what: '`Subject`, `TextBody` and `HtmlBody` arrive as written',
    differs: 'the same; both bodies end with a footer where the service has an https origin',
    run: async (scene) => {
      const mail = await arrivedOf(scene, {
        Subject: 'Grüße — “Termin” ✓',
        TextBody: 'Schöne Grüße\nzweite Zeile',
        HtmlBody: '<p>Schöne <b>Grüße</b></p>',
      });
      expect(mail.subject).toBe('Grüße — “Termin” ✓');
      expect(mail.text).toContain('Schöne Grüße\nzweite Zeile');
      expect(mail.html).toContain('<p>Schöne <b>Grüße</b></p>');
    },
  },
  {
    what: 'A message may have `HtmlBody` alone',
    differs: 'a text is made from it, unless the route says otherwise',
    run: async (scene) => {
      const { TextBody: _, ...letter } = letterOf(scene, { HtmlBody: '<p>Guten <b>Tag</b></p>' });
      const { MessageID } = await clientOf(scene).sendEmail(letter);
      const mail = await scene.arrived(MessageID, ERIKA);
      expect(mail.html).toContain('<p>Guten <b>Tag</b></p>');
      expect(mail.text).toContain('Guten Tag');
    },
  },
  {
    what: '`ReplyTo` takes one or more addresses',
    run: async (scene) => {
      const mail = await arrivedOf(scene, { ReplyTo: 'Empfang <a@example.org>, b@example.org' });
      expect(addressesOf(mail.replyTo)).toEqual([
        ['Empfang', 'a@example.org'],
        ['', 'b@example.org'],
      ]);
    },
  },
  {
    what: '`Headers` are added to the message',
    differs: '`X-` fields and a few standard ones; others are refused with ErrorCode 300',
    run: async (scene) => {
      const Headers = [
        { Name: 'X-Vorgang', Value: '4711' },
        { Name: 'References', Value: '<a@example.org>' },
        { Name: 'X-Leer', Value: '' },
      ];
      const mail = await arrivedOf(scene, { Headers });
      expect(mail.headers.get('x-vorgang')).toBe('4711');
      expect(mail.headers.get('x-leer') ?? '').toBe('');
      expect(mail.references).toBe('<a@example.org>');
      await expectRefusal(
        clientOf(scene).sendEmail(letterOf(scene, { Headers: [{ Name: 'DKIM-Signature', Value: 'v=1' }] })),
        ['InvalidEmailRequestError', 300, 422],
        'DKIM-Signature',
      );
    },
  },
  {
    what: '`Attachments` arrive byte by byte, also where their base64 has line breaks or their type has parameters',
    run: async (scene) => {
      const mail = await arrivedOf(scene, {
        Attachments: [
          new Models.Attachment('Befund Müller.pdf', pdf.toString('base64'), 'application/pdf; name="x.pdf"'),
          {
            Name: 'liste.csv',
            Content: Buffer.from('a;b\n').toString('base64').replace(/(..)/g, '$1\r\n'),
            ContentType: 'text/csv',
            ContentID: null,
            ContentLength: 4,
            Disposition: 'attachment',
          },
        ],
      });
      expect(
        mail.attachments.map(({ filename, contentType, content }) => [
          filename,
          contentType,
          content.toString('base64'),
        ]),
      ).toEqual([
        ['Befund Müller.pdf', 'application/pdf', pdf.toString('base64')],
        ['liste.csv', 'text/csv', Buffer.from('a;b\n').toString('base64')],
      ]);
    },
  },
  {
    what: 'An image with a `ContentID` of `cid:…` is shown inline',
    run: async (scene) => {
      const mail = await arrivedOf(scene, {
        HtmlBody: '<p><img src="cid:logo.png" alt="Logo"></p>',
        Attachments: [new Models.Attachment('logo.png', png.toString('base64'), 'image/png', 'cid:logo.png')],
      });
      expect(mail.attachments).toMatchObject([{ related: true, contentDisposition: 'inline' }]);
      expect(mail.attachments[0]?.content).toEqual(png);
      expect(mail.html).toContain(`<img src="data:image/png;base64,${png.toString('base64')}" alt="Logo">`);
    },
  },
  {
    what: 'A forbidden attachment is refused: `ApiInputError`, ErrorCode 411',
    differs: 'what is allowed is in `attachment_policy` of `GET /api/meta`',
    run: (scene) =>
      expectRefusal(
        clientOf(scene).sendEmail(
          letterOf(scene, {
            Attachments: [new Models.Attachment('setup.exe', 'TVqQ', 'application/octet-stream')],
          }),
        ),
        ['ApiInputError', 411, 422],
        'attachment_policy',
      ),
  },
  {
    what: '`Tag` and `Metadata` are kept with the message and are in its events',
    differs: 'a tag has at most 256 characters',
    run: async (scene) => {
      const { MessageID } = await clientOf(scene).sendEmail(
        letterOf(scene, { Tag: 'Erinnerung', Metadata: { patient: '4711' } }),
      );
      const kept = await scene.app.message(scene.sender, MessageID);
      expect(kept).toMatchObject({ tags: ['Erinnerung'], metadata: { patient: '4711' } });
      await expectRefusal(
        clientOf(scene).sendEmail(letterOf(scene, { Tag: 'x'.repeat(257) })),
        ['InvalidEmailRequestError', 300, 422],
        'at most 256 characters',
      );
    },
  },
  {
    what: '`TrackOpens` and `TrackLinks` are the message’s own setting',
    differs:
      'links in the text are never rewritten; `HtmlAndText`, `HtmlOnly` and `TextOnly` all mean those in the HTML',
    run: async (scene) => {
      const HtmlBody = '<p><a href="https://praxis.example/termin">Termin</a></p>';
      const tracked = await arrivedOf(scene, {
        HtmlBody,
        TrackOpens: true,
        TrackLinks: Models.LinkTrackingOptions.HtmlAndText,
      });
      expect(tracked.html).toMatch(/href="[^"]*\/t\/c\//);
      expect(tracked.html).toContain('/t/o/');
      const plain = await arrivedOf(scene, {
        HtmlBody,
        TrackOpens: false,
        TrackLinks: Models.LinkTrackingOptions.None,
      });
      expect(plain.html).toContain('href="https://praxis.example/termin"');
      expect(plain.html).not.toContain('/t/o/');
    },
  },
  {
    what: '`MessageStream` chooses the stream',
    differs:
      'streams are routes: `outbound` is `outgoing`, `broadcast` is itself, any other is the slug of a route of yours',
    run: async (scene) => {
      const own = await ownPractice(scene);
      await native(own, 'POST', '/routes', { name: 'Rechnungen', slug: 'rechnungen', type: 'transactional' });
      await own.app.completeLegal(own.sender.practice.id);
      for (const [stream, slug] of [
        ['outbound', 'outgoing'],
        ['broadcast', 'broadcast'],
        ['rechnungen', 'rechnungen'],
      ]) {
        const { MessageID } = await clientOf(own, { token: own.sender.token }).sendEmail(
          letterOf(own, { MessageStream: String(stream) }),
        );
        expect((await own.app.message(own.sender, MessageID)).route.slug).toBe(slug);
      }
    },
  },
  {
    what: 'A stream that does not exist is refused: `ApiInputError`, ErrorCode 1235',
    run: async (scene) => {
      await expectRefusal(
        clientOf(scene).sendEmail(letterOf(scene, { MessageStream: 'nirgends' })),
        ['ApiInputError', 1235, 422],
        'There is no route "nirgends"',
      );
      const project_id = '0198c5b2-6c9e-7d21-9f6f-3a1d5b0e7c44';
      await expectRefusal(
        clientOf(scene).sendEmail({ ...letterOf(scene), project_id } as never),
        ['InvalidEmailRequestError', 300, 422],
        'There is no such project',
      );
    },
  },
  {
    what: 'A stream of the wrong type is refused: `ApiInputError`, ErrorCode 1236',
    differs: 'the kind of a message is the extra field `message_kind`; `project_id` is another one',
    run: (scene) =>
      expectRefusal(
        clientOf(scene).sendEmail({
          ...letterOf(scene),
          MessageStream: 'outbound',
          message_kind: 'newsletter',
        } as never),
        ['ApiInputError', 1236, 422],
        'Use a marketing route',
      ),
  },
  {
    what: 'Broadcast mail has conditions: `ApiInputError`, ErrorCode 413',
    differs: 'the practice’s Impressum must be complete and its domain warmed up',
    run: async (scene) => {
      const own = await ownPractice(scene);
      await expectRefusal(
        clientOf(own).sendEmail(letterOf(own, { MessageStream: 'broadcast' })),
        ['ApiInputError', 413, 422],
        'Complete the legal block',
      );
    },
  },
  {
    what: 'Field names are taken in any case, `null` and `""` mean absent, unknown fields are ignored',
    run: async (scene) => {
      const { MessageID } = await clientOf(scene).sendEmail({
        from: fromOf(scene.sender),
        TO: ERIKA,
        Cc: '',
        Bcc: null,
        subject: 'Klein',
        textbody: 'Text',
        HtmlBody: '',
        Tag: null,
        Headers: null,
        Attachments: null,
        InlineCss: true,
      } as never);
      expect((await scene.arrived(MessageID, ERIKA)).subject).toBe('Klein');
    },
  },
  {
    what: 'A batch of up to 500 answers each message in its place and throws for none of them',
    run: async (scene) => {
      const answers = await clientOf(scene).sendEmailBatch([
        letterOf(scene, { Subject: 'Eins' }),
        letterOf(scene, { To: 'niemand' }),
        letterOf(scene, { From: 'a@elsewhere.example' }),
        letterOf(scene, { Subject: 'Vier', To: 'b@example.org' }),
      ]);
      expect(answers.map(({ ErrorCode, To }) => [ErrorCode, To])).toEqual([
        [0, ERIKA],
        [300, undefined],
        [400, undefined],
        [0, 'b@example.org'],
      ]);
      expect((await scene.arrived(answers[3]?.MessageID ?? '', 'b@example.org')).subject).toBe('Vier');
    },
  },
  {
    what: 'A batch in which every message is refused is answered with 200 too',
    run: async (scene) => {
      const [answer] = await clientOf(scene).sendEmailBatch([letterOf(scene, { To: '' })]);
      expect(answer).toEqual({ ErrorCode: 300, Message: expect.stringContaining('`To` of message 1') });
    },
  },
  {
    what: 'A batch of more than 500 is refused as a whole: `ApiInputError`, ErrorCode 410',
    run: (scene) =>
      expectRefusal(
        clientOf(scene).sendEmailBatch(Array.from({ length: 501 }, () => letterOf(scene))),
        ['ApiInputError', 410, 422],
        'at most 500',
      ),
  },
  {
    what: 'A body of another form is refused: `ApiInputError`, ErrorCode 403',
    run: async (scene) => {
      await expectRefusal(clientOf(scene).sendEmailBatch({} as never), ['ApiInputError', 403, 422], 'array');
      await expectRefusal(clientOf(scene).sendEmail([] as never), ['ApiInputError', 403, 422], 'object');
      const [item] = await clientOf(scene).sendEmailBatch(['text' as never]);
      expect(item?.ErrorCode).toBe(403);
    },
  },
  {
    what: 'A message without recipient, body or usable address is refused: `InvalidEmailRequestError`, ErrorCode 300',
    differs: 'the message names the field and says what to do',
    run: async (scene) => {
      const refused = ['InvalidEmailRequestError', 300, 422] as const;
      const send = (fields: Partial<Models.Message>) => clientOf(scene).sendEmail(letterOf(scene, fields));
      await expectRefusal(send({ To: '' }), refused, '`To`: is required. Correct the fields named here;');
      await expectRefusal(
        send({ TextBody: '' }),
        refused,
        'one of TextBody, HtmlBody and TemplateAlias is required',
      );
      await expectRefusal(send({ To: 'erika@' }), refused, /^To: /);
      await expectRefusal(send({ ReplyTo: 'erika@' }), refused, '`ReplyTo`');
    },
  },
  {
    what: 'More than 50 recipients are refused: `InvalidEmailRequestError`, ErrorCode 300',
    run: (scene) =>
      expectRefusal(
        clientOf(scene).sendEmail(
          letterOf(scene, {
            To: Array.from({ length: 51 }, (_, index) => `p${index}@example.org`).join(','),
          }),
        ),
        ['InvalidEmailRequestError', 300, 422],
        '51 recipients',
      ),
  },
  {
    what: 'A `From` that is not yours is refused: `ApiInputError`, ErrorCode 400',
    differs: 'a domain of the practice whose records are not found yet: 401',
    run: (scene) =>
      expectRefusal(
        clientOf(scene).sendEmail(letterOf(scene, { From: 'a@elsewhere.example' })),
        ['ApiInputError', 400, 422],
        /may not send from elsewhere\.example.*managed|Use an address on/,
      ),
  },
  {
    what: 'Where all recipients are inactive, `InactiveRecipientsError` (406) has their addresses',
    differs: 'inactive are the practice’s suppressions; the message is kept with the status `suppressed`',
    run: async (scene) => {
      const own = await ownPractice(scene);
      const gone = [await suppress(own, 'a@example.org'), await suppress(own, 'b@example.org')];
      const error = await thrownBy(clientOf(own).sendEmail(letterOf(own, { To: gone.join(', ') })));
      expect(error).toBeInstanceOf(Errors.InactiveRecipientsError);
      expect((error as Errors.InactiveRecipientsError).recipients).toEqual(gone);
      expect([error.code, error.statusCode]).toEqual([406, 422]);
      const id = /kept as suppressed: ([0-9a-f-]{36})\./.exec(error.message)?.[1] ?? '';
      expect((await own.app.message(own.sender, id)).status).toBe('suppressed');
      const [item] = await clientOf(own).sendEmailBatch([letterOf(own, { To: gone[0] ?? '' })]);
      expect(item).toEqual({
        ErrorCode: 406,
        Message: expect.stringContaining('Found inactive addresses: a@example.org. '),
      });
    },
  },
  {
    what: 'Where some recipients are inactive, the others get the message, and `Message` names the inactive ones',
    run: async (scene) => {
      const own = await ownPractice(scene);
      const gone = await suppress(own, 'a@example.org');
      const sent = await clientOf(own).sendEmail(letterOf(own, { To: `${gone}, ${ERIKA}` }));
      expect(sent.ErrorCode).toBe(0);
      expect(sent.Message).toMatch(
        /^Message OK, but will not deliver to these inactive addresses: a@example\.org\. Inactive recipients are /,
      );
      expect((await own.arrived(sent.MessageID, ERIKA)).subject).toBe('Ihr Termin');
    },
  },
  {
    what: 'A wrong token is refused: `InvalidAPIKeyError`, ErrorCode 10',
    differs:
      'so is `POSTMARK_API_TEST`: use safe mode, or `POST /api/practices/{id}/send/score`, which sends nothing',
    run: async (scene) => {
      const refused = ['InvalidAPIKeyError', 10, 401] as const;
      for (const token of ['POSTMARK_API_TEST', `${scene.sender.token}x`])
        await expectRefusal(
          clientOf(scene, { token }).sendEmail(letterOf(scene)),
          refused,
          /safe mode.*\/send\/score checks a message without sending it/,
        );
    },
  },
  {
    what: 'Too many requests are refused: `RateLimitExceededError`, ErrorCode 429',
    run: async (scene) => {
      await scene.app.reconfigure({ limits: { api_rate: { per_second: 1, burst: 1 } } });
      const client = clientOf(scene);
      const asked = await Promise.allSettled(
        Array.from({ length: 20 }, () => client.sendEmail(letterOf(scene))),
      ).finally(() => scene.app.reconfigure({}));
      const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(refused.length).toBeGreaterThan(0);
      for (const error of refused) {
        expect(error).toBeInstanceOf(Errors.RateLimitExceededError);
        expect([error.code, error.statusCode]).toEqual([429, 429]);
      }
    },
  },
  {
    what: 'A fault of the service is `InternalServerError` (101) or `ServiceUnavailablerError` (100)',
    run: async (scene) => {
      const answering = (error: AppError) => {
        const { status, body } = asVendorB(error.toJSON());
        return clientOf(scene, { fetch: async () => Response.json(body, { status }) }).sendEmail(
          letterOf(scene),
        );
      };
      const defect = new AppError('internal_error', say`The request failed.`);
      const full = new AppError('unavailable', say`The disk is full.`, { extra: { retry_after: 5 } });
      await expectRefusal(answering(defect), ['InternalServerError', 101, 500], 'The request failed.');
      await expectRefusal(answering(full), ['ServiceUnavailablerError', 100, 503], 'Nothing was accepted');
    },
  },
  {
    what: 'A request that is too large is refused: `UnknownError`, status 413',
    differs: 'the limit is 48 MiB, of a batch too',
    run: async (scene) => {
      await scene.app.reconfigure({ limits: { body_bytes: 65_536 } });
      await expectRefusal(
        clientOf(scene).sendEmail(letterOf(scene, { TextBody: 'x'.repeat(70_000) })),
        ['UnknownError', 300, 413],
        'larger than 65536 bytes',
      );
      await scene.app.reconfigure({});
    },
  },
  {
    what: 'An account that may not send to strangers yet is refused: `ApiInputError`, ErrorCode 412',
    differs: 'in safe mode: only the simulator and the addresses on the operator’s list can be sent to',
    run: async (scene) => {
      const own = await ownPractice(scene);
      expect((await native(own, 'POST', '/safe-mode', { enabled: true })).status).toBe(200);
      await expectRefusal(clientOf(own).sendEmail(letterOf(own)), ['ApiInputError', 412, 422], 'Safe mode');
    },
  },
  {
    what: 'An account that is not allowed to send is refused: `ApiInputError`, ErrorCode 413',
    differs: 'a paused practice; over the plan’s monthly cap: 405',
    run: async (scene) => {
      const own = await ownPractice(scene);
      expect((await native(own, 'POST', '/pause', { reason: 'Umzug' })).status).toBe(200);
      await expectRefusal(clientOf(own).sendEmail(letterOf(own)), ['ApiInputError', 413, 422], 'paused');
    },
  },
  {
    what: '`sendEmailWithTemplate` fills a template by its alias, with values in values',
    differs:
      'the alias is the template’s name or id; placeholders are `{{name}}` and `{{a.b}}` alone, without sections and lists',
    run: async (scene) => {
      const own = await withTemplate(scene);
      for (const TemplateAlias of [template.name, own.templateId]) {
        const { MessageID } = await clientOf(own).sendEmailWithTemplate(
          // A list is named by no placeholder, and ignored as all that none names.
          templated(own, {
            TemplateAlias,
            InlineCss: true,
            TemplateModel: { ...model, posten: [{ preis: 1 }] },
          }),
        );
        const mail = await own.arrived(MessageID, ERIKA);
        expect(mail.subject).toBe('Rechnung für Erika & Söhne');
        expect(mail.text).toContain('Guten Tag Erika & Söhne, 12.5 Euro.');
        expect(mail.html).toContain('Guten Tag Erika &amp; Söhne, 12.5 Euro.');
      }
    },
  },
  {
    what: 'A template that does not exist is refused: `ApiInputError`, ErrorCode 1101',
    differs: 'so is each `TemplateId`, because templates have no number',
    run: async (scene) => {
      const refused = ['ApiInputError', 1101, 422] as const;
      const { TemplateAlias: _, ...byNumber } = templated(scene, { TemplateId: 4711 });
      await expectRefusal(
        clientOf(scene).sendEmailWithTemplate(byNumber),
        refused,
        /There is no template "4711".*TemplateAlias takes the name or id/,
      );
      await expectRefusal(clientOf(scene).sendEmailWithTemplate(templated(scene)), refused, '"rechnung"');
      const { TemplateId: __, ...unnamed } = byNumber;
      await expectRefusal(
        clientOf(scene).sendEmailWithTemplate(unnamed),
        ['InvalidEmailRequestError', 300, 422],
        '`TemplateAlias`',
      );
    },
  },
  {
    what: 'Values that a template needs may be absent',
    differs: 'they are required: a message without them is refused with ErrorCode 300; `null` shows nothing',
    run: async (scene) => {
      const own = await withTemplate(scene);
      const send = (TemplateModel: object) =>
        clientOf(own).sendEmailWithTemplate(templated(own, { TemplateModel }));
      await expectRefusal(send({ betrag: 1 }), ['InvalidEmailRequestError', 300, 422], 'kunde.name');
      const mail = await own.arrived((await send({ kunde: { name: null }, betrag: 1 })).MessageID, ERIKA);
      expect(mail.subject?.trim()).toBe('Rechnung für');
    },
  },
  {
    what: '`sendEmailBatchWithTemplates` answers each message in its place',
    run: async (scene) => {
      const own = await withTemplate(scene);
      const answers = await clientOf(own).sendEmailBatchWithTemplates([
        templated(own),
        templated(own, { TemplateAlias: 'keine' }),
        templated(own, { To: 'b@example.org', TemplateModel: { ...model, betrag: 3 } }),
      ]);
      expect(answers.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 1101, 0]);
      expect((await own.arrived(answers[2]?.MessageID ?? '', 'b@example.org')).text).toContain('3 Euro.');
    },
  },
  {
    what: '`getTemplates` and `getTemplate` show the templates',
    differs: '`TemplateId` is always 0; `Alias` and `Name` are the template’s name',
    run: async (scene) => {
      const own = await withTemplate(scene);
      const head = {
        TemplateId: 0,
        Name: template.name,
        Alias: template.name,
        Active: true,
        TemplateType: 'Standard',
        LayoutTemplate: null,
      };
      const client = clientOf(own);
      expect(await client.getTemplates()).toEqual({ TotalCount: 1, Templates: [head] });
      expect(await client.getTemplates({ count: 10, offset: 1 })).toEqual({ TotalCount: 1, Templates: [] });
      for (const name of [template.name, own.templateId])
        expect(await client.getTemplate(name as never)).toEqual({
          ...head,
          AssociatedServerId: 0,
          Subject: template.subject,
          TextBody: template.text,
          HtmlBody: template.html,
        });
      await expectRefusal(
        client.getTemplate(4711),
        ['ApiInputError', 1101, 422],
        'There is no such template',
      );
    },
  },
  {
    what: 'Calls to create, change and delete templates, webhooks, domains, streams and servers',
    differs: 'they are not served: the error (status 404) names the native call that does the same',
    run: async (scene) => {
      const client = clientOf(scene);
      const paths = await describedPaths<Record<string, object>>(scene.app);
      const asked = [
        () => client.createTemplate({ Name: 'x' }),
        () => client.editTemplate('x' as never, {}),
        () => client.deleteTemplate('x' as never),
        () => client.validateTemplate({ Subject: 'x' }),
        () => client.sendBulkEmail({ From: 'a@example.org', Messages: [] }),
        () => client.getWebhooks(),
        () => client.createWebhook({ Url: 'https://example.org' }),
        () => client.createMessageStream({ ID: 'x', Name: 'x', MessageStreamType: 'Broadcasts' }),
        () => client.editServer({}),
        () => client.getInboundMessages(),
        () => client.getInboundRuleTriggers(),
        () => client.archiveMessageStream('broadcast'),
      ];
      for (const call of asked) {
        const error = await thrownBy(call());
        expect([error.name, error.statusCode]).toEqual(['PostmarkError', 404]);
        const [, method = '', path = ''] = /Use (\w+) (\/api\/\S+);/.exec(error.message) ?? [];
        expect(paths[path], error.message).toHaveProperty(method.toLowerCase());
      }
    },
  },
  {
    what: 'The client’s `timeout` ends a call whose answer does not come, and the client does not repeat it',
    differs: 'the message may have been accepted: see the idempotency key below',
    run: async (scene) => {
      const own = await ownPractice(scene);
      const mute = await startMute(own);
      const client = new ServerClient(own.sender.token, {
        useHttps: false,
        requestHost: mute.authority + PATH,
        timeout: 2,
      });
      const error = await thrownBy(client.sendEmail(letterOf(own, { Tag: 'einmal' })));
      expect([error.name, error.code, error.statusCode]).toEqual(['PostmarkError', 0, 0]);
      await Promise.all(mute.passed);
      expect(mute.passed).toHaveLength(1);
      const { body } = await native<{ data: unknown[] }>(own, 'GET', '/messages/search?tag=einmal');
      expect(body.data).toHaveLength(1);
      mute.stop();
      mute.close();
    },
  },
  {
    what: 'There is no idempotency key',
    differs:
      'the header `Idempotency-Key` is honoured: a repeated send has the same `MessageID` and is sent once',
    run: async (scene) => {
      const withKey: typeof fetch = (input, init) =>
        fetch(input, {
          ...init,
          headers: { ...(init?.headers as object), 'Idempotency-Key': 'rechnung-4711' },
        });
      const client = clientOf(scene, { fetch: withKey });
      const first = await client.sendEmail(letterOf(scene));
      expect((await client.sendEmail(letterOf(scene))).MessageID).toBe(first.MessageID);
      await expectRefusal(
        client.sendEmail(letterOf(scene, { Subject: 'Anderer' })),
        ['InvalidEmailRequestError', 300, 422],
        'idempotency key',
      );
    },
  },
];
