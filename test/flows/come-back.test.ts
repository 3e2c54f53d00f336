// Who left everything, or was erased, comes back by her own confirmed request: it is new consent, for the channel of the list alone.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { visitorAt } from '#test/support/visitor.ts';

let app: TestApp;
let receiver: SmtpReceiver;
let ahead = 0;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    runsTwice: true,
    clock: { now: () => Date.now() + ahead },
    config: {
      service: { public_origin: 'https://mail.example.com' },
      limits: { sign_in_rate: { per_address: { per_minute: 100_000 } } },
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

interface ListBody {
  readonly id: string;
  readonly form_url: string;
}
interface Scene {
  readonly sender: Sender;
  readonly list: ListBody;
  readonly address: string;
}

let count = 0;
const call = async <Body = Readonly<Record<string, unknown>>>(
  { sender }: Pick<Scene, 'sender'>,
  method: string,
  path: string,
  body?: unknown,
) => {
  const answer = await app.request<Body>(method, `${sender.base}${path}`, body, sender.token);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};

const newScene = async (): Promise<Scene> => {
  count += 1;
  const sender = await app.createSender({ name: 'Praxis am Markt', plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  const list = await call<ListBody>({ sender }, 'POST', '/lists', { name: 'Praxisbrief' });
  return { sender, list, address: `person-${count}@example.org` };
};

const subscribe = async ({ list, address }: Scene): Promise<string> => {
  const visitor = visitorAt(app.origin);
  const { status, html } = await visitor.submit(await visitor.open(list.form_url), 'Anmelden', {
    email: address,
  });
  return `${status} ${html}`;
};

const mailsTo = (address: string) =>
  receiver.messages.filter(({ recipients }) => recipients.some((one) => one.address === address));
/** The link of the kind in the mail of that number. */
const linkIn = async ({ address }: Scene, number: number, kind: 'confirm' | 'unsub'): Promise<string> => {
  await until(`mail ${number} to ${address}`, () => mailsTo(address).length >= number);
  const mail = await simpleParser(mailsTo(address)[number - 1]?.content ?? '');
  if (kind === 'unsub')
    return (mail.headers.get('list') as { unsubscribe?: { url?: string } }).unsubscribe?.url ?? '';
  return /https:\/\/mail\.example\.com\/api\/public\/confirm\?token=\S+/.exec(mail.text ?? '')?.[0] ?? '';
};
const open = (url: string) => visitorAt(app.origin).open(url);

const statusOf = async (scene: Scene): Promise<string | null> => {
  const { data } = await call<List<{ address: string; status: string }>>(
    scene,
    'GET',
    `/lists/${scene.list.id}/subscribers`,
  );
  return data.find(({ address }) => address === scene.address)?.status ?? null;
};

interface Suppression {
  readonly id: string;
  readonly address: string | null;
  readonly reason: string;
  readonly scope: string;
  readonly lifted: readonly { readonly channel: string; readonly entry: string }[];
}
const suppressions = async (scene: Scene) =>
  (await call<List<Suppression>>(scene, 'GET', '/suppression')).data;

const lastConsent = async (scene: Scene, action: string) => {
  const { data } = await call<
    List<{ id: string; action: string; details: Readonly<Record<string, unknown>> }>
  >(scene, 'GET', `/consent?address=${scene.address}`);
  return data.find((entry) => entry.action === action);
};

/** Whether a mail of that kind is sent to the person now. */
const reaches = async (scene: Scene, fields: object): Promise<boolean> => {
  const answer = await app.request<{ status: string }>(
    'POST',
    `${scene.sender.base}/send`,
    { to: scene.address, subject: 'Ihre Praxis', text: 'Guten Tag', ...fields },
    scene.sender.token,
  );
  if (answer.status !== 202) throw new Error(answer.text);
  return answer.body.status !== 'suppressed';
};
const newsletter = { message_kind: 'newsletter', route: 'broadcast' };
const appointment = { message_kind: 'termin' };

/** By the button of the page behind the link of a mail. */
const stopAll = async (link: string): Promise<void> => {
  const left = await visitorAt(app.origin).submit(
    await open(link),
    'Alle E-Mails dieses Absenders abbestellen',
  );
  expect(left.html).toContain('Sie sind abgemeldet');
};

const leaveEverything = async (scene: Scene): Promise<void> => {
  const before = mailsTo(scene.address).length;
  await call(scene, 'POST', '/send', { to: scene.address, subject: 'Ihr Termin', text: 'Am Montag.' });
  await stopAll(await linkIn(scene, before + 1, 'unsub'));
  expect((await suppressions(scene)).map(({ reason }) => reason)).toContain('unsubscribe_all');
};

const beErased = async (scene: Scene): Promise<void> => {
  const { id } = await call<{ id: string }>(scene, 'POST', '/people/erase', { address: scene.address });
  await until(
    'the person is erased',
    async () => (await call<{ status: string }>(scene, 'GET', `/people/erasures/${id}`)).status === 'done',
  );
};

describe.each([
  { name: 'unsubscribed from everything', leave: leaveEverything, reason: 'unsubscribe_all' },
  { name: 'was erased', leave: beErased, reason: 'erasure' },
])('who $name', ({ leave, reason }) => {
  test('comes back by her own confirmed request, for the channel of the list alone', async () => {
    const scene = await newScene();
    await leave(scene);
    expect(await reaches(scene, newsletter)).toBe(false);
    const before = mailsTo(scene.address).length;
    await subscribe(scene);
    // The request alone ends nothing: anyone can make it.
    expect(await reaches(scene, newsletter)).toBe(false);
    const link = await linkIn(scene, before + 1, 'confirm');
    expect((await open(link)).status).toBe(200);
    expect(await statusOf(scene)).toBe('active');
    expect(await reaches(scene, newsletter)).toBe(true);
    expect(await reaches(scene, appointment)).toBe(false);

    const confirmed = await lastConsent(scene, 'confirm');
    const [row] = await suppressions(scene);
    expect(row).toMatchObject({
      reason,
      scope: 'team',
      lifted: [{ channel: 'newsletter', entry: confirmed?.id }],
    });
    expect(confirmed?.details).toMatchObject({ lifts: row?.id });
  });

  test('is out of everything again, once she leaves everything again', async () => {
    const scene = await newScene();
    await leave(scene);
    const before = mailsTo(scene.address).length;
    await subscribe(scene);
    await open(await linkIn(scene, before + 1, 'confirm'));
    expect(await reaches(scene, newsletter)).toBe(true);
    await until('all have left', () => app.sql(scene.sender.practice.id, 'SELECT 1 FROM queue').length === 0);
    await stopAll(await linkIn(scene, mailsTo(scene.address).length, 'unsub'));
    expect(await reaches(scene, newsletter)).toBe(false);
    expect(await suppressions(scene)).toMatchObject([{ reason, lifted: [] }]);
    await until('the subscription has ended', async () => (await statusOf(scene)) === 'unsubscribed');
  });

  test('stays out where she does not answer', async () => {
    const scene = await newScene();
    await leave(scene);
    await subscribe(scene);
    ahead += DAY;
    expect(await suppressions(scene)).toMatchObject([{ reason, lifted: [] }]);
    const added = await app.request(
      'POST',
      `${scene.sender.base}/lists/${scene.list.id}/subscribers`,
      { address: scene.address },
      scene.sender.token,
    );
    expect(added.status).toBe(409);
  });
});

test.each(['unsubscribed', 'removed'])(
  'the wish to get nothing holds again once she is %s from the last list to which she came back',
  async (how) => {
    const scene = await newScene();
    await leaveEverything(scene);
    const second = await call<ListBody>(scene, 'POST', '/lists', { name: 'Zweiter Brief' });
    const scenes = [scene, { ...scene, list: second }];
    for (const one of scenes) {
      const before = mailsTo(scene.address).length;
      await subscribe(one);
      await open(await linkIn(one, before + 1, 'confirm'));
    }
    const leave = async ({ list }: Scene): Promise<void> => {
      const people = `/lists/${list.id}/subscribers`;
      const { data } = await call<List<{ id: string }>>(scene, 'GET', people);
      const path = `${people}/${data[0]?.id}`;
      if (how === 'removed') await call(scene, 'DELETE', path);
      else await call(scene, 'PATCH', path, { status: 'unsubscribed' });
    };
    await leave({ ...scene, list: second });
    expect(await reaches(scene, newsletter)).toBe(true);
    await leave(scene);
    expect(await reaches(scene, newsletter)).toBe(false);
    expect(await suppressions(scene)).toMatchObject([{ reason: 'unsubscribe_all', lifted: [] }]);
  },
);

test.each(['complaint', 'hard_bounce', 'manual'])(
  'who is suppressed by a %s stays so, and is answered as others are',
  async (reason) => {
    const scene = await newScene();
    await call(scene, 'POST', '/suppression', { address: scene.address, scope: 'team' });
    app.sql(scene.sender.practice.id, 'UPDATE suppressions SET reason = ?', reason);
    const answered = await subscribe(scene);
    expect(answered).toBe(await subscribe({ ...scene, address: `unknown-${scene.address}` }));
    await linkIn({ ...scene, address: `unknown-${scene.address}` }, 1, 'confirm');
    expect(mailsTo(scene.address)).toHaveLength(0);
    expect(await statusOf(scene)).toBeNull();
  },
);

test('a suppression from then on stops the channel that she came back for, too', async () => {
  const scene = await newScene();
  await leaveEverything(scene);
  const before = mailsTo(scene.address).length;
  await subscribe(scene);
  await open(await linkIn(scene, before + 1, 'confirm'));
  const [row] = await suppressions(scene);
  const added = await call<Suppression>(scene, 'POST', '/suppression', {
    address: scene.address,
    scope: 'team',
  });
  expect(added).toMatchObject({ id: row?.id, reason: 'unsubscribe_all', lifted: [] });
  expect(await reaches(scene, newsletter)).toBe(false);
});
