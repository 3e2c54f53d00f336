// A public form while the practice cannot send what it promises: what the person sees, what is stored, and what happens once the
// reason is gone. Sent as a browser without JavaScript does it, and as JSON.
import { simpleParser } from 'mailparser';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { openPractice, PATIENCE_MS, untilTestEnds } from '#test/flows/fixture.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { makeFailingDisk } from '#test/support/failing-disk.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type Script, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { type ShownPage, textOf, visitorAt } from '#test/support/visitor.ts';

let app: TestApp;
let receiver: SmtpReceiver;
let ahead = 0;
const now = (): number => Date.now() + ahead;
const NIGHTLY = 'remove what is old';
/** What the managed host may send is not what is tested. */
const LIMITS = { sign_in_rate: { per_address: { per_minute: 100_000 } }, managed_host_mails: 1_000_000 };

/** The relay knows nobody called `unknown`. */
const rcpt: Script = ({ address }) =>
  address.startsWith('unknown') ? '550 5.1.1 User unknown' : '250 2.1.5 Ok';

beforeAll(async () => {
  receiver = await createSmtpReceiver({ rcpt });
  app = await startApp({
    receiver,
    runsTwice: true,
    clock: { now },
    config: {
      service: { public_origin: 'https://mail.example.com' },
      limits: LIMITS,
      http: { trust_proxy: 1 },
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
}

let count = 0;
const newAddress = (): string => {
  count += 1;
  return `person-${count}@example.org`;
};

const call = <Body = Readonly<Record<string, unknown>>>(
  { sender }: Pick<Scene, 'sender'>,
  method: string,
  path: string,
  body?: unknown,
) => app.request<Body>(method, `${sender.base}${path}`, body, sender.token);

const newScene = async (fields: object = {}, name = 'Praxis am Markt'): Promise<Scene> => {
  const sender = await app.createSender({ name });
  await app.completeLegal(sender.practice.id);
  const { body: list } = await call<ListBody>({ sender }, 'POST', '/lists', {
    name: 'Praxisbrief',
    wording: 'Ich möchte den Praxisbrief bekommen.',
    ...fields,
  });
  return { sender, list };
};

const tokenOf = ({ list }: Scene): string => new URL(list.form_url).searchParams.get('l') ?? '';

/** As a browser sends a form that it has got, perhaps a while ago. */
const submit = (form: ShownPage, email: string, visitor = visitorAt(app.origin)): Promise<ShownPage> =>
  visitor.submit(form, 'Anmelden', { email });
const open = ({ list }: Scene): Promise<ShownPage> => visitorAt(app.origin).open(list.form_url);

const asJson = (scene: Scene, email: string) =>
  app.request('POST', '/api/public/subscribe', { list: tokenOf(scene), email });

const formOf = (scene: Scene) => call(scene, 'GET', `/lists/${scene.list.id}/form`);

/** What there is of that address: the status on the list, requests in the ledger, mails. */
const storedOf = ({ sender: { practice } }: Scene, address: string) => ({
  status:
    app.sql<{ status: string }>(practice.id, 'SELECT status FROM subscribers WHERE address = ?', address)[0]
      ?.status ?? null,
  requests: app.sql(
    practice.id,
    "SELECT 1 FROM consent_entries WHERE facts_json ->> '$.action' = 'request' AND openings_json ->> '$.address.value' = ?",
    address,
  ).length,
  mails: app.sql(practice.id, 'SELECT 1 FROM recipients WHERE address = ?', address).length,
});
const NOTHING = { status: null, requests: 0, mails: 0 };
const ASKED = { status: 'pending', requests: 1, mails: 1 };

const mailsTo = (address: string) =>
  receiver.messages.filter(({ recipients }) => recipients.some((one) => one.address === address));
const linkTo = async (address: string): Promise<string> => {
  await until(`a mail to ${address}`, () => mailsTo(address).length > 0);
  const { text = '' } = await simpleParser(mailsTo(address)[0]?.content ?? '');
  return /https:\/\/mail\.example\.com\/api\/public\/confirm\?token=\S+/.exec(text)?.[0] ?? '';
};
/** The status of the page behind the link. */
const follow = async (address: string): Promise<number> =>
  (await visitorAt(app.origin).open(await linkTo(address))).status;
const confirm = async (scene: Scene, address: string): Promise<void> => {
  expect(await follow(address)).toBe(200);
  expect(storedOf(scene, address).status).toBe('active');
};

const setSafeMode =
  (isOn: boolean) =>
  ({ sender: { practice } }: Scene): Promise<unknown> =>
    app.request('POST', `/api/practices/${practice.id}/safe-mode`, { enabled: isOn }, app.adminToken);

interface Closed {
  readonly name: string;
  readonly reason: string;
  readonly close: (scene: Scene) => Promise<unknown>;
  /** Null: it stays closed. */
  readonly open: ((scene: Scene) => Promise<unknown>) | null;
  readonly german: string;
  readonly english: string;
}

const patchList = (fields: object) => (scene: Scene) =>
  call(scene, 'PATCH', `/lists/${scene.list.id}`, fields);

const closed: readonly Closed[] = [
  {
    name: 'safe mode',
    reason: 'safe_mode',
    close: setSafeMode(true),
    open: setSafeMode(false),
    german: 'richtet den Versand von E-Mails gerade erst ein',
    english: 'is still setting up its email',
  },
  {
    name: 'no complete legal block',
    reason: 'legal_incomplete',
    close: (scene) => call(scene, 'PATCH', '/compliance', { street: null }),
    open: ({ sender }) => app.completeLegal(sender.practice.id),
    german: 'richtet den Versand von E-Mails gerade erst ein',
    english: 'is still setting up its email',
  },
  {
    name: 'a wording with offers',
    reason: 'content',
    close: patchList({ wording: 'Jetzt kaufen und 50 % Rabatt sichern!' }),
    open: patchList({ wording: 'Ja, bitte.' }),
    german: 'kann zurzeit keine E-Mail senden',
    english: 'cannot send the email',
  },
  {
    name: 'a list that is not public',
    reason: 'not_public',
    close: patchList({ is_public: false }),
    open: patchList({ is_public: true }),
    german: 'nimmt für diese Liste keine Anmeldungen mehr an',
    english: 'takes no more subscriptions to this list',
  },
  {
    name: 'an archived list',
    reason: 'archived',
    close: (scene) => call(scene, 'DELETE', `/lists/${scene.list.id}`),
    open: null,
    german: 'nimmt für diese Liste keine Anmeldungen mehr an',
    english: 'takes no more subscriptions to this list',
  },
];

describe('closed: the page says so, nothing is promised, and nothing is stored', () => {
  test.each(closed)('$name', async ({ reason, close, open, german, english }) => {
    const scene = await newScene();
    const { list } = scene;
    const shown = await visitorAt(app.origin).open(list.form_url);
    await close(scene);
    const address = newAddress();
    const pages = {
      opened: await visitorAt(app.origin).open(list.form_url),
      sent: await submit(shown, address),
    };
    for (const [name, { status, html }] of Object.entries(pages)) {
      expect(status, name).toBe(409);
      expect(textOf(html), name).toContain('Die Anmeldung ist geschlossen');
      expect(textOf(html), name).toContain(german);
      expect(textOf(html), name).toContain('wurde nichts gespeichert');
      expect(html, name).not.toContain('<form');
    }
    const inEnglish = await visitorAt(app.origin, { 'Accept-Language': 'en' }).open(list.form_url);
    expect(textOf(inEnglish.html)).toContain(english);
    expect(await asJson(scene, address)).toMatchObject({
      status: 409,
      body: { code: 'form_closed', reason },
    });
    expect((await formOf(scene)).body).toMatchObject({
      state: 'closed',
      reason,
      hint: expect.stringMatching(/\w/),
    });
    expect(storedOf(scene, address)).toEqual(NOTHING);

    if (open === null) return;
    await open(scene);
    expect((await formOf(scene)).body).toMatchObject({ state: 'open', reason: null, hint: null });
    expect((await submit(shown, address)).status).toBe(200);
    expect(storedOf(scene, address)).toEqual(ASKED);
    await confirm(scene, address);
  });
});

test.each([
  ['Praxis am Markt', 'Neuheiten und Aktionen'],
  ['Angebote & Mehr GmbH', 'Jetzt kaufen und sparen'],
])('the names %s and %s are no offers: the form is open, and the mail leaves', async (name, list) => {
  const scene = await newScene({ name: list, wording: undefined }, name);
  expect((await formOf(scene)).body).toMatchObject({ state: 'open' });
  const address = newAddress();
  expect((await submit(await open(scene), address)).status).toBe(200);
  await confirm(scene, address);
  // What the practice says beside them is rated as ever.
  await call(scene, 'PATCH', `/lists/${scene.list.id}`, { wording: `${list}: 50 % Rabatt sichern!` });
  expect((await formOf(scene)).body).toMatchObject({ state: 'closed', reason: 'content' });
});

interface Waiting {
  readonly name: string;
  readonly reason: string;
  readonly begin: (scene: Scene) => Promise<unknown>;
  /** Days that pass meanwhile. */
  readonly days: readonly number[];
  readonly end: (scene: Scene) => Promise<unknown>;
}

const pause = (scene: Scene) => call(scene, 'POST', '/pause', { reason: 'Die Liste wird geprüft.' });
const resume = (scene: Scene) =>
  app.request('POST', `${scene.sender.base}/resume`, undefined, app.adminToken);

/** Twenty mails of the practice itself, of which all come back. */
const comeBack = async (scene: Scene): Promise<void> => {
  const to = Array.from({ length: 20 }, (_, index) => `unknown-${index}@example.net`);
  await app.send(scene.sender, { to });
  await until(
    'the guardrail has paused the practice',
    async () => (await call<{ status: string }>(scene, 'GET', '')).body.status === 'paused',
  );
};

const firstOfNextMonth = (): number => {
  const date = new Date(now());
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
};
const goTo = (time: number): void => {
  ahead += time - now();
};
/** At the beginning of a month, so that it does not end meanwhile. */
const useUp = async ({ sender }: Scene): Promise<void> => {
  goTo(firstOfNextMonth());
  for (const part of [1, 2, 3, 4])
    await app.send(sender, {
      to: Array.from({ length: 50 }, (_, index) => `patient-${part}-${index}@example.net`),
    });
};

/** Longer than a link is valid, and than content and those who do not confirm are kept. */
const LONG = [2, 13, 30];
const waiting: readonly Waiting[] = [
  { name: 'a pause by a member', reason: 'paused', begin: pause, days: LONG, end: resume },
  { name: 'a pause by the guardrail', reason: 'paused', begin: comeBack, days: LONG, end: resume },
  {
    name: 'the cap of the plan, until the month ends',
    reason: 'plan_cap',
    begin: useUp,
    days: [2, 20],
    end: async (scene) => {
      goTo(firstOfNextMonth());
      // Timers of the daemon do not know that the clock was put forward.
      await app.send(scene.sender);
    },
  },
  {
    name: 'the cap of the plan, until another one is chosen',
    reason: 'plan_cap',
    begin: useUp,
    days: [2, 15],
    end: ({ sender }) => app.request('POST', `${sender.base}/plan`, { plan: 'praxis' }, app.adminToken),
  },
];

describe('waiting: the request is stored, and its mail leaves once the reason is gone', () => {
  test.each(waiting)('$name', async ({ reason, begin, days, end }) => {
    const scene = await newScene();
    const [known, early, late] = [newAddress(), newAddress(), newAddress()];
    await submit(await open(scene), known);
    await confirm(scene, known);
    await begin(scene);

    const form = await open(scene);
    expect(form.status).toBe(200);
    const pages = [];
    for (const address of [early, late, known]) pages.push(await submit(form, address));
    expect(new Set(pages.map(({ status, html }) => `${status} ${html}`)).size).toBe(1);
    expect(pages[0]?.status).toBe(200);
    expect(textOf(pages[0]?.html ?? '')).toContain('Sie kommt, sobald es wieder geht');
    const answers = [];
    for (const address of [early, newAddress(), known]) answers.push(await asJson(scene, address));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['202 {"status":"pending"}']),
    );
    expect((await formOf(scene)).body).toMatchObject({ state: 'waiting', reason });

    for (const passed of days) {
      ahead += passed * DAY;
      await app.runJob(NIGHTLY);
      await submit(form, early);
      expect(storedOf(scene, early)).toEqual(ASKED);
      expect(mailsTo(early)).toHaveLength(0);
    }
    await end(scene);
    expect((await formOf(scene)).body).toMatchObject({ state: 'open', reason: null });
    const queued = (): number => app.sql(scene.sender.practice.id, 'SELECT 1 FROM queue').length;
    await until('all mails have left', () => queued() === 0);
    ahead += 7 * DAY - HOUR;
    await confirm(scene, early);
    ahead += HOUR;
    expect(await follow(late)).toBe(404);
    expect(mailsTo(early)).toHaveLength(1);
  });
});

test('a request of a paused practice whose plan is used up leaves once both have ended', async () => {
  const scene = await newScene();
  await useUp(scene);
  await pause(scene);
  const address = newAddress();
  await submit(await open(scene), address);
  await app.request('POST', `${scene.sender.base}/plan`, { plan: 'praxis' }, app.adminToken);
  await resume(scene);
  await confirm(scene, address);
});

test('a mail that waits to ask about a list does not leave once the list is archived', async () => {
  const scene = await newScene();
  await pause(scene);
  const address = newAddress();
  await submit(await open(scene), address);
  await call(scene, 'DELETE', `/lists/${scene.list.id}`);
  await resume(scene);
  const queued = () => app.sql(scene.sender.practice.id, 'SELECT 1 FROM queue').length;
  await until('nothing waits', () => queued() === 0);
  expect(mailsTo(address)).toHaveLength(0);
});

test('the link of a mail that has left confirms nothing once the list is archived', async () => {
  const scene = await newScene();
  const address = newAddress();
  await submit(await open(scene), address);
  await linkTo(address);
  await call(scene, 'DELETE', `/lists/${scene.list.id}`);
  expect(await follow(address)).toBe(404);
  expect(storedOf(scene, address).status).toBe('pending');
});

describe('too many requests: nothing is stored, and the same request is taken later', () => {
  const visitor = () => visitorAt(app.origin, { 'X-Forwarded-For': '198.51.100.7' });
  afterEach(() => app.reconfigure({}));

  test.each([
    { name: 'of a client', limits: { sign_in_rate: { per_address: { per_minute: 2 } } }, sent: 3 },
    { name: 'to a list', limits: { subscribe_rate: { per_list: { per_hour: 5 } } }, sent: 2 },
    { name: 'of a domain', limits: { subscribe_rate: { per_domain: { per_hour: 5 } } }, sent: 2 },
  ])('$name: the page says when to try again', async ({ limits, sent }) => {
    const scene = await newScene();
    await app.reconfigure({ limits });
    const form = await visitorAt(app.origin, { 'X-Forwarded-For': '198.51.100.8' }).open(scene.list.form_url);
    const pages = [];
    for (const _ of Array.from({ length: sent })) pages.push(await submit(form, newAddress(), visitor()));
    const address = newAddress();
    const refused = sent === 3 ? pages[2] : await submit(form, address, visitor());
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(textOf(refused?.html ?? '')).toContain('Zu viele Anfragen');
    expect(storedOf(scene, address)).toEqual(NOTHING);
    ahead += 2 * HOUR;
    expect((await submit(form, address, visitor())).status).toBe(200);
    expect(storedOf(scene, address)).toEqual(ASKED);
  });

  test('to a mailbox: the page says that it may have had a mail today, and it gets one tomorrow', async () => {
    const scene = await newScene();
    await app.reconfigure({ limits: { subscribe_rate: { per_mailbox: { per_day: 2 } } } });
    const form = await open(scene);
    const local = newAddress().split('@')[0];
    const first = await submit(form, `${local}+1@example.org`, visitor());
    const second = await submit(form, `${local}+2@example.org`, visitor());
    expect(`${second.status} ${second.html}`).toBe(`${first.status} ${first.html}`);
    expect(textOf(second.html)).toContain('oder wir haben Ihnen heute schon geschrieben');
    expect(storedOf(scene, `${local}+1@example.org`)).toEqual(ASKED);
    expect(storedOf(scene, `${local}+2@example.org`)).toEqual(NOTHING);
    ahead += DAY;
    await submit(form, `${local}+2@example.org`, visitor());
    expect(storedOf(scene, `${local}+2@example.org`)).toEqual(ASKED);
  });
});

test('a full disk: 503 for all, nothing is promised, and the same request is taken once there is space', {
  tags: ['debian/gcc', 'debian/libc6-dev'],
  timeout: PATIENCE_MS,
}, async () => {
  const started = untilTestEnds();
  const disk = await makeFailingDisk(started);
  const daemon = await startDaemon({
    env: disk.env,
    config: { limits: { sign_in_rate: { per_address: { per_minute: 100_000 } } } },
  });
  started.defer(daemon.remove);
  const { practiceId, token } = await openPractice(daemon);
  const base = `/api/practices/${practiceId}`;
  const legal = { street: 'Am Markt 1', city: '20095 Hamburg', privacy_url: 'https://praxis.example/d' };
  await daemon.request('PATCH', `${base}/compliance`, legal, token);
  const { body: list } = await daemon.request<ListBody>(
    'POST',
    `${base}/lists`,
    { name: 'Praxisbrief' },
    token,
  );
  const visitor = visitorAt(daemon.origin);
  const form = await visitor.open(list.form_url);
  const evidence = { status: 'active', consent: { evidence: 'Formular' } };
  const people = `${base}/lists/${list.id}/subscribers`;
  await daemon.request('POST', people, { address: 'known@example.org', ...evidence }, token);

  await disk.fail('pwrite', 'ENOSPC', practiceId);
  for (const email of ['new@example.org', 'known@example.org', 'other@example.org']) {
    const page = await visitor.submit(form, 'Anmelden', { email });
    expect(page.status, email).toBe(503);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(textOf(page.html)).toContain('konnte nicht bearbeitet werden');
    expect(textOf(page.html)).not.toContain('E-Mail von');
    const json = { list: new URL(list.form_url).searchParams.get('l'), email };
    const answer = await daemon.request('POST', '/api/public/subscribe', json);
    expect([answer.status, answer.body]).toMatchObject([503, { code: 'unavailable' }]);
  }
  await disk.mend();
  await until(
    'it is taken',
    async () => (await visitor.submit(form, 'Anmelden', { email: 'new@example.org' })).status === 200,
  );
  const { body } = await daemon.request<List<{ address: string; status: string }>>(
    'GET',
    people,
    undefined,
    token,
  );
  expect(body.data.map(({ address, status }) => `${address} ${status}`)).toEqual([
    'new@example.org pending',
    'known@example.org active',
  ]);
});
