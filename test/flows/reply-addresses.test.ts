// Where answers go: the Reply-To of mail that names none, by every door, and what a stranger is told who writes to the sending host.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type List, letter, type Message, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { startDomainScene } from './domain-scene.ts';

let app: TestApp;
let receiver: SmtpReceiver;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    config: {
      smtp: { inbound: { listen: '127.0.0.1:0' }, submission: { listen: '127.0.0.1:0' } },
    },
  });
});
afterAll(async () => {
  await app.remove();
  await receiver.stop();
});

const ask = <Body = Readonly<Record<string, unknown>>>(
  sender: Sender,
  method: string,
  path: string,
  body?: unknown,
) => app.request<Body>(method, sender.base + path, body, sender.token);

interface Inbound {
  readonly reply_address: string | null;
}

/** A practice that receives mail. */
const withMailbox = async (options: object = {}): Promise<Sender & { readonly host: string }> => {
  const sender = await app.createSender({ plan: 'praxis' });
  await ask(sender, 'POST', '/inbound/enable', {});
  await ask(sender, 'PATCH', '/inbound', { dmarc_action: 'accept', ...options });
  return { ...sender, host: `in.${sender.practice.managed_host}` };
};

const shown = ({ reply_to }: Message): string[] =>
  reply_to.map(({ name, address }) => (name === null ? address : `${name} <${address}>`));
const replyTo = async (sender: Sender, fields: object = {}): Promise<readonly string[]> =>
  shown(await app.message(sender, await app.send(sender, { ...fields })));

const refusal = async (recipient: string): Promise<string | null> => {
  const talk = await talkTo(app.inboundPort ?? 0);
  try {
    await talk.hello();
    await talk.say('MAIL FROM:<erika@patient.example>');
    return await talk.say(`RCPT TO:<${recipient}>`);
  } finally {
    talk.end();
  }
};

test('a patient who answers a letter writes to the practice, and the answer is in the thread of the letter', async () => {
  const sender = await withMailbox();
  const id = await app.send(sender);
  const letterSent = await app
    .untilStatus(sender, id, 'processed')
    .then(() => `${receiver.messages[0]?.content}`);
  const address = /^Reply-To: .*<(.*)>\r?$/m.exec(letterSent)?.[1] ?? '';
  expect(address).toBe(`post@${sender.host}`);

  const talk = await talkTo(app.inboundPort ?? 0);
  await talk.hello();
  await talk.envelope('erika@patient.example', address);
  talk.write(
    [
      'From: Erika <erika@patient.example>',
      `To: ${address}`,
      'Subject: Re: Ihr Termin',
      `In-Reply-To: ${(await app.message(sender, id)).internet_message_id}`,
      '',
      'Danke, ich komme.',
      '.',
      '',
    ].join('\r\n'),
  );
  expect(await talk.reply()).toMatch(/^250 /);
  talk.end();
  const { body } = await ask<List<{ reply_to_message_id: string }>>(sender, 'GET', '/inbound/messages');
  expect(body.data).toMatchObject([{ reply_to_message_id: id, recipients: [address] }]);
});

