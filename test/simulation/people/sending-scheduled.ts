// Messages that wait for a time: asked for, given another one, cancelled. What is cancelled never leaves, and nothing leaves before
// its time.
import { type Act, Cut, type Dice, type Reply, type Scene } from '../scene.ts';
import { mayRefuse, sentNow, submit, unexpected, wholeFate } from './sending-answers.ts';
import { isAsBefore, memoryOf, remember, type Scheduled } from './sending-memory.ts';
import { addressesOf } from './sending-people.ts';
import { inPractice, promisingMemory } from './sending-promises.ts';
import { letter } from './sending-single.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Often so near that asking for something else meets its departure; a time that passed a moment ago means at once. */
const someTime = (scene: Scene, dice: Dice): number => {
  const now = Math.floor(scene.now());
  if (dice.chance(0.1)) return now - dice.int(0, 4 * MINUTE);
  return now + (dice.chance(0.4) ? dice.int(1, 5 * SECOND) : dice.int(5 * SECOND, 90 * MINUTE));
};

const schedule: Act = {
  name: 'schedule a message',
  weight: 5,
  run: async (scene, dice) => {
    const memory = promisingMemory(scene);
    const practice = dice.pick(scene.practices);
    const addresses = addressesOf(scene, dice);
    const recipients = dice.chance(0.3) ? [addresses.fresh(), addresses.fresh()] : [addresses.fresh()];
    const at = someTime(scene, dice);
    const tag = `step:${scene.step()}-1`;
    const time = new Date(at).toISOString();
    const isForeign = dice.chance(0.2);
    const asked = isForeign
      ? {
          personalizations: [{ to: recipients.map((email) => ({ email })) }],
          subject: letter.subject,
          content: [{ type: 'text/plain', value: letter.text }],
          categories: [tag],
          send_at: Math.ceil(at / SECOND),
        }
      : { ...letter, to: recipients, tag, scheduled_at: time };
    const path = isForeign ? '/api/compat/vendor-c/mail/send' : `/api/practices/${practice.id}/send`;
    await submit(scene, {
      practice,
      door: 'scheduled',
      messages: [recipients],
      tags: [tag],
      ask: () => scene.service.ask('POST', path, { token: practice.token, body: asked }),
      fatesOf: (reply) => [
        wholeFate(reply, 'a scheduled send', () => {
          const id: string = isForeign ? (reply.headers['x-message-id'] ?? '') : reply.body.id;
          const sent = sentNow(scene, { practice, id, door: 'scheduled', recipients, tag });
          remember(memory.scheduled, { sent, notBefore: at, isBusy: false, isOver: false });
          return { id };
        }),
      ],
    });
  },
};

/** Someone who waits for its time, whom no one else asks about. Null where there is none. */
const anyWaiting = (scene: Scene, dice: Dice): Scheduled | null => {
  const waiting = memoryOf(scene).scheduled.filter(
    ({ isBusy, isOver, notBefore }) => !isBusy && !isOver && notBefore > scene.now() - 2 * SECOND,
  );
  return waiting.length === 0 ? null : dice.pick(waiting);
};

const askAbout = async (
  one: Scheduled,
  ask: () => Promise<Reply>,
  take: (reply: Reply | null) => void,
): Promise<void> => {
  one.isBusy = true;
  try {
    take(await ask());
  } catch (error) {
    if (error instanceof Cut) take(null);
    throw error;
  } finally {
    one.isBusy = false;
  }
};

const pathOf = ({ sent: { practice, id } }: Scheduled): string =>
  `/api/practices/${practice.id}/messages/${id}`;

const requireKept = ({ peers: { handedOver } }: Scene, { sent: { recipients, id } }: Scheduled): void => {
  const left = handedOver.find(({ recipient }) => recipients.includes(recipient));
  if (left) throw new Error(`the message ${id} was answered as cancelled, and had left to ${left.recipient}`);
};

/** What was not to be kept again is failed for good. */
const promiseFailed = (scene: Scene, one: Scheduled): void => {
  const { practice, id } = one.sent;
  scene.book.promised(`${practice.id}: the cancelled message ${id} does not leave`, (now) => {
    if (!isAsBefore(now, practice, one.sent)) return;
    requireKept(now, one);
    const status = inPractice(now, practice, (db) =>
      db.prepare<[string], string>('SELECT status FROM messages WHERE id = ?').pluck().get(id),
    );
    if (status !== null && status !== undefined && status !== 'failed')
      throw new Error(`the message ${id} was answered as cancelled, and is ${status}`);
  });
};

const cancel: Act = {
  name: 'cancel a scheduled message',
  weight: 3,
  run: async (scene, dice) => {
    const one = anyWaiting(scene, dice);
    if (one === null) return;
    const { practice, recipients, id } = one.sent;
    const asked = { token: practice.token };
    await askAbout(
      one,
      () => scene.service.ask('POST', `${pathOf(one)}/cancel`, asked),
      (reply) => {
        if (reply === null || reply.status === 503) {
          one.isOver = true;
          return;
        }
        if (reply.status !== 200) return mayRefuse('cancelling', reply);
        if (reply.body.status !== 'failed') throw unexpected('cancelling', reply);
        one.isOver = true;
        for (const address of recipients) scene.book.closed({ practice, by: 'cancelled', address });
        scene.note(`${id} is cancelled`);
        promiseFailed(scene, one);
      },
    );
  },
};

const reschedule: Act = {
  name: 'give a scheduled message another time',
  weight: 3,
  run: async (scene, dice) => {
    const one = anyWaiting(scene, dice);
    if (one === null) return;
    const { practice } = one.sent;
    const at = someTime(scene, dice);
    const asked = { token: practice.token, body: { scheduled_at: new Date(at).toISOString() } };
    one.notBefore = Math.min(one.notBefore, at);
    await askAbout(
      one,
      () => scene.service.ask('PATCH', pathOf(one), asked),
      (reply) => {
        if (reply === null || reply.status === 503) return;
        // No attempt had begun when the new time was stored.
        if (reply.status === 200) one.notBefore = at;
        else mayRefuse('another time', reply);
      },
    );
  },
};

export const scheduledActs: readonly Act[] = [schedule, cancel, reschedule];
