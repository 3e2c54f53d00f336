// The outbreak brake by real sends: usual days, then one token sends far more. It is slowed at once, the other token is not, owner
// and operator are told, nothing is lost, and people lift it or discard what waits.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { makeOwner, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const OPERATOR = 'betrieb@example.net';
/** A Monday. */
const MORNING = Date.UTC(2026, 10, 30, 9);
const USUAL = 4;
/** Of an hour; five times the usual is more. */
const LIMIT = 5 * USUAL;

interface Token {
  readonly id: string;
  readonly name: string;
  readonly slowed: {
    readonly since: string;
    readonly until: string;
    readonly by: string;
    readonly reason: { readonly measure: string; readonly count: number; readonly usual: number };
    readonly per_hour: number;
    readonly waiting: number;
  } | null;
  readonly lifted_until: string | null;
}

/** Each test has its practice, and its month. */
let morning = MORNING;
let ownerAddress: string;
let receiver: SmtpReceiver;
let clock: TestClock;
let app: TestApp;
let sender: Sender;
let other: Sender;
/** The bearer of the owner's session. */
let owner: string;

const start = (home?: string): Promise<TestApp> =>
  startApp({
    ...(home === undefined ? {} : { home }),
    runsTwice: true,
    receiver,
    clock,
    config: {
      ...unlimitedSignIn,
      admin: { mail: OPERATOR },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      limits: {
        ...unlimitedSignIn.limits,
        managed_host_mails: 100_000,
        token_brake: { least_per_hour: 10, least_per_day: 30 },
      },
    },
  });

let made = 0;
const strangers = (count: number): string[] =>
  Array.from({ length: count }, () => {
    made += 1;
    return `r${made}@example.net`;
  });

const mailsTo = (address: string): string[] =>
  receiver.messages.flatMap(({ content, recipients }) =>
    recipients[0]?.address === address ? [String(content)] : [],
  );
/** The relay of this file takes the mails of the service too. */
const signInByMail = async (): Promise<string> => {
  await app.request('POST', '/api/auth/request-otp', { email: ownerAddress });
  let code: string | undefined;
  await until('the code has come', () => {
    code = mailsTo(ownerAddress).flatMap((mail) => /^(\d{6})\r?$/m.exec(mail)?.[1] ?? [])[0];
    return code !== undefined;
  });
  const { body } = await app.request<{ token: string }>('POST', '/api/auth/verify-otp', {
    email: ownerAddress,
    code,
  });
  return body.token;
};
const subjectsTo = (address: string): Promise<string[]> =>
  Promise.all(mailsTo(address).map(async (mail) => (await simpleParser(mail)).subject ?? ''));
const told = async (address: string): Promise<boolean> =>
  (await subjectsTo(address)).some((subject) =>
    /API.Token „test“ .*verlangsamt|API token “test” .*slowed/.test(subject),
  );