describe('the address', () => {
  test('is answered when receiving is switched on, and there is none before', async () => {
    const sender = await app.createSender();
    expect((await ask<Inbound>(sender, 'GET', '/inbound')).body.reply_address).toBeNull();
    expect(await replyTo(sender)).toEqual([]);
    const address = `post@in.${sender.practice.managed_host}`;
    expect((await ask<Inbound>(sender, 'POST', '/inbound/enable', {})).body.reply_address).toBe(address);
    expect(await replyTo(sender)).toEqual([`${sender.practice.name} <${address}>`]);
    await ask(sender, 'POST', '/inbound/disable', {});
    expect(await replyTo(sender)).toEqual([]);
  });

  test('is that of the mail, the template, the route, the project, the practice, in this order', async () => {
    const sender = await withMailbox();
    const change = async (method: string, path: string, body: object) => {
      const answer = await ask<{ id: string }>(sender, method, path, body);
      expect([200, 201], answer.text).toContain(answer.status);
      return answer.body.id;
    };
    const { body } = await ask<List<{ id: string }>>(sender, 'GET', '/projects');
    const project = body.data[0]?.id ?? '';
    const steps: [string, () => Promise<unknown>, object][] = [
      [
        'practice@praxis.example',
        () => change('PATCH', '', { reply_address: 'practice@praxis.example' }),
        {},
      ],
      [
        'project@praxis.example',
        () => change('PATCH', `/projects/${project}`, { reply_address: 'project@praxis.example' }),
        {},
      ],
      [
        'route@praxis.example',
        () => change('PATCH', '/routes/outgoing', { reply_address: 'route@praxis.example' }),
        {},
      ],
    ];
    for (const [address, set, fields] of steps) {
      await set();
      expect(await replyTo(sender, fields)).toEqual([`${sender.practice.name} <${address}>`]);
    }
    await change('POST', '/templates', {
      name: 'brief',
      subject: 'Ihr Termin',
      text: 'Am Montag.',
      reply_to: 'template@praxis.example',
    });
    const fromTemplate = { to: letter.to, template: 'brief', subject: undefined, text: undefined };
    expect(await replyTo(sender, fromTemplate)).toEqual(['template@praxis.example']);
    expect(await replyTo(sender, { ...fromTemplate, reply_to: 'mail@praxis.example' })).toEqual([
      'mail@praxis.example',
    ]);
    await change('PATCH', '', { add_reply_to: false });
    expect(await replyTo(sender)).toEqual([]);
    expect(await replyTo(sender, { reply_to: 'mail@praxis.example' })).toEqual(['mail@praxis.example']);
  });

  test('follows what the mailbox takes', async () => {
    const sender = await withMailbox({ catch_all: { mode: 'reject' }, addresses: [] });
    expect(await replyTo(sender)).toEqual([]);
    await ask(sender, 'PATCH', '/inbound', {
      addresses: [
        { local_part: 'jürgen' },
        { local_part: 'alt', mode: 'bounce' },
        { local_part: 'termine', mode: 'hold' },
      ],
    });
    expect(await replyTo(sender)).toEqual([`${sender.practice.name} <termine@${sender.host}>`]);
    await ask(sender, 'PATCH', '/inbound', {
      addresses: [{ local_part: 'post' }, { local_part: 'termine' }],
    });
    expect(await replyTo(sender)).toEqual([`${sender.practice.name} <post@${sender.host}>`]);
  });

  test.each([
    ['a closed mailbox of its own', (host: string) => `zu@in.${host}`],
    ['its sending host', (host: string) => `noreply@${host}`],
    ['its return paths', (host: string) => `b@bounce.${host}`],
  ])('that would bounce is refused, and counts no longer where it comes to: %s', async (_what, addressAt) => {
    const sender = await withMailbox({ addresses: [{ local_part: 'zu', mode: 'bounce' }] });
    const address = addressAt(sender.practice.managed_host);
    for (const [method, path, body] of [
      ['PATCH', '', {}],
      ['PATCH', '/routes/outgoing', {}],
      ['POST', '/routes', { name: 'Neu', type: 'transactional' }],
      ['POST', '/projects', { name: 'Neu' }],
    ] as const) {
      const answer = await ask(sender, method, path, { ...body, reply_address: address });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(answer.text).toContain('body.reply_address');
    }
  });

  test('that is open when it is chosen gives way while it is closed', async () => {
    const sender = await withMailbox({ addresses: [{ local_part: 'praxis' }] });
    const chosen = { reply_address: `praxis@${sender.host}` };
    expect((await ask(sender, 'PATCH', '', chosen)).status).toBe(200);
    expect(await replyTo(sender)).toEqual([`${sender.practice.name} <praxis@${sender.host}>`]);
    await ask(sender, 'PATCH', '/inbound', { addresses: [{ local_part: 'praxis', mode: 'bounce' }] });
    expect(await replyTo(sender)).toEqual([`${sender.practice.name} <post@${sender.host}>`]);
  });
});

