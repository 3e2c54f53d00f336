// DKIM keys through their rotations: whatever is sent is verified by the DNS as it stands, on its arrival and for as long
// as it may be under way.
import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import {
  type KeyScene,
  type ResolveTxt,
  settledSender,
  startKeyScene,
  type Verdict,
} from '#test/flows/key-scene.ts';
import type { Sender } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';

const CLIENTS = 4;
/** Of all clients, before the next thing happens. */
const MAILS_BETWEEN = 30;
const UNDER_WAY_MS = 72 * HOUR;

const passes = (verdicts: readonly Verdict[]): boolean =>
  verdicts.some(({ algorithm }) => algorithm === 'rsa-sha256') &&
  verdicts.every(({ result }) => result === 'pass');

/** Clients who send one mail after the other, each verified when it arrives. */
const startStream = (scene: KeyScene, sender: Sender) => {
  const { app, clock, receiver } = scene;
  const arrivals: { readonly content: Buffer; readonly at: number; readonly by: readonly string[] }[] = [];
  const failed: string[] = [];
  let going = true;
  const client = async (): Promise<void> => {
    while (going) {
      const id = await app.send(sender);
      let found: Buffer | undefined;
      await until(`${id} arrives`, () => {
        found = receiver.messages.findLast(({ content }) => content.includes(`<${id}@`))?.content;
        return found !== undefined;
      });
      if (found === undefined) continue;
      const verdicts = await scene.verify(found);
      if (!passes(verdicts)) failed.push(`${id} on its arrival: ${JSON.stringify(verdicts)}`);
      arrivals.push({ content: found, at: clock.now(), by: verdicts.map(({ selector }) => selector) });
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return {
    arrivals,
    failed,
    /** Until so many more have arrived that somebody signed whom `by` is true of. */
    more: (count: number, by: (selector: string) => boolean = () => true) => {
      const before = arrivals.length;
      const signed = () => arrivals.slice(before).filter((arrival) => arrival.by.some(by));
      return until(`${count} more mails`, () => signed().length >= count);
    },
    /** All that may still be under way, by the DNS of this moment. */
    verifyAgain: async (): Promise<{ verified: number; failed: string[] }> => {
      const asked = new Map<string, Promise<unknown>>();
      const atOnce: ResolveTxt = (name, type) => {
        const answer = asked.get(`${name} ${type}`) ?? scene.resolve(name, type);
        asked.set(`${name} ${type}`, answer);
        return answer;
      };
      const due = arrivals.filter(({ at }) => clock.now() - at <= UNDER_WAY_MS);
      const bad: string[] = [];
      for (const { content, at } of due) {
        const verdicts = await scene.verify(content, atOnce);
        if (!passes(verdicts)) bad.push(`after ${(clock.now() - at) / HOUR} h: ${JSON.stringify(verdicts)}`);
      }
      return { verified: due.length, failed: bad };
    },
    stop: async () => {
      going = false;
      await Promise.all(clients);
    },
  };
};

type Stream = ReturnType<typeof startStream>;

/** Rotates under load and looks at everything again after 24, 48 and 72 hours. */
const rotateUnderLoad = async (scene: KeyScene, sender: Sender, stream: Stream): Promise<void> => {
  const before = await scene.keys(sender);
  const next = before.find(({ role, algorithm }) => role === 'next' && algorithm === 'rsa-sha256');
  await stream.more(MAILS_BETWEEN);
  expect((await scene.rotate(sender)).status).toBe(200);
  await stream.more(MAILS_BETWEEN, (selector) => selector === next?.selector);
  for (let day = 1; day <= 3; day += 1) {
    scene.pass(DAY);
    await scene.lookAfterKeys();
    const { verified, failed } = await stream.verifyAgain();
    expect(failed).toEqual([]);
    expect(verified).toBeGreaterThanOrEqual(2 * MAILS_BETWEEN);
    await stream.more(MAILS_BETWEEN);
  }
};

test('under load every mail is verified on its arrival and for 72 hours, through two rotations and a renewal', async () => {
  const scene = await startKeyScene();
  const sender = await settledSender(scene);
  // Several hundred mails are more than the plan for trying out takes.
  scene.app.sql(sender.practice.id, "UPDATE practice SET plan = 'gruppe'");
  const [first, second, ed25519] = await scene.keys(sender);
  const stream = startStream(scene, sender);

  await rotateUnderLoad(scene, sender, stream);
  expect((await scene.keys(sender)).map(({ role }) => role)).toEqual(['retiring', 'active', 'retiring']);

  // The tokens of the old keys get new ones once nothing of theirs is under way.
  scene.pass(11 * DAY);
  await scene.lookAfterKeys();
  await stream.more(MAILS_BETWEEN);
  const renewed = await scene.keys(sender);
  expect(renewed.map(({ role }) => role)).toEqual(['next', 'active', 'next']);
  expect(renewed.map(({ selector }) => selector)).toEqual([
    first?.selector,
    second?.selector,
    ed25519?.selector,
  ]);
  expect(renewed[0]?.record).not.toBe(first?.record);
  expect(renewed[1]?.record).toBe(second?.record);
  expect(renewed[2]?.record).not.toBe(ed25519?.record);

  // Ed25519 signs again, then the second rotation leads back to the first token.
  scene.pass(HOUR + 10 * MINUTE);
  await scene.lookAfterKeys();
  await stream.more(MAILS_BETWEEN, (selector) => selector === ed25519?.selector);
  await rotateUnderLoad(scene, sender, stream);
  expect((await scene.keys(sender)).map(({ role }) => role)).toEqual(['active', 'retiring', 'retiring']);
  await stream.stop();
  expect(stream.failed).toEqual([]);

  // The check would have seen a key that is withdrawn before its time.
  scene.app.sql(null, 'DELETE FROM dkim_tokens WHERE token = ?', second?.selector);
  const { failed } = await stream.verifyAgain();
  expect(failed.length).toBeGreaterThanOrEqual(MAILS_BETWEEN);
});
