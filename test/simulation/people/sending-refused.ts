// A message that filters must refuse: it is kept as failed, and nothing of it ever leaves.
import type { Act, Scene } from '../scene.ts';
import { type Fate, mayRefuse, rememberSent } from './sending-answers.ts';
import { submitUnderKey } from './sending-keys.ts';
import { addressesOf } from './sending-people.ts';
import { promisingMemory } from './sending-promises.ts';
import { keyHeader, tagOf } from './sending-single.ts';

/** Every spam filter must know it. */
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

const sendRefused: Act = {
  name: 'send what filters refuse',
  weight: 1,
  run: async (scene: Scene, dice) => {
    const practice = dice.pick(scene.practices);
    const recipients = [addressesOf(scene, dice).fresh('blocked')];
    const key = `blocked-${scene.step()}`;
    const tag = tagOf(scene, key);
    promisingMemory(scene).blocked.add(recipients[0] as string);
    const asked = {
      token: practice.token,
      body: { to: recipients, subject: 'Ein Test', text: GTUBE, tag },
      headers: keyHeader(key),
    };
    let kept: string | null = null;
    await submitUnderKey(scene, dice, {
      practice,
      door: 'refused',
      messages: [recipients],
      tags: [tag],
      ask: () => scene.service.ask('POST', `/api/practices/${practice.id}/send`, asked),
      fatesOf: (reply): readonly Fate[] => {
        if (reply.status === 503) return ['unknown'];
        if (reply.status === 202) throw new Error('what filters must refuse was accepted');
        const { code, message_id } = Object(reply.body);
        if (code !== 'content_blocked') mayRefuse('a send', reply);
        else if (kept === null) {
          kept = String(message_id);
          rememberSent(scene, { practice, door: 'refused', id: kept, recipients, tag });
        }
        return ['refused'];
      },
    });
  },
};

export const refusedActs: readonly Act[] = [sendRefused];
