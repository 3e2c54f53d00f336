// The warm-up of a practice's own domain over its days, by real sends: marketing beyond the day's cap is refused,
// transactional mail beyond twice the cap waits for a day with room and goes out on it.
import { beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#src/kernel/time.ts';
import type { Message, Refusal, Sender } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { type DomainScene, startDomainScene } from './domain-scene.ts';

const HOST = 'praxis.test';
/** Of day 1, 2 and 3. */
const [FIRST, SECOND, THIRD] = [150, 250, 400];

let scene: DomainScene;
let sender: Sender;
/** Midnight before the first day. */
let start: number;

beforeEach(async () => {
  scene = await startDomainScene();
  start = Math.floor(scene.clock.now() / DAY) * DAY + DAY;
  scene.clock.set(start + 9 * HOUR);
  sender = await scene.app.createSender({ plan: 'gruppe' });
  await scene.app.completeLegal(sender.practice.id);
  await scene.verified(sender, HOST);
});

let made = 0;
const strangers = (count: number): string[] =>
  Array.from({ length: count }, () => {
    made += 1;
    return `r${made}@example.net`;
  });

const post = (fields: object) =>
  scene.app.request<Refusal & { id: string; status: string }>(
    'POST',
    `${sender.base}/send`,
    { subject: 'Ihr Termin', text: 'Am Montag um 9:30 Uhr.', ...fields },
    sender.token,
  );

const accepted = async (fields: object): Promise<string> => {
  const { status, body, text } = await post(fields);
  if (status !== 202) throw new Error(text);
  return body.id;
};

const marketing = { route: 'broadcast', message_kind: 'newsletter' };

/** So many mails in messages to `size` recipients each; ids. */
const burst = async (mails: number, fields: object = {}, size = 50): Promise<string[]> => {
  const ids: string[] = [];
  for (let left = mails; left > 0; left -= size)
    ids.push(await accepted({ to: strangers(Math.min(left, size)), ...fields }));
  return ids;
};

const message = (id: string): Promise<Message> => scene.app.message(sender, id);
const nextAttempt = async (id: string) => (await message(id)).recipients[0]?.next_attempt_at;
const decision = async (id: string) =>
  (await message(id)).decisions.find(({ gate }) => gate === 'warmup_volume');

/** The day, from 1, on which so many mails wait or went out. */
const volumes = (): Record<string, number> =>
  Object.fromEntries(
    scene.app
      .sql<{ day: number; mails: number }>(
        sender.practice.id,
        "SELECT day, mails FROM daily_volume WHERE stream = 'transactional' ORDER BY day",
      )
      .map(({ day, mails }) => [day - start / DAY + 1, mails]),
  );

const goTo = async (day: number, hours = 0): Promise<void> => {
  scene.clock.set(start + (day - 1) * DAY + hours * HOUR);
  // Wakes the dispatcher, and counts nowhere.
  await accepted({ to: 'success@simulator.mail.example.com' });
};

const due = (): number =>
  scene.app.sql<{ rows: number }>(
    sender.practice.id,
    'SELECT count(*) AS rows FROM queue WHERE due_at <= ?',
    scene.clock.now(),
  )[0]?.rows ?? 0;

describe('marketing', () => {
  test('begins on day 3, and is refused beyond the day’s cap until the next', async () => {
    for (const day of [1, 2]) {
      scene.clock.set(start + (day - 1) * DAY + 12 * HOUR);
      expect(await post({ to: strangers(1), ...marketing })).toMatchObject({
        status: 422,
        body: { code: 'warmup_not_ready', day },
      });
    }
    scene.clock.set(start + 2 * DAY);
    await burst(THIRD, marketing);
    expect(await post({ to: strangers(1), ...marketing })).toMatchObject({
      status: 422,
      body: { code: 'warmup_cap_reached', cap: THIRD },
    });
    expect((await post({ to: 'success@simulator.mail.example.com', ...marketing })).status).toBe(202);
    scene.clock.set(start + 3 * DAY);
    expect((await post({ to: strangers(1), ...marketing })).status).toBe(202);
  });

  test('leaves from the managed host until then, within that host’s cap, as the refusal says', async () => {
    const managed = sender.practice.managed_host;
    const { status, body } = await post({ to: strangers(1), ...marketing });
    expect([status, body.code, body.hint]).toEqual([
      422,
      'warmup_not_ready',
      `Until then send it with a From address on ${managed}, which needs no warm-up.`,
    ]);
    const fromManaged = { ...marketing, from: `praxis@${managed}` };
    // What left from the domain does not count there.
    await burst(5);
    const [id = ''] = await burst(1, fromManaged);
    expect(await message(id)).toMatchObject({ from: { address: `praxis@${managed}` } });
    expect(await decision(id)).toMatchObject({ verdict: 'passed', facts: { applies: false } });
    await scene.app.reconfigure({ limits: { managed_host_mails: 2 } });
    await burst(1, fromManaged);
    expect(await post({ to: strangers(1), ...fromManaged })).toMatchObject({
      status: 402,
      body: { code: 'plan_cap_reached', used: 2, cap: 2 },
    });
    expect((await post({ to: strangers(1) })).status).toBe(202);
  });

  test('takes nothing from the day of transactional mail', async () => {
    scene.clock.set(start + 2 * DAY);
    await burst(THIRD, marketing);
    const id = await accepted({ to: strangers(1) });
    expect(await decision(id)).toMatchObject({
      verdict: 'passed',
      facts: { day: 3, cap: THIRD, planned: 0 },
    });
  });
});

describe('transactional mail', () => {
  test('goes out up to twice the cap, then waits for the next day with room, and goes out on it', async () => {
    const early = await burst(2 * FIRST);
    expect(await decision(early.at(-1) ?? '')).toMatchObject({ verdict: 'passed', facts: { planned: 250 } });
    const [late = ''] = await burst(1);
    const midnight = new Date(start + DAY).toISOString();
    expect(await message(late)).toMatchObject({ status: 'queued', recipients: [{ attempts: 0 }] });
    expect(await nextAttempt(late)).toBe(midnight);
    expect(await decision(late)).toEqual({
      gate: 'warmup_volume',
      verdict: 'held',
      facts: { day: 1, cap: FIRST, planned: 2 * FIRST, mails: 1, until: midnight },
    });
    await until('all of the first day are out', () => due() === 0);
    expect((await message(late)).status).toBe('queued');

    scene.clock.set(start + DAY - 1);
    await accepted({ to: 'success@simulator.mail.example.com' });
    await until('nothing is due', () => due() === 0);
    expect((await message(late)).status).toBe('queued');
    await goTo(2);
    await scene.app.untilStatus(sender, late, 'processed');
  });

  test('of ten times a day’s cap is spread over the days that have room for it', async () => {
    await burst(10 * FIRST);
    expect(volumes()).toEqual({ 1: 2 * FIRST, 2: 2 * SECOND, 3: 10 * FIRST - 2 * FIRST - 2 * SECOND });
    const went = () =>
      scene.app.sql<{ rows: number }>(
        sender.practice.id,
        "SELECT count(*) AS rows FROM recipients WHERE status = 'processed' AND address LIKE '%@example.net'",
      )[0]?.rows;
    await until('the first day is out', () => went() === 2 * FIRST);
    await goTo(2, 1);
    await until('the second day is out', () => went() === 2 * FIRST + 2 * SECOND);
    await goTo(3, 1);
    await until('the third day is out', () => went() === 10 * FIRST);
  });

  test('that waits takes the room of the day it waits for', async () => {
    await burst(2 * FIRST + 2 * SECOND);
    scene.clock.set(start + DAY + HOUR);
    const [id = ''] = await burst(1);
    expect(await nextAttempt(id)).toBe(new Date(start + 2 * DAY).toISOString());
  });

  test('is not parted: a message waits as a whole', async () => {
    await burst(2 * FIRST - 10);
    const [whole = ''] = await burst(11);
    expect((await message(whole)).recipients.map(({ status }) => status)).toEqual(Array(11).fill('queued'));
    expect(await nextAttempt(whole)).toBe(new Date(start + DAY).toISOString());
    const [small = ''] = await burst(10);
    expect(await decision(small)).toMatchObject({ verdict: 'passed' });
  });

  test('counts on the day it is scheduled for, and waits from there', async () => {
    const noon = start + DAY + 12 * HOUR;
    const scheduled_at = new Date(noon).toISOString();
    await burst(2 * SECOND, { scheduled_at });
    expect(volumes()).toEqual({ 2: 2 * SECOND });
    const [later = ''] = await burst(1, { scheduled_at });
    expect(await nextAttempt(later)).toBe(new Date(start + 2 * DAY).toISOString());
    const [now = ''] = await burst(1);
    expect(await decision(now)).toMatchObject({ verdict: 'passed', facts: { planned: 0 } });
    // The first day is full, the second by what is scheduled for it.
    await burst(2 * FIRST - 1);
    const [beyond = ''] = await burst(1);
    expect(await nextAttempt(beyond)).toBe(new Date(start + 2 * DAY).toISOString());
  });

  test('of a practice without a domain of its own knows no warm-up', async () => {
    const other = await scene.app.createSender();
    const id = await scene.app.send(other);
    const { decisions } = await scene.app.message(other, id);
    expect(decisions.filter(({ gate }) => gate.startsWith('warmup')).map(({ facts }) => facts)).toEqual([
      { applies: false },
      { applies: false },
    ]);
  });

  test('is capped no more after the last day', async () => {
    scene.clock.set(start + 15 * DAY);
    const [id = ''] = await burst(1);
    expect(await decision(id)).toMatchObject({ verdict: 'passed', facts: { day: 16, cap: null } });
  });
});
