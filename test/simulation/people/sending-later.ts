// What people do with messages that they sent: send one again, and end what a restore holds.
import type { Act } from '../scene.ts';
import { mayRefuse, submit, unexpected, wholeFate } from './sending-answers.ts';
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

const endHeld: Act = {
  name: 'end what a restore holds',
  weight: 1,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const path = `/api/practices/${practice.id}/held-mail`;
    const asked = { token: practice.token };
    const held = await scene.service.ask('GET', path, asked);
    if (held.status !== 200) return mayRefuse('what is held', held);
    if (held.body.mails + held.body.forwards === 0) return;
    const verb = dice.chance(0.8) ? 'release' : 'discard';
    const ended = await scene.service.ask('POST', `${path}/${verb}`, asked);
    if (ended.status !== 200) return mayRefuse(`to ${verb} what is held`, ended);
    if (!Number.isInteger(ended.body.mails)) throw unexpected(`to ${verb} what is held`, ended);
    scene.note(`${practice.slug}: ${verb} of ${ended.body.mails} held mails`);
  },
};

export const laterActs: readonly Act[] = [sendAgain, endHeld];
