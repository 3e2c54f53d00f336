// What people do with a message that they sent: send it again.
import type { Act } from '../scene.ts';
import { submit, wholeFate } from './sending-answers.ts';
import { submitUnderKey } from './sending-keys.ts';
import { memoryOf } from './sending-memory.ts';
import { addressesOf } from './sending-people.ts';

const sendAgain: Act = {
  name: 'send a message again',
  weight: 2,
  run: async (scene, dice) => {
    // What was cancelled must not leave, and this would be another message to the same people.
    const sent = memoryOf(scene).sent.filter(({ door }) => door !== 'scheduled');
    if (sent.length === 0) return;
    const { practice, id, recipients } = dice.pick(sent);
    const to = dice.chance(0.3) ? [addressesOf(scene, dice).any()] : null;
    const key = dice.chance(0.4) ? `again-${scene.step()}` : null;
    const asked = {
      token: practice.token,
      ...(to === null ? {} : { body: { to } }),
      headers: key === null ? {} : { 'Idempotency-Key': key },
    };
    const sending = {
      practice,
      door: 'again',
      messages: [to ?? recipients],
      tags: [null],
      ask: () => scene.service.ask('POST', `/api/practices/${practice.id}/messages/${id}/send-again`, asked),
      fatesOf: (reply: Parameters<typeof wholeFate>[0]) => [
        wholeFate(reply, 'a send again', () => ({ id: reply.body.id }), ['content_blocked']),
      ],
    };
    await (key === null ? submit(scene, sending) : submitUnderKey(scene, dice, sending));
  },
};

export const laterActs: readonly Act[] = [sendAgain];
