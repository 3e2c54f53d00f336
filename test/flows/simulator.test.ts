// The mailbox simulator in a loop over real SMTP, whatever upstream is configured: the service hands a mail to its own listener
// for mail from the world, which answers it with a report to its return path, and the report says what became of it.
import { afterEach, describe, expect, test } from 'vitest';
import { type AppOptions, letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { freePort, until } from '#test/support/process.ts';
import { bounceOf, bring, deliveryStatus } from '#test/support/reports.ts';
import { createSmtpReceiver, OK } from '#test/support/smtp-receiver.ts';

const SIMULATOR = 'simulator.mail.example.com';
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const started = async (options: AppOptions): Promise<TestApp> => {
  const app = await startApp(options);
  endings.push(() => app.remove());
  return app;
};

interface Event {
  readonly type: string;
  readonly enhanced_code: string | null;
  readonly rule: string | null;
}
const eventsOf = async (app: TestApp, { base, token }: Sender, id: string): Promise<Event[]> => {
  const answer = await app.request<{ data: Event[] }>(
    'GET',
    `${base}/messages/${id}/events`,
    undefined,
    token,
  );
  return [...answer.body.data];
};
const typesOf = async (app: TestApp, sender: Sender, id: string): Promise<string[]> =>
  (await eventsOf(app, sender, id)).map(({ type }) => type).sort();
/** What is reported of the mail may be written down before the 250 to it. */
const untilSent = (app: TestApp, sender: Sender, id: string): Promise<void> =>
  until('the 250 is written down', async () => (await typesOf(app, sender, id)).includes('message.sent'));

const ends = [
  { local: 'success', status: 'delivered', event: 'message.delivered' },
  { local: 'bounce', status: 'hard_bounced', event: 'message.hard_bounced' },
  { local: 'complaint', status: 'spam_complaint', event: 'message.spam_complaint' },
  { local: 'ooto', status: 'auto_replied', event: 'message.auto_replied' },
] as const;

describe('the simulator', () => {
  test.each([
    { name: 'the capture upstream, and no mail from the world', relays: false },
    { name: 'a relay, and mail from the world', relays: true },
  ])(
    'with $name: each of the four ends as it should, no upstream sees it, none is suppressed or counted',
    async ({ relays }) => {
      const receiver = relays ? await createSmtpReceiver() : undefined;
      if (receiver) endings.push(() => receiver.stop());
      const smtp = receiver ? { inbound: { listen: '127.0.0.1:0' } } : {};
      const app = await started({ ...(receiver ? { receiver } : {}), config: { smtp } });
      const sender = await app.createSender();
      for (const { local, status, event } of ends) {
        const id = await app.send(sender, { to: `${local}@${SIMULATOR}` });
        await app.untilStatus(sender, id, status);
        await untilSent(app, sender, id);
        expect(await typesOf(app, sender, id)).toEqual(['message.created', event, 'message.sent'].sort());
        expect((await app.message(sender, id)).recipients).toMatchObject([{ upstream: 'simulator' }]);
      }
      const again = await app.send(sender, { to: `bounce@${SIMULATOR}` });
      await app.untilStatus(sender, again, 'hard_bounced');
      const nowhere = await app.send(sender, { to: `nobody@${SIMULATOR}` });
      await app.untilStatus(sender, nowhere, 'hard_bounced');
      expect(app.sql(sender.practice.id, 'SELECT * FROM suppressions')).toEqual([]);
      expect(app.sql(sender.practice.id, 'SELECT * FROM counters')).toEqual([]);
      if (receiver === undefined) {
        expect(app.sql(sender.practice.id, 'SELECT * FROM captures')).toEqual([]);
        return;
      }
      expect(receiver.messages).toEqual([]);
      const health = await app.request<{ inbound: { simulated: number; reports: { unknown: number } } }>(
        'GET',
        '/api/admin/health',
        undefined,
        app.adminToken,
      );
      expect(health.body.inbound).toMatchObject({ simulated: 5, reports: { unknown: 0 } });
    },
  );

  test('answers a message of which other recipients go to a relay, to each what it is due', async () => {
    const receiver = await createSmtpReceiver();
    endings.push(() => receiver.stop());
    const app = await started({ receiver });
    const sender = await app.createSender();
    const id = await app.send(sender, { to: ['erika@example.org', `bounce@${SIMULATOR}`] });
    await app.untilStatus(sender, id, 'hard_bounced');
    await receiver.waitFor(1);
    expect(receiver.messages.map(({ recipients }) => recipients.map(({ address }) => address))).toEqual([
      ['erika@example.org'],
    ]);
  });
});

describe('behind Postfix', { tags: 'debian/postfix' }, () => {
  const behindPostfix = async (): Promise<TestApp> => {
    const port = await freePort();
    const postfix = await startPostfix({ relayTo: port });
    endings.push(() => postfix.stop());
    const upstream = { name: 'relay', kind: 'smtp', host: '127.0.0.1', port: postfix.smtpPort, tls: 'none' };
    return started({ config: { upstreams: [upstream], smtp: { inbound: { listen: `127.0.0.1:${port}` } } } });
  };

  test('Postfix’s own notices are understood: a mailbox that does not exist, a relay that is refused', async () => {
    const app = await behindPostfix();
    const sender = await app.createSender();
    const unknown = await app.send(sender, { to: 'nobody@mail.example.com' });
    await app.untilStatus(sender, unknown, 'hard_bounced');
    await untilSent(app, sender, unknown);
    expect(await eventsOf(app, sender, unknown)).toContainEqual(
      expect.objectContaining({
        type: 'message.hard_bounced',
        enhanced_code: '5.1.1',
        rule: 'unknown_address',
      }),
    );
    const elsewhere = await app.send(sender, { to: 'erika@example.org' });
    await app.untilStatus(sender, elsewhere, 'soft_bounced');
    await untilSent(app, sender, elsewhere);
    expect(app.sql(sender.practice.id, 'SELECT reason FROM suppressions')).toEqual([
      { reason: 'hard_bounce' },
    ]);
    expect(
      app.sql(
        sender.practice.id,
        'SELECT sum(sent) AS sent, sum(hard_bounced) AS hard, sum(soft_bounced) AS soft FROM counters',
      ),
    ).toEqual([{ sent: 2, hard: 1, soft: 1 }]);
  });
});

describe('a report from the world', () => {
  /** The relay takes the mail; reports are brought by hand. */
  const withReceiver = async () => {
    const receiver = await createSmtpReceiver();
    endings.push(() => receiver.stop());
    const app = await started({ receiver, config: { smtp: { inbound: { listen: '127.0.0.1:0' } } } });
    return { receiver, app, sender: await app.createSender() };
  };

  test('of a mailbox that does not exist keeps further mail from it', async () => {
    const { receiver, app, sender } = await withReceiver();
    const id = await app.send(sender);
    await receiver.waitFor(1);
    const returnPath = receiver.messages[0]?.mailFrom ?? '';
    expect(await bring(app.inboundPort, returnPath, bounceOf(letter.to))).toMatch('250 2.0.0');
    await app.untilStatus(sender, id, 'hard_bounced');
    expect(await bring(app.inboundPort, returnPath, bounceOf(letter.to))).toMatch('250 2.0.0');
    const answer = await app.request('POST', `${sender.base}/send`, letter, sender.token);
    expect(answer.body).toMatchObject({ status: 'suppressed', code: 'recipient_suppressed' });
    expect((await typesOf(app, sender, id)).filter((type) => type === 'message.hard_bounced')).toHaveLength(
      1,
    );
    expect(app.sql(sender.practice.id, 'SELECT sum(hard_bounced) AS hard FROM counters')).toEqual([
      { hard: 1 },
    ]);
  });

  test('with a forged token is refused, and changes nothing', async () => {
    const { receiver, app, sender } = await withReceiver();
    await app.send(sender);
    await receiver.waitFor(1);
    const returnPath = receiver.messages[0]?.mailFrom ?? '';
    const last = returnPath.indexOf('@') - 1;
    const forged = `${returnPath.slice(0, last)}${returnPath[last] === 'a' ? 'b' : 'a'}${returnPath.slice(last + 1)}`;
    await expect(bring(app.inboundPort, forged, bounceOf(letter.to))).rejects.toThrow('550 5.1.1');
    expect(app.sql(sender.practice.id, 'SELECT * FROM suppressions')).toEqual([]);
  });

  test('that is none changes nothing', async () => {
    const { receiver, app, sender } = await withReceiver();
    const id = await app.send(sender);
    await receiver.waitFor(1);
    await app.untilStatus(sender, id, 'processed');
    const events = await eventsOf(app, sender, id);
    expect(
      await bring(
        app.inboundPort,
        receiver.messages[0]?.mailFrom ?? '',
        'Subject: Re: Ihr Termin\r\n\r\nDanke!\r\n',
      ),
    ).toMatch('250');
    expect(await eventsOf(app, sender, id)).toEqual(events);
  });
});

describe('kill -9', () => {
  test('between a report and the relay’s 250: the report stands, and nothing is sent again', async () => {
    const held = Promise.withResolvers<void>();
    const receiver = await createSmtpReceiver({
      dot: async () => {
        await held.promise;
        return OK;
      },
    });
    endings.push(() => receiver.stop());
    const port = await freePort();
    const config = {
      upstreams: [{ name: 'relay', kind: 'smtp', host: '127.0.0.1', port: receiver.port, tls: 'none' }],
      smtp: { inbound: { listen: `127.0.0.1:${port}` } },
      queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
    };
    const first = await startDaemon({ config });
    endings.push(() => first.remove());
    const practice = await first.createPractice();
    const token = await first.createToken(practice.id);
    const base = `/api/practices/${practice.id}`;
    const to = ['anna@example.org', 'berta@example.org'];
    const sent = await first.request<{ id: string }>('POST', `${base}/send`, { ...letter, to }, token);
    const returnPathOf = (address: string): string => {
      const at = receiver.commands.findIndex((line) => line.includes(`RCPT TO:<${address}>`));
      const connection = receiver.commands[at]?.split(' ')[0];
      const mail = receiver.commands.slice(0, at).findLast((line) => line.startsWith(`${connection} MAIL`));
      return /<(.*)>/.exec(mail ?? '')?.[1] ?? '';
    };
    await until(
      'the relay has both copies',
      () => receiver.commands.filter((line) => line.endsWith(' .')).length === 2,
    );
    await bring(port, returnPathOf('anna@example.org'), bounceOf('anna@example.org'));
    const delivered = deliveryStatus('berta@example.org', 'Action: delivered', 'Status: 2.0.0');
    await bring(port, returnPathOf('berta@example.org'), delivered);
    await first.kill();
    held.resolve();

    const second = await startDaemon({ config, dataDir: first.dataDir });
    endings.push(() => second.remove());
    await until('the queue is empty', async () => {
      const health = await second.request<{ queue: { waiting_tenants: number; in_flight: number } }>(
        'GET',
        '/api/admin/health',
        undefined,
        second.adminToken,
      );
      return health.body.queue.waiting_tenants === 0 && health.body.queue.in_flight === 0;
    });
    const message = await second.request<{ recipients: { status: string }[] }>(
      'GET',
      `${base}/messages/${sent.body.id}`,
      undefined,
      token,
    );
    expect(message.body.recipients.map(({ status }) => status)).toEqual(['hard_bounced', 'delivered']);
    expect(receiver.commands.filter((line) => line.endsWith(' .'))).toHaveLength(2);
  });
});
