// The plan's monthly cap: what is refused when, what counts, and that the owners are told of 70, 90 and 100 per cent once
// a UTC month, by real sends and the mails that come of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '#src/kernel/limits.ts';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { join, type Mail, mailsTo, makeOwner, systemTenant, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const START = Date.UTC(2026, 10, 20, 12);
const NEXT_MONTH = Date.UTC(2026, 11, 1);
const PLANS_CAP = 100_000_000;

let app: TestApp;
let clock: TestClock;

const started = async (managedHostMails: number, of = clock): Promise<TestApp> =>
  startApp({
    clock: of,
    config: { limits: { ...unlimitedSignIn.limits, managed_host_mails: managedHostMails } },
  });

beforeAll(async () => {
  clock = createTestClock(START);
  app = await started(PLANS_CAP);
});
afterAll(() => app?.remove());

let made = 0;
interface Owned extends Sender {
  readonly owner: string;
}
const owned = async (fields: object = {}, of = app): Promise<Owned> => {
  made += 1;
  const sender = await of.createSender({ name: `Praxis ${made}`, ...fields });
  const owner = `owner${made}@example.org`;
  await makeOwner(of, sender.practice.id, owner);
  await of.completeLegal(sender.practice.id);
  return { ...sender, owner };
};

let sent = 0;
const strangers = (count: number): string[] =>
  Array.from({ length: count }, () => {
    sent += 1;
    return `r${sent}@example.net`;
  });

const post = (sender: Sender, fields: object, of = app) =>
  of.request<Refusal & { status: string }>(
    'POST',
    `${sender.base}/send`,
    { subject: 'Ihr Termin', text: 'Am Montag um 9:30 Uhr.', ...fields },
    sender.token,
  );

/** So many mails, in as few messages as can be. */
const send = async (sender: Sender, mails: number, of = app): Promise<void> => {
  for (let left = mails; left > 0; left -= defaultLimits.recipients) {
    const to = strangers(Math.min(left, defaultLimits.recipients));
    const { status, text } = await post(sender, { to, message_kind: 'termin' }, of);
    if (status !== 202) throw new Error(text);
  }
};

const usage = ({ practice }: Sender, of = app) =>
  of.sql<{ month: string; accepted: number; told: number }>(
    practice.id,
    'SELECT month, accepted, told FROM monthly_usage ORDER BY month',
  );

/** The mails about usage to that address, once so much has been told and none waits. */
const told = async (sender: Sender, share: number, email: string, of = app): Promise<readonly Mail[]> => {
  await until(`${share} % is told`, () => usage(sender, of).at(-1)?.told === share);
  await until('no mail waits', () => of.sql(null, 'SELECT 1 FROM notices').length === 0);
  await until('all are sent', () => of.sql(systemTenant(of), 'SELECT 1 FROM queue').length === 0);
  const mails = await mailsTo(of, email);
  return mails.filter(({ subject }) => /Monatskontingent|monthly allowance/.test(subject));
};

const subjects = (mails: readonly Mail[]): string[] => mails.map(({ subject }) => subject);

const planOf = (sender: Sender, plan: string) =>
  app.request('POST', `${sender.base}/plan`, { plan }, app.adminToken);