describe('every door', () => {
  const doors: Record<string, (sender: Sender) => Promise<unknown>> = {
    send: (sender) => app.send(sender),
    'send by a project token': async (sender) => {
      const { body } = await ask<List<{ id: string }>>(sender, 'GET', '/projects');
      const token = await app.createToken(sender.practice.id, {
        scope: 'project',
        project_id: body.data[0]?.id,
      });
      return app.send({ ...sender, token });
    },
    batch: (sender) => ask(sender, 'POST', '/send/batch', [letter]),
    bulk: async (sender) => {
      await app.completeLegal(sender.practice.id);
      return ask(sender, 'POST', '/send/bulk', {
        template: { subject: 'Ihr Termin', text: 'Am Montag.' },
        message_kind: 'transactional',
        route: 'outgoing',
        recipients: [{ email: letter.to }],
      });
    },
    hook: async (sender) => {
      const { body } = await ask<{ id: string; secret: string }>(sender, 'POST', '/inbound-hooks', {
        name: 'Website',
      });
      return app.request('POST', `/api/public/hooks/${body.id}/send`, letter, undefined, {
        'x-service-hook-secret': body.secret,
      });
    },
    submission: async ({ practice, token }) => {
      const talk = await talkTo(app.submissionPorts.port ?? 0);
      await talk.hello();
      await talk.say(`AUTH PLAIN ${Buffer.from(`\0api\0${token}`).toString('base64')}`);
      await talk.envelope(`noreply@${practice.managed_host}`, letter.to);
      talk.write(
        `From: noreply@${practice.managed_host}\r\nTo: ${letter.to}\r\nSubject: Ihr Termin\r\n\r\nAm Montag.\r\n.\r\n`,
      );
      expect(await talk.reply()).toMatch(/^250 /);
      talk.end();
    },
    'the shape of vendor A': (sender) =>
      app.request(
        'POST',
        '/api/compat/vendor-a/emails',
        { from: `noreply@${sender.practice.managed_host}`, ...letter },
        sender.token,
      ),
    'the shape of vendor B': (sender) =>
      app.request(
        'POST',
        '/api/compat/vendor-b/email',
        {
          From: `noreply@${sender.practice.managed_host}`,
          To: letter.to,
          Subject: letter.subject,
          TextBody: letter.text,
        },
        sender.token,
      ),
    'the EU shape': (sender) => app.request('POST', '/api/compat/eu/send', letter, sender.token),
  };
  test.each(Object.entries(doors))('%s', async (_door, send) => {
    const sender = await withMailbox();
    await send(sender);
    const { body } = await ask<List<Message>>(sender, 'GET', '/messages/search');
    const messages = await Promise.all(body.data.map(({ id }) => app.message(sender, id)));
    expect(messages.map(shown)).toEqual([[`${sender.practice.name} <post@${sender.host}>`]]);
  });
});

describe('who writes to the sending host is told where to write', () => {
  test('while its practice receives mail, and else that the address takes none', async () => {
    const sender = await withMailbox();
    const noreply = `noreply@${sender.practice.managed_host}`;
    expect(await refusal(noreply)).toBe(`550 5.1.1 this address takes no mail, write to post@${sender.host}`);
    await ask(sender, 'PATCH', '/inbound', { catch_all: { mode: 'bounce' } });
    expect(await refusal(noreply)).toBe('550 5.1.1 this address takes no mail');
    await ask(sender, 'POST', '/inbound/disable', {});
    expect(await refusal(noreply)).toBe('550 5.1.1 this address takes no mail');
    expect(await refusal(`anna@nobody.send.example.com`)).toBe('550 5.7.1 relaying denied');
    expect(await refusal(`abuse@${sender.practice.managed_host}`)).toMatch(/^250 /);
  });
});

test('the host is that of From while its MX leads here, else the managed one', async () => {
  const scene = await startDomainScene({
    config: { smtp: { inbound: { listen: '127.0.0.1:0' } } },
  });
  const sender = await scene.app.createSender({ plan: 'praxis' });
  const call = (method: string, path: string, body?: object) =>
    scene.app.request<Inbound>(method, sender.base + path, body, sender.token);
  const addressOf = async (from: string): Promise<string> =>
    String(shown(await scene.app.message(sender, await scene.app.send(sender, { from }))));
  const managed = sender.practice.managed_host;
  await call('POST', '/inbound/enable', {});
  await scene.attach(sender, 'praxis.test');
  const wanted = await scene.records(sender);
  scene.dns.publish(wanted.records);
  expect((await call('GET', '/inbound')).body.reply_address).toBe(`post@in.${managed}`);
  const pending = await call('PATCH', '', { reply_address: 'post@in.praxis.test' });
  expect(pending.status).toBe(400);

  await scene.check(sender);
  expect(await addressOf('praxis@praxis.test')).toContain(`<post@in.${managed}>`);
  scene.dns.publish(wanted.inbound);
  await scene.check(sender);
  expect(await addressOf('praxis@praxis.test')).toContain('<post@in.praxis.test>');
  expect(await addressOf(`noreply@${managed}`)).toContain(`<post@in.${managed}>`);
  expect((await call('GET', '/inbound')).body.reply_address).toBe('post@in.praxis.test');

  await call('POST', '/restore-managed-domain', {});
  expect((await call('GET', '/inbound')).body.reply_address).toBe(`post@in.${managed}`);
});