beforeAll(async () => {
  receiver = await createSmtpReceiver({
    rcpt: ({ address }) => (address.startsWith('unknown') ? '550 5.1.1 User unknown' : '250 2.1.5 Ok'),
  });
  clock = createTestClock(MORNING);
  app = await start();
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const idsOfTokens = (): string[] =>
  app.sql<{ id: string }>(sender.practice.id, 'SELECT id FROM api_tokens').map(({ id }) => id);
/** Nine usual days of each token, as they are noted. */
const noteUsualDays = (): void => {
  for (const id of idsOfTokens())
    for (let ago = 9; ago >= 1; ago -= 1)
      app.sql(
        sender.practice.id,
        'INSERT INTO token_days (token_id, day, mails, busiest_hour) VALUES (?, ?, ?, ?)',
        ...[id, Math.floor(morning / DAY) - ago, USUAL, USUAL],
      );
};

beforeEach(async () => {
  morning += 30 * DAY;
  clock.set(morning);
  ownerAddress = `inhaberin${morning}@praxis.example`;
  sender = await app.createSender({ plan: 'gruppe' });
  other = { ...sender, token: await app.createToken(sender.practice.id, { name: 'other' }) };
  await makeOwner(app, sender.practice.id, ownerAddress);
  owner = await signInByMail();
});

const tokens = async (): Promise<Token[]> =>
  (await app.request<{ data: Token[] }>('GET', `${sender.base}/api-tokens`, undefined, owner)).body.data;
const token = async (name = 'test'): Promise<Token> =>
  (await tokens()).find((one) => one.name === name) as Token;
const act = async (verb: string, body: object | undefined, by: string, name = 'test') =>
  app.request<Refusal & Token & { discarded: number }>(
    'POST',
    `${sender.base}/api-tokens/${(await token(name)).id}/${verb}`,
    body,
    by,
  );
const audit = () =>
  app.sql<{ action: string; actor_kind: string }>(
    sender.practice.id,
    "SELECT action, actor_kind FROM audit WHERE action IN ('token.slow', 'token.lift', 'token.discard') ORDER BY seq",
  );
const arrivals = (): number =>
  receiver.messages.filter(({ recipients }) => /^r\d+@/.test(recipients[0]?.address ?? '')).length;
const queued = () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length;
/** Resolves once the relay has looked at what is due now. */
const look = async (): Promise<void> => {
  await app.untilStatus(other, await app.send(other), 'processed');
};
const post = (to: readonly string[], by = sender) =>
  app.request<Refusal & { id: string }>(
    'POST',
    `${by.base}/send`,
    { to, subject: 'Angebot', text: 'Nur heute.' },
    by.token,
  );

describe('a token that suddenly sends a hundred times as much', () => {
  test('is slowed within its hour, loses nothing, and is free again when its owner says that it is right', async () => {
    for (let day = 9; day >= 1; day -= 1) {
      clock.set(morning - day * DAY);
      for (const one of [sender, other]) await app.send(one, { to: strangers(USUAL) });
    }
    await app.runJob('note what tokens sent');
    clock.set(morning);
    await look();
    await until('the usual mail has left', () => queued() === 0);
    const before = arrivals();
    const ids: string[] = [];
    for (let count = 0; count < LIMIT + 10; count += 1) {
      clock.set(morning + count * 1_000);
      ids.push(await app.send(sender, { to: strangers(1) }));
    }
    const { slowed, id } = await token();
    expect(slowed).toMatchObject({
      by: 'brake',
      reason: { measure: 'mails_per_hour', count: LIMIT + 1, usual: USUAL },
      per_hour: USUAL,
      waiting: 9,
    });
    expect(Date.parse(slowed?.since ?? '')).toBe(morning + LIMIT * 1_000);
    expect((await token('other')).slowed).toBeNull();
    await look();
    // What is usual, and the first one of the line, have left.
    await until('they have arrived', () => arrivals() === before + LIMIT + 1);
    await until('that is written down', () => queued() <= 9);
    expect(queued()).toBe(9);

    const waits = await app.message(sender, ids.at(-1) ?? '');
    const dueAt = Date.parse(waits.recipients[0]?.next_attempt_at ?? '');
    expect(waits.status).toBe('queued');
    expect(dueAt).toBe(morning + LIMIT * 1_000 + 9 * 15 * MINUTE);

    for (const to of [ownerAddress, OPERATOR]) {
      await until(`${to} is told`, () => told(to));
    }
    expect(audit()).toEqual([{ action: 'token.slow', actor_kind: 'system' }]);

    clock.set(morning + 20 * MINUTE);
    await look();
    await until('the next one has left', () => queued() === 8);

    // A restart forgets nothing of it.
    await app.stop();
    app = await start(app.home);
    expect((await token()).slowed).toMatchObject({ waiting: 8 });

    // Whoever has the token cannot lift it.
    expect((await act('lift', {}, sender.token)).status).toBe(403);
    const lifted = await act('lift', { hours: 2 }, owner);
    expect(lifted.body).toMatchObject({
      slowed: null,
      lifted_until: new Date(morning + 2 * HOUR + 20 * MINUTE).toISOString(),
    });
    await until('all have left', () => queued() === 0);
    for (const one of ids) await app.untilStatus(sender, one, 'processed');
    await app.send(sender, { to: strangers(50) });
    await until('nothing waits', () => queued() === 0);
    expect(audit().at(-1)).toEqual({ action: 'token.lift', actor_kind: 'member' });
    expect((await token()).id).toBe(id);
  });

  test('in a stranger’s hands: the line ends after three days, the owner revokes it and discards what waits', async () => {
    noteUsualDays();
    let refused: Awaited<ReturnType<typeof post>> | undefined;
    for (let count = 0; count < 9 && refused === undefined; count += 1) {
      const answer = await post(strangers(50));
      if (answer.status !== 202) refused = answer;
    }
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'token_slowed', retry_after: expect.any(Number) },
    });
    const { id, slowed } = await token();
    expect(slowed?.waiting).toBe(6 * 50 - 50);
    // A token that is made now has no range of its own, so it is judged by the practice's, of which much is left.
    const revoked = await app.request('DELETE', `${sender.base}/api-tokens/${id}`, undefined, owner);
    expect(revoked.status).toBe(204);
    const path = `${sender.base}/api-tokens/${id}/discard`;
    const done = await app.request('POST', path, undefined, owner);
    expect(done).toMatchObject({ status: 200, body: { discarded: slowed?.waiting } });
    clock.set(morning + 4 * DAY);
    await look();
    await until('nothing is queued', () => queued() === 0);
    expect(receiver.messages.filter(({ content }) => String(content).includes('Angebot'))).toHaveLength(50);
    expect(audit().at(-1)).toEqual({ action: 'token.discard', actor_kind: 'member' });
  });

  test('is judged with all tokens of the practice where it is new, so that making some gains nothing', async () => {
    noteUsualDays();
    const answers: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const made = { ...sender, token: await app.createToken(sender.practice.id, { name }) };
      await post(strangers(10), made);
      answers.push((await token(name)).slowed === null ? 'free' : 'slowed');
    }
    // Five times the busy hour of both tokens.
    expect(answers).toEqual(['free', 'free', 'free', 'free', 'slowed', 'slowed']);
  });
});

