// A public form while the practice cannot send what it promises: what the person sees, what is stored, and what happens once the
// reason is gone. Sent as a browser without JavaScript does it, and as JSON.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { type ShownPage, textOf, visitorAt } from '#test/support/visitor.ts';

let app: TestApp;
let receiver: SmtpReceiver;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    runsTwice: true,
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

const newScene = async (fields: object = {}): Promise<Scene> => {
  const sender = await app.createSender({ name: 'Praxis am Markt' });
  await app.completeLegal(sender.practice.id);
  const { body: list } = await call<ListBody>({ sender }, 'POST', '/lists', {
    name: 'Praxisbrief',
    wording: 'Ich möchte den Praxisbrief bekommen.',
    ...fields,
  });
  return { sender, list };
};

const tokenOf = ({ list }: Scene): string => new URL(list.form_url).searchParams.get('l') ?? '';

/** As a browser sends the form that it got before. */
const submit = async ({ list }: Scene, form: ShownPage, email: string, language = 'de'): Promise<ShownPage> =>
  visitorAt(app.origin, { 'Accept-Language': language }).submit(
    form.html === '' ? await visitorAt(app.origin).open(list.form_url) : form,
    'Anmelden',
    { email },
  );

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
const confirm = async (scene: Scene, address: string): Promise<void> => {
  const page = await visitorAt(app.origin).open(await linkTo(address));
  expect(page.status).toBe(200);
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
      sent: await submit(scene, shown, address),
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
    expect((await submit(scene, shown, address)).status).toBe(200);
    expect(storedOf(scene, address)).toEqual(ASKED);
    await confirm(scene, address);
  });
});
