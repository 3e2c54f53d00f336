// Repeating a request under one key, where the daemon is killed in between: one message, one answer.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type List, letter } from '#test/support/app.ts';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';

interface Sent {
  readonly id: string;
}

/** The daemon as a process of its own. It is killed and started again once for all tests: a start costs seconds on a busy machine. */
let daemon: Daemon;
const body = { ...letter, idempotency_key: 'killed' };
interface Target {
  readonly path: string;
  readonly token: string;
}
const sendTo = ({ path, token }: Target) => daemon.request<Sent>('POST', path, body, token);
const twoHundred = (target: Target) => Array.from({ length: 200 }, () => sendTo(target));
const messagesAt = async ({ path, token }: Target) => {
  const target = path.replace('/send', '/messages/search');
  return (await daemon.request<List<Sent>>('GET', target, undefined, token)).body.data;
};
const newTarget = async (): Promise<Target> => {
  const { id } = await daemon.createPractice();
  return { path: `/api/practices/${id}/send`, token: await daemon.createToken(id) };
};
type Answers = Awaited<ReturnType<typeof sendTo>>[];

let answered: Target;
let before: Answers;
let cut: Target;
/** What was answered of two hundred calls that the kill came into. */
let told: Answers;
beforeAll(async () => {
  daemon = await startDaemon();
  answered = await newTarget();
  cut = await newTarget();
  before = await Promise.all(twoHundred(answered));
  const calls = twoHundred(cut);
  const outcomes = Promise.allSettled(calls);
  await Promise.race(calls);
  await daemon.kill();
  told = (await outcomes).flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  daemon = await startDaemon({ dataDir: daemon.dataDir });
});
afterAll(() => daemon?.remove());

test('two hundred calls get the answer that two hundred got before', async () => {
  const after = await Promise.all(twoHundred(answered));
  const all = [...before, ...after].map((answer) => JSON.stringify([answer.status, answer.body]));
  expect(new Set(all).size).toBe(1);
  expect(before[0]?.status).toBe(202);
  for (const { headers } of after) expect(headers.get('idempotent-replayed')).toBe('true');
  expect((await messagesAt(answered)).map(({ id }) => id)).toEqual([before[0]?.body.id]);
});

test('in the midst of two hundred calls, who repeats his gets the answer that anybody got', async () => {
  const after = await Promise.all(twoHundred(cut));
  const ids = new Set([...told, ...after].map((answer) => answer.body.id));
  expect(told.length).toBeGreaterThan(0);
  expect(ids.size).toBe(1);
  expect((await messagesAt(cut)).map(({ id }) => id)).toEqual([...ids]);
});
