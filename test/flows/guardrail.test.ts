// The guardrail by real mail: bounces at the relay's connection, delivery status notifications and complaints that come in
// by SMTP; who is paused by them, what the owners are told, and what goes out after the resumption.
import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, test } from 'vitest';
import { HOUR } from '#src/kernel/time.ts';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { makeOwner } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { bounceOf, bring, feedbackReport, feedbackSource } from '#test/support/reports.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const REASON =
  /^Hard bounces on the route broadcast: 1 of 20 messages since \d{4}-\d\d-\d\d \(5%\)\. The limit is 5%\.$/;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Scene {
  readonly app: TestApp;
  readonly receiver: SmtpReceiver;
  readonly sender: Sender;
  /** From now on the relay takes those it had put off. */
  open(): void;
}

/** The relay knows nobody called `unknown`, and puts `later` off. */
const started = async (): Promise<Scene> => {
  let isOpen = false;
  const receiver = await createSmtpReceiver({
    rcpt: ({ address }) => {
      if (address.startsWith('unknown')) return '550 5.1.1 User unknown';
      return address.startsWith('later') && !isOpen ? '450 4.2.0 Greylisted' : '250 2.1.5 Ok';
    },
  });
  endings.push(() => receiver.stop());
  const source = await feedbackSource();
  endings.push(() => source.dns.stop());
  const app = await startApp({
    runsTwice: true,
    receiver,
    config: {
      ...source.config,
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
    },
  });
  endings.push(() => app.remove());
  const sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  const open = () => {
    isOpen = true;
  };
  return { app, receiver, sender, open };
};

let made = 0;
const strangers = (count: number): string[] =>
  Array.from({ length: count }, () => {
    made += 1;
    return `r${made}@example.net`;
  });

const broadcast = { route: 'broadcast', message_kind: 'newsletter' };