test('a token whose mail comes back is slowed before the guardrail pauses the practice', async () => {
  noteUsualDays();
  await app.send(sender, { to: strangers(1) });
  await until('it has left', () => queued() === 0);
  app.sql(sender.practice.id, 'UPDATE counters SET sent = 10000');
  const unknown = Array.from({ length: 5 }, (_, index) => `unknown${index}@example.net`);
  await post([...unknown.slice(0, 4), ...strangers(6)]);
  await until('they have come back', () => queued() === 0);
  expect((await token()).slowed).toBeNull();
  await post(unknown.slice(4));
  await until('the last one has come back', () => queued() === 0);
  expect((await token()).slowed).toMatchObject({
    by: 'brake',
    reason: { measure: 'hard_bounces', count: 5, whole: 16 },
  });
  const { body } = await app.request('GET', sender.base, undefined, owner);
  expect(body).toMatchObject({ status: 'active' });
});

test('what the operator has slowed, only they lift', async () => {
  const slowed = await act('slow', { hours: 48, note: 'Beschwerden' }, app.adminToken);
  expect(slowed.body.slowed).toMatchObject({
    by: 'operator',
    reason: { measure: 'by_hand', note: 'Beschwerden' },
  });
  expect((await act('lift', {}, owner)).status).toBe(403);
  expect((await act('slow', {}, owner)).status).toBe(403);
  await until('the owner is told', () => told(ownerAddress));
  expect((await act('lift', {}, app.adminToken)).body).toMatchObject({ slowed: null });
});

describe('a report of abuse', () => {
  const about = async (fields: object) => {
    const typed = { email: 'erika@example.org', subject: 'Werbung', description: 'Ungefragt.' };
    const { body } = await app.request<{ id: string }>('POST', '/api/public/abuse', { ...typed, ...fields });
    const path = `/api/admin/abuse-tickets/${body.id}/message`;
    return (
      await app.request<{ message: Record<string, unknown> | null }>('GET', path, undefined, app.adminToken)
    ).body.message;
  };

  test('shows the message that it is about and its token, without text and recipients', async () => {
    const id = await app.send(sender, { to: strangers(2), subject: 'Angebot des Tages', text: 'Geheimnis.' });
    await app.untilStatus(sender, id, 'processed');
    const mail = receiver.messages.find(({ content }) => String(content).includes('Angebot des Tages'));
    const source = String(mail?.content);
    const shown = {
      id,
      practice: { id: sender.practice.id, name: sender.practice.name },
      subject: 'Angebot des Tages',
      recipients: 2,
      token: { id: (await token()).id, name: 'test', slowed: null },
    };
    const known = await about({ source: `Return-Path: <${mail?.mailFrom}>\r\n${source}` });
    expect(known).toMatchObject({ ...shown, found_by: 'signed' });
    expect(JSON.stringify(known)).not.toMatch(/Geheimnis|@example\.net/);

    const messageId = /^Message-ID: (<[^>]+>)/im.exec(source)?.[1] ?? '';
    expect(await about({ description: `Bitte prüfen: ${messageId}` })).toMatchObject({
      ...shown,
      found_by: 'message_id',
    });
    expect(await about({ description: 'Bitte prüfen: <fremd@example.org>' })).toBeNull();
  });
});
