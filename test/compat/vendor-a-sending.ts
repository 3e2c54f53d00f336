// What vendor A's client sends, compared with what arrives.
import { expect } from 'vitest';
import type { Behaviour } from './guide.ts';
import type { Scene } from './scene.ts';
import {
  arrivedWith,
  clientOf,
  dataOf,
  ERIKA,
  expectRefused,
  letterOf,
  PDF,
  PNG,
  postPlain,
  sendWith,
} from './vendor-a-scene.ts';

const addressesOf = (field: unknown): string[] =>
  (Array.isArray(field) ? field : [field]).flatMap((one) =>
    ((one as { value?: { address?: string }[] } | undefined)?.value ?? []).map(({ address = '' }) => address),
  );

const attachmentOf = async (scene: Scene, attachment: object) => {
  const { attachments } = await arrivedWith(scene, { attachments: [attachment] });
  expect(attachments).toHaveLength(1);
  const [{ filename, contentType, contentDisposition, cid, content } = {}] = attachments;
  return { filename, contentType, contentDisposition, cid, isSame: content?.equals(PDF) ?? false };
};

const pdf = { filename: 'Befund.pdf', contentType: 'application/pdf', contentDisposition: 'attachment' };

export const sending: readonly Behaviour<Scene>[] = [
  {
    what: '`emails.send` with `from`, `to`, `subject`, `html` and `text` answers `{ id }`, a UUID',
    run: async (scene) => {
      const id = await sendWith(scene, { subject: 'Müller & Söhne', text: 'Ihr Befund ist da.' });
      const mail = await scene.arrived(id, ERIKA);
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(mail.from?.text).toContain('Praxis am Markt');
      expect(addressesOf(mail.to)).toEqual([ERIKA]);
      expect(mail.subject).toBe('Müller & Söhne');
      expect(mail.text).toContain('Ihr Befund ist da.');
      expect(mail.html).toContain('<b>da</b>');
      expect(mail.headers.has('dkim-signature')).toBe(true);
    },
  },
  {
    what: '`from` may be left out',
    differs: "the practice's default From address is used; other addresses must be on one of its domains",
    run: async (scene) => {
      const { from: _, ...letter } = letterOf(scene);
      const { id } = dataOf(await clientOf(scene).post<{ id: string }>('/emails', letter));
      expect((await scene.arrived(id, ERIKA)).from?.text).toContain(scene.sender.practice.managed_host);
    },
  },
  {
    what: '`to` takes one address or a list, bare or `Name <address>`',
    run: async (scene) => {
      const to = ['Muster, Erika <erika@example.org>', 'anna@example.org'].map((one) =>
        one.replace('Muster, Erika', '"Muster, Erika"'),
      );
      const mail = await arrivedWith(scene, { to });
      expect(addressesOf(mail.to)).toEqual([ERIKA, 'anna@example.org']);
    },
  },
  {
    what: '`cc` is shown; `bcc` gets a copy in which it is named nowhere',
    run: async (scene) => {
      const id = await sendWith(scene, { cc: 'carla@example.org', bcc: ['bernd@example.org'] });
      for (const recipient of [ERIKA, 'carla@example.org', 'bernd@example.org']) {
        const mail = await scene.arrived(id, recipient);
        expect(addressesOf(mail.cc)).toEqual(['carla@example.org']);
        expect(mail.bcc).toBeUndefined();
        expect(JSON.stringify([...mail.headers])).not.toContain('bernd');
      }
    },
  },
  {
    what: '`replyTo` takes one address or a list',
    run: async (scene) => {
      expect(addressesOf((await arrivedWith(scene, { replyTo: 'a@example.org' })).replyTo)).toEqual([
        'a@example.org',
      ]);
      const both = ['Empfang <a@example.org>', 'b@example.org'];
      expect(addressesOf((await arrivedWith(scene, { replyTo: both })).replyTo)).toEqual([
        'a@example.org',
        'b@example.org',
      ]);
    },
  },
  {
    what: '`headers` of your own arrive',
    differs:
      '`X-*` (but those by which relays take orders), In-Reply-To, References, Importance, Organization and List-Id; another one is refused with 422 `validation_error`',
    run: async (scene) => {
      const mail = await arrivedWith(scene, { headers: { 'X-Entity-Ref-ID': '4711' } });
      expect(mail.headers.get('x-entity-ref-id')).toBe('4711');
      const refused = await clientOf(scene).emails.send({
        ...letterOf(scene),
        headers: { 'List-Unsubscribe': '<https://praxis.example/abmelden>' },
      });
      expectRefused(refused, 'validation_error', 422, /"List-Unsubscribe" may not be set/);
    },
  },
  {
    what: 'Links to unsubscribe',
    differs: 'each message has its own List-Unsubscribe with one click, without being asked for it',
    run: async (scene) => {
      const { headers } = await arrivedWith(scene);
      expect(JSON.stringify([...headers])).toMatch(/https:\/\/mail\.example\.com\/api\/public\/unsub/);
    },
  },
  {
    what: '`tags` are objects of `name` and `value`, of up to 256 characters each, and are read back as such',
    differs: 'at most 20; natively each is one text, `name:value`, by which messages are searched',
    run: async (scene) => {
      const tags = [
        { name: 'kind', value: 'befund' },
        { name: 'n'.repeat(256), value: 'v'.repeat(256) },
      ];
      const id = await sendWith(scene, { tags });
      expect(dataOf(await clientOf(scene).emails.get(id)).tags).toEqual(tags);
      for (const { name, value } of tags) {
        const target = `${scene.sender.base}/messages/search?tag=${name}:${value}`;
        const { body } = await scene.app.request('GET', target, undefined, scene.sender.token);
        expect(body.data).toMatchObject([{ id }]);
      }
      for (const name of ['art befund', 'größe', 'a:b', '', 'n'.repeat(257)])
        expectRefused(
          await clientOf(scene).emails.send({ ...letterOf(scene), tags: [{ name, value: 'x' }] }),
          'validation_error',
          422,
          /`tags\[0\]\.name`.*256 ASCII letters/,
        );
    },
  },
  {
    what: 'Attachments as a Buffer, a Uint8Array or base64 text arrive byte for byte',
    differs:
      'at most 5, of 10 MiB each and 30 MiB together, of the types in `attachment_policy` of `GET /api/meta`: no archives, programs or HTML',
    run: async (scene) => {
      const { filename } = pdf;
      for (const content of [PDF, new Uint8Array(PDF), PDF.toString('base64')])
        expect(await attachmentOf(scene, { filename, content })).toMatchObject({ ...pdf, isSame: true });
    },
  },
  {
    what: 'Base64 may be broken into lines, and `contentType` have parameters',
    run: async (scene) => {
      const content = PDF.toString('base64').replace(/.{20}/g, '$&\r\n');
      const given = { filename: pdf.filename, content, contentType: 'application/pdf; name="x.pdf"' };
      expect(await attachmentOf(scene, given)).toMatchObject({ ...pdf, isSame: true });
    },
  },
  {
    what: 'Bytes as a list of numbers, or as older clients write a Buffer, are an attachment too',
    differs: 'up to some 95 kB, because a request has at most 100,000 values; base64 has no such bound',
    run: async (scene) => {
      for (const content of [[...PDF], PDF.toJSON()]) {
        const sent = await postPlain(scene, { attachments: [{ filename: pdf.filename, content }] });
        const { attachments } = await scene.arrived(dataOf(sent).id, ERIKA);
        expect(attachments[0]?.content.equals(PDF)).toBe(true);
      }
    },
  },
  {
    what: 'An image with `contentId` is shown by `cid:` in the HTML',
    run: async (scene) => {
      const mail = await arrivedWith(scene, {
        html: '<p><img src="cid:logo1" alt="Logo"></p>',
        attachments: [{ filename: 'logo.png', content: PNG, contentType: 'image/png', contentId: 'logo1' }],
      });
      const [image] = mail.attachments;
      expect(image).toMatchObject({ contentType: 'image/png', contentDisposition: 'inline', related: true });
      expect(image?.cid).toMatch(/^logo1@/);
      expect(mail.html).toContain(`<img src="data:image/png;base64,${PNG.toString('base64')}"`);
      expect(image?.content.equals(PNG)).toBe(true);
    },
  },
  {
    what: 'An attachment may have no name (`filename: false`)',
    differs: 'it gets one by its `contentType`; without that it is refused with 422 `invalid_attachment`',
    run: async (scene) => {
      const content = PDF;
      expect(
        await attachmentOf(scene, { filename: false, content, contentType: 'application/pdf' }),
      ).toMatchObject({ ...pdf, filename: 'attachment-1.pdf', isSame: true });
      const nameless = await clientOf(scene).emails.send({ ...letterOf(scene), attachments: [{ content }] });
      expectRefused(nameless, 'invalid_attachment', 422, /attachments\[0\]\.filename/);
    },
  },
  {
    what: 'Attachments by address (`path`)',
    differs: 'refused with 422 `invalid_attachment`: send the bytes in `content`',
    run: async (scene) => {
      const attachments = [{ filename: 'a.pdf', path: 'http://169.254.169.254/latest/meta-data' }];
      const refused = await clientOf(scene).emails.send({ ...letterOf(scene), attachments });
      expectRefused(refused, 'invalid_attachment', 422, /attachments\[0\]\.path.*`content`/);
    },
  },
  {
    what: 'A type of file that may not be sent is refused with 422 `invalid_attachment`',
    run: async (scene) => {
      for (const attachment of [
        { filename: 'setup.exe', content: PDF },
        { filename: 'a.pdf', content: 'kein Base64' },
        { filename: 'a.pdf', content: Buffer.from('kein PDF') },
      ])
        expectRefused(
          await clientOf(scene).emails.send({ ...letterOf(scene), attachments: [attachment] }),
          'invalid_attachment',
          422,
          /./,
        );
    },
  },
  {
    what: 'Without `text` one is made from the HTML; `text: ""` asks for none',
    differs: 'whether one is made is a setting of the route (`plain_text_fallback`), on by default',
    run: async (scene) => {
      expect((await arrivedWith(scene)).headers.get('content-type')).toMatchObject({
        value: 'multipart/alternative',
      });
      const type = (await arrivedWith(scene, { text: '' })).headers.get('content-type');
      expect(type).toMatchObject({ value: 'text/html' });
    },
  },
  {
    what: '`template: { id, variables }` sends a stored template',
    differs:
      "templates are this service's, by name or id (`POST /api/practices/{id}/templates`), with `{{name}}` for values; a subject beside one is refused",
    run: async (scene) => {
      const template = { name: 'befund', subject: 'Befund {{nummer}}', text: 'Guten Tag {{name}}' };
      await scene.app.request('POST', `${scene.sender.base}/templates`, template, scene.sender.token);
      const { from, to } = letterOf(scene);
      const variables = { nummer: 17, name: 'Frau Muster' };
      const sent = await clientOf(scene).emails.send({ from, to, template: { id: 'befund', variables } });
      const mail = await scene.arrived(dataOf(sent).id, ERIKA);
      expect([mail.subject, mail.text?.trim()]).toEqual([
        'Befund 17',
        expect.stringContaining('Guten Tag Frau Muster'),
      ]);
      const unknown = await clientOf(scene).emails.send({ from, to, template: { id: 'fehlt' } });
      expectRefused(unknown, 'not_found', 404, /There is no template "fehlt"/);
      const without = await clientOf(scene).emails.send({ from, to, template: { id: 'befund' } });
      expectRefused(without, 'validation_error', 422, /nummer/);
      const beside = await postPlain(scene, { template: { id: 'befund', variables } });
      expectRefused(beside, 'validation_error', 422, /beside template/);
    },
  },
  {
    what: 'Fields that are not known are ignored, and null is the same as absent',
    run: async (scene) => {
      const sent = await postPlain(scene, {
        region: 'eu-west-1',
        cc: null,
        reply_to: null,
        text: null,
        tags: null,
        attachments: null,
        scheduled_at: null,
        topic_id: null,
        template: null,
      });
      expect((await scene.arrived(dataOf(sent).id, ERIKA)).cc).toBeUndefined();
    },
  },
  {
    what: 'An empty text in `scheduled_at`, `topic_id`, or an attachment’s `path`, `content_id` or `content_type` is the same as absent',
    run: async (scene) => {
      const content = PDF.toString('base64');
      const unused = { path: '', content_id: '', content_type: '' };
      const attachments = [{ filename: pdf.filename, content, ...unused }];
      const sent = await postPlain(scene, { scheduled_at: '', topic_id: '', attachments });
      const mail = await scene.arrived(dataOf(sent).id, ERIKA);
      expect(mail.attachments).toMatchObject([pdf]);
    },
  },
  {
    what: 'Route, kind and project of a message',
    differs: 'extensions, in plain JSON: `route`, `message_kind` and `project_id` are taken as natively',
    run: async (scene) => {
      const project_id = scene.sender.practice.id;
      const extended = { route: 'outgoing', message_kind: 'recall', project_id };
      const id = dataOf(await postPlain(scene, extended)).id;
      expect(await scene.app.message(scene.sender, id)).toMatchObject({
        source: 'vendor-a',
        message_kind: 'recall',
        route: { slug: 'outgoing' },
      });
      const marketing = await postPlain(scene, { route: 'broadcast' });
      expectRefused(marketing, 'validation_error', 422, /legal block/);
    },
  },
];