describe('the Test plan', () => {
  test('takes its 200 mails a month and nothing more of any kind', async () => {
    const sender = await owned();
    await send(sender, 200);
    for (const fields of [{}, { message_kind: 'termin' }, { route: 'broadcast' }]) {
      const { status, body } = await post(sender, { to: strangers(1), ...fields });
      expect({ status, body }).toMatchObject({
        status: 402,
        body: { code: 'plan_cap_reached', used: 200, cap: 200, resets_at: '2026-12-01T00:00:00.000Z' },
      });
    }
    expect(usage(sender)).toMatchObject([{ month: '2026-11', accepted: 200 }]);
  });

  test('refuses a message whole that would go over, and takes one that fits', async () => {
    const sender = await owned();
    await send(sender, 190);
    expect((await post(sender, { to: strangers(11) })).status).toBe(402);
    expect(usage(sender)).toMatchObject([{ accepted: 190 }]);
    expect((await post(sender, { to: strangers(10) })).status).toBe(202);
    expect(usage(sender)).toMatchObject([{ accepted: 200 }]);
  });

  test('is used up for who is limited to a project, without the count of the others', async () => {
    const sender = await owned();
    await send(sender, 190);
    const { body } = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/projects`,
      { name: 'Web' },
      sender.token,
    );
    const token = await app.createToken(sender.practice.id, { scope: 'project', project_id: body.id });
    expect(await post({ ...sender, token }, { to: strangers(11) })).toMatchObject({
      status: 402,
      body: { error: 'The mails of this month are used up.', used: 200, cap: 200 },
    });
    expect(await post(sender, { to: strangers(11) })).toMatchObject({ body: { used: 190, cap: 200 } });
  });

  test('counts neither the simulator nor who is suppressed, also beyond the cap', async () => {
    const sender = await owned();
    const suppressed = { address: 'anna@example.net' };
    await app.request('POST', `${sender.base}/suppression`, suppressed, sender.token);
    const simulator = 'success@simulator.mail.example.com';
    expect((await post(sender, { to: [simulator, 'anna@example.net', ...strangers(1)] })).status).toBe(202);
    expect(usage(sender)).toMatchObject([{ accepted: 1 }]);
    await send(sender, 199);
    expect((await post(sender, { to: simulator })).status).toBe(202);
    expect((await post(sender, { to: 'anna@example.net' })).body.status).toBe('suppressed');
    expect((await post(sender, { to: [simulator, ...strangers(1)] })).status).toBe(402);
    expect(usage(sender)).toMatchObject([{ accepted: 200 }]);
  });

  test('answers a repeated request as the first one, though the cap was reached since', async () => {
    const sender = await owned();
    const body = { to: strangers(1), idempotency_key: 'k' };
    const first = await post(sender, body);
    await send(sender, 199);
    expect(await post(sender, body)).toMatchObject({ status: 202, body: first.body });
  });
});

describe('a paid plan', () => {
  test('takes no marketing beyond its cap, and everything else', async () => {
    const sender = await owned({ plan: 'supporter' });
    await send(sender, 1_000);
    expect(await post(sender, { to: strangers(1), route: 'broadcast' })).toMatchObject({
      status: 402,
      body: { code: 'plan_cap_reached', used: 1_000, cap: 1_000 },
    });
    expect((await post(sender, { to: strangers(1), message_kind: 'recall' })).status).toBe(202);
    expect(await post(sender, { to: strangers(1), route: 'broadcast' })).toMatchObject({
      body: { used: 1_001 },
    });
  });
});

test('the month is that of UTC: the next one begins anew, and its owners are told anew', async () => {
  const calendar = createTestClock(START);
  const later = await started(PLANS_CAP, calendar);
  try {
    const sender = await owned({}, later);
    await send(sender, 200, later);
    await told(sender, 100, sender.owner, later);
    calendar.set(NEXT_MONTH - 1);
    expect((await post(sender, { to: strangers(1) }, later)).status).toBe(402);
    calendar.set(NEXT_MONTH);
    expect((await post(sender, { to: strangers(1) }, later)).status).toBe(202);
    expect(usage(sender, later)).toMatchObject([
      { month: '2026-11', accepted: 200 },
      { month: '2026-12', accepted: 1, told: 0 },
    ]);
    await send(sender, 139, later);
    const mails = await told(sender, 70, sender.owner, later);
    expect(mails.at(-1)?.text).toContain('im Dezember 2026 bisher 140 von 200');
    expect(mails.at(-2)?.text).toContain('im November 2026 bisher 200 von 200');
  } finally {
    await later.remove();
  }
});

describe('the owners', () => {
  test('are told at 70, 90 and 100 per cent, each once and in the language of each; nobody else is', async () => {
    const sender = await owned();
    const english = `english${made}@example.org`;
    await join(app, sender.practice.id, english, { role_id: 'owner', language: 'en' });
    const member = `member${made}@example.org`;
    await join(app, sender.practice.id, member, { role_id: 'admin' });

    await send(sender, 139);
    expect(usage(sender)).toMatchObject([{ told: 0 }]);
    await send(sender, 1);
    const [first, ...none] = await told(sender, 70, sender.owner);
    expect(none).toEqual([]);
    const name = sender.practice.name;
    expect(first?.subject).toBe(`„${name}“ hat 70 % des Monatskontingents verbraucht`);
    expect(first?.text).toContain(`„${name}“ hat im November 2026 bisher 140 von 200 E-Mails verbraucht`);
    await send(sender, 30);
    await send(sender, 10);
    await told(sender, 90, sender.owner);
    await send(sender, 20);
    expect(subjects(await told(sender, 100, sender.owner))).toEqual([
      `„${name}“ hat 70 % des Monatskontingents verbraucht`,
      `„${name}“ hat 90 % des Monatskontingents verbraucht`,
      `Das Monatskontingent von „${name}“ ist ausgeschöpft`,
    ]);
    expect(subjects(await told(sender, 100, english))).toEqual([
      `“${name}” has used 70% of its monthly allowance`,
      `“${name}” has used 90% of its monthly allowance`,
      `The monthly allowance of “${name}” is used up`,
    ]);
    expect(await told(sender, 100, member)).toEqual([]);
  });

  test('are told of the highest share alone, where several are passed at once', async () => {
    const small = await started(60);
    try {
      const sender = await owned({ plan: 'praxis' }, small);
      await send(sender, 12, small);
      await send(sender, 48, small);
      const [mail, ...none] = await told(sender, 100, sender.owner, small);
      expect(none).toEqual([]);
      expect(mail?.text).toContain(
        '60 von 60 E-Mails verbraucht, die ohne eigene Domain im Monat möglich sind',
      );
      const { status, body } = await post(sender, { to: strangers(1), message_kind: 'termin' }, small);
      expect({ status, hint: body.hint }).toEqual({
        status: 402,
        hint: expect.stringContaining('domain of your own'),
      });
    } finally {
      await small.remove();
    }
  });

  test('are told once by many messages at once', async () => {
    const sender = await owned();
    await Promise.all(Array.from({ length: 40 }, () => send(sender, 4)));
    expect(await told(sender, 70, sender.owner)).toHaveLength(1);
  });

  test('are not told twice where a crash forgot that they were', async () => {
    const sender = await owned();
    await send(sender, 140);
    expect(await told(sender, 70, sender.owner)).toHaveLength(1);
    // What stands there when the process dies between the outbox and the practice's file.
    app.sql(sender.practice.id, 'UPDATE monthly_usage SET told = 0');
    await send(sender, 1);
    expect(await told(sender, 70, sender.owner)).toHaveLength(1);
  });

  test('are told by what is refused, where a smaller plan made it so', async () => {
    const sender = await owned({ plan: 'supporter' });
    await send(sender, 300);
    await planOf(sender, 'test');
    expect((await post(sender, { to: strangers(1) })).status).toBe(402);
    const mails = await told(sender, 100, sender.owner);
    expect(subjects(mails)).toEqual([`Das Monatskontingent von „${sender.practice.name}“ ist ausgeschöpft`]);
    expect(mails[0]?.text).toContain('300 von 200');
  });

  test('get no mail for a batch of which all was refused, and theirs when the plan is really used up', async () => {
    const sender = await owned();
    await send(sender, 105);
    const from = sender.practice.default_from;
    const batch = strangers(100).map((to) => ({ from, to, subject: 'Ihr Termin', text: 'Am Montag.' }));
    const refused = await app.request('POST', '/api/compat/vendor-a/emails/batch', batch, sender.token, {
      'x-batch-validation': 'strict',
    });
    expect(refused).toMatchObject({ status: 429, text: expect.stringContaining('Message 96: ') });
    expect(usage(sender)).toMatchObject([{ accepted: 105, told: 0 }]);
    await send(sender, 35);
    expect(subjects(await told(sender, 70, sender.owner))).toEqual([expect.stringContaining('70 %')]);
    await send(sender, 60);
    expect(subjects(await told(sender, 100, sender.owner)).at(-1)).toContain('ist ausgeschöpft');
  });

  test('are told of no share twice in a month, also where a larger plan came in between', async () => {
    const sender = await owned();
    await send(sender, 140);
    await told(sender, 70, sender.owner);
    await planOf(sender, 'supporter');
    await send(sender, 560);
    await send(sender, 200);
    expect(subjects(await told(sender, 90, sender.owner))).toEqual([
      expect.stringContaining('70 %'),
      expect.stringContaining('90 %'),
    ]);
  });

  test('are told what goes on and what does not', async () => {
    const sender = await owned({ plan: 'supporter' });
    await send(sender, 700);
    await told(sender, 70, sender.owner);
    await send(sender, 300);
    const mails = await told(sender, 100, sender.owner);
    const [before, after] = [mails[0], mails.at(-1)];
    const goesOn = 'Terminbestätigungen, Erinnerungen und andere Mitteilungen gehen weiter hinaus.';
    const flat = (text = '') => text.replace(/\s+/g, ' ');
    expect(flat(before?.text)).toContain(
      `Sind 100 % erreicht, werden bis zum 1. Dezember (0 Uhr UTC) keine Newsletter und keine andere Werbung mehr angenommen. ${goesOn}`,
    );
    expect(flat(after?.text)).toContain(
      `Bis zum 1. Dezember (0 Uhr UTC) werden keine Newsletter und keine andere Werbung mehr angenommen. ${goesOn}`,
    );
  });

  test('who are not there are not told, and the next share is not told to wait for them', async () => {
    const sender = await app.createSender();
    await send(sender, 140);
    await until('70 % is told', () => usage(sender).at(-1)?.told === 70);
    await makeOwner(app, sender.practice.id, 'late@example.org');
    await send(sender, 40);
    expect(subjects(await told(sender, 90, 'late@example.org'))).toEqual([expect.stringContaining('90 %')]);
  });
});