/** To so many, on their way to the end that the relay gives them. */
const sent = async ({ app, sender }: Scene, to: readonly string[], fields: object = {}): Promise<string> => {
  const id = await app.send(sender, { to, ...fields });
  await until('all are sent', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
  return id;
};

const returnPathOf = ({ receiver }: Scene, address: string): string =>
  receiver.messages.find(({ recipients }) => recipients.some((one) => one.address === address))?.mailFrom ??
  '';

interface Practice {
  readonly status: string;
  readonly pause: { readonly reason: string; readonly by: string; readonly at: string } | null;
}
const practice = async ({ app, sender }: Scene): Promise<Practice> =>
  (await app.request<Practice>('GET', sender.base, undefined, sender.token)).body;
const counters = ({ app, sender }: Scene) =>
  app.sql<{ slug: string; sent: number; refused: number; hard_bounced: number; complaints: number }>(
    sender.practice.id,
    `SELECT slug, sum(sent) AS sent, sum(refused) AS refused, sum(hard_bounced) AS hard_bounced,
       sum(complaints) AS complaints FROM counters JOIN routes ON routes.id = route_id GROUP BY slug ORDER BY slug`,
  );
const pauses = ({ app, sender }: Scene) =>
  app.sql<{ actor_kind: string }>(
    sender.practice.id,
    "SELECT actor_kind FROM audit WHERE action = 'practice.pause'",
  );
const resume = ({ app, sender }: Scene) =>
  app.request<Practice>('POST', `${sender.base}/resume`, undefined, app.adminToken);

/** Subjects of the mails about sending that this address has got. */
const told = async ({ app, receiver }: Scene, address: string): Promise<string[]> => {
  await until('nothing waits to be told', () => app.sql(null, 'SELECT 1 FROM notices').length === 0);
  const own = receiver.messages.filter(({ recipients }) => recipients[0]?.address === address);
  const mails = await Promise.all(own.map(({ content }) => simpleParser(content)));
  return mails.flatMap(({ subject = '' }) => (/^Der Versand/.test(subject) ? [subject] : []));
};

describe('20 messages of which one came back', () => {
  test('at the relay’s connection: the practice is paused, the other route’s counters are untouched', async () => {
    const scene = await started();
    const { app, sender } = scene;
    await sent(scene, strangers(30));
    await sent(scene, strangers(19), broadcast);
    expect((await practice(scene)).status).toBe('active');
    await sent(scene, ['unknown@example.net'], broadcast);
    const { status, pause } = await practice(scene);
    expect(status).toBe('paused');
    expect(pause).toMatchObject({ by: 'guardrail', reason: expect.stringMatching(REASON) });
    expect(counters(scene)).toEqual([
      { slug: 'broadcast', sent: 19, refused: 1, hard_bounced: 1, complaints: 0 },
      { slug: 'outgoing', sent: 30, refused: 0, hard_bounced: 0, complaints: 0 },
    ]);
    expect(pauses(scene)).toEqual([{ actor_kind: 'system' }]);

    const letter = { to: strangers(1), subject: 'Ihr Termin', text: 'Am Montag.' };
    const refusal = await app.request<Refusal>('POST', `${sender.base}/send`, letter, sender.token);
    expect(refusal).toMatchObject({
      status: 409,
      body: { code: 'tenant_paused', reason: pause?.reason, paused_at: pause?.at },
    });
  });

  test('first, and the others after it: the 20th pauses', async () => {
    const scene = await started();
    await sent(scene, ['unknown@example.net'], broadcast);
    await sent(scene, strangers(18), broadcast);
    expect((await practice(scene)).status).toBe('active');
    await sent(scene, strangers(1), broadcast);
    expect((await practice(scene)).pause?.reason).toMatch(REASON);
  });

  test('as a notification tells days later', async () => {
    const scene = await started();
    const to = strangers(20);
    await sent(scene, to, broadcast);
    const [address = ''] = to;
    const returnPath = returnPathOf(scene, address);
    expect(await bring(scene.app.inboundPort, returnPath, bounceOf(address))).toMatch('250');
    expect((await practice(scene)).pause?.reason).toMatch(REASON);
  });

  test('of 19, or of 21: nothing is paused', async () => {
    const scene = await started();
    const to = strangers(19);
    await sent(scene, to, broadcast);
    const many = strangers(21);
    await sent(scene, many);
    for (const [address = ''] of [to, many])
      await bring(scene.app.inboundPort, returnPathOf(scene, address), bounceOf(address));
    expect(counters(scene)).toMatchObject([
      { slug: 'broadcast', sent: 19, hard_bounced: 1 },
      { slug: 'outgoing', sent: 21, hard_bounced: 1 },
    ]);
    expect((await practice(scene)).status).toBe('active');
  });
});

test('one complaint of 20 pauses, of 19 it does not', async () => {
  const scene = await started();
  const complain = async (address: string): Promise<void> => {
    const arf = feedbackReport('abuse', [`Original-Rcpt-To: <${address}>`], [`To: ${address}`]);
    expect(await bring(scene.app.inboundPort, returnPathOf(scene, address), arf)).toMatch('250');
  };
  const few = strangers(19);
  await sent(scene, few);
  await complain(few[0] ?? '');
  expect((await practice(scene)).status).toBe('active');
  const to = strangers(20);
  await sent(scene, to, broadcast);
  await complain(to[0] ?? '');
  expect((await practice(scene)).pause).toMatchObject({
    by: 'guardrail',
    reason: expect.stringContaining(
      'Complaints on the route broadcast: 1 of 20 messages that did not bounce',
    ),
  });
});

test('the simulator counts for nothing', async () => {
  const scene = await started();
  await sent(scene, strangers(19), broadcast);
  const to = Array.from({ length: 5 }, (_, index) => `unknown${index}@simulator.mail.example.com`);
  await sent(scene, to, broadcast);
  await sent(scene, strangers(1), broadcast);
  expect(counters(scene)).toEqual([
    { slug: 'broadcast', sent: 20, refused: 0, hard_bounced: 0, complaints: 0 },
  ]);
  expect((await practice(scene)).status).toBe('active');
});

test('every owner is told once, with the figures, however much comes back during the pause', async () => {
  const scene = await started();
  const { app, sender, receiver } = scene;
  const owners = ['chefin@praxis.example', 'chef@praxis.example'];
  for (const owner of owners) await makeOwner(app, sender.practice.id, owner);
  const to = strangers(20);
  await sent(scene, to, broadcast);
  for (const address of to.slice(0, 3))
    await bring(app.inboundPort, returnPathOf(scene, address), bounceOf(address));
  await until('the owners are told', () => {
    const [row] = app.sql<{ pause_told: number }>(sender.practice.id, 'SELECT pause_told FROM practice');
    return row?.pause_told === 1;
  });
  const subject = `Der Versand von „${sender.practice.name}“ ist angehalten`;
  for (const owner of owners) await expect.poll(() => told(scene, owner)).toEqual([subject]);
  const mails = await Promise.all(receiver.messages.map(({ content }) => simpleParser(content)));
  expect(mails.find((mail) => mail.subject === subject)?.text).toContain(
    'Auf dem Versandweg „broadcast“ liegt der Anteil der E-Mails an Adressen, die es nicht gibt, bei 5 % (1 von 20,',
  );
  expect(pauses(scene)).toHaveLength(1);

  await resume(scene);
  const after = [subject, `Der Versand von „${sender.practice.name}“ geht weiter`];
  for (const owner of owners) await expect.poll(() => told(scene, owner)).toEqual(after);
});

test('what waited through the pause goes out after it, and it is counted anew', async () => {
  const scene = await started();
  const { app, sender, receiver, open } = scene;
  const waiting = await app.send(sender, { to: 'later@example.net' });
  await app.untilStatus(sender, waiting, 'delivery_delayed');
  await app.send(sender, { to: strangers(19), ...broadcast });
  await app.send(sender, { to: 'unknown@example.net', ...broadcast });
  await until('it is paused', async () => (await practice(scene)).status === 'paused');
  // No claim comes before the look in an hour.
  await until('the queue sleeps', async () => {
    const { body } = await app.request<{ queue: { in_flight: number; next_due_at: string | null } }>(
      'GET',
      '/api/admin/health',
      undefined,
      app.adminToken,
    );
    const { in_flight, next_due_at } = body.queue;
    return in_flight === 0 && Date.parse(next_due_at ?? '') > Date.now() + HOUR / 2;
  });
  // Not before: an attempt that had begun before the pause would succeed.
  open();
  expect((await app.message(sender, waiting)).status).toBe('delivery_delayed');
  const before = receiver.messages.length;

  expect(await resume(scene)).toMatchObject({ status: 200, body: { status: 'active', pause: null } });
  await app.untilStatus(sender, waiting, 'processed');
  expect(receiver.messages.slice(before).map(({ recipients }) => recipients[0]?.address)).toEqual([
    'later@example.net',
  ]);

  await sent(scene, strangers(30), broadcast);
  expect((await practice(scene)).status).toBe('active');
  await sent(scene, ['unknown-a@example.net', 'unknown-b@example.net'], broadcast);
  expect((await practice(scene)).pause?.reason).toContain('2 of 32 messages');
});
