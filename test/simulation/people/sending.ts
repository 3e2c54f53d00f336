// People send, by every door that the service has, and look after what they sent.
import type { Act } from '../scene.ts';
import { submit } from './sending-answers.ts';
import { campaignActs } from './sending-campaigns.ts';
import { otherDoors } from './sending-doors.ts';
import { foreignDoors } from './sending-foreign.ts';
import { submitUnderKey } from './sending-keys.ts';
import { laterActs } from './sending-later.ts';
import { manyDoors } from './sending-many.ts';
import { promisingMemory } from './sending-promises.ts';
import { readingActs } from './sending-reading.ts';
import { refusedActs } from './sending-refused.ts';
import { scheduledActs } from './sending-scheduled.ts';
import { type Door, singleDoors } from './sending-single.ts';
import { streamActs } from './sending-stream.ts';

/** The share of requests that have an idempotency key. */
const KEYED = 0.4;

const sendBy = ({ name, weight, sending }: Door): Act => ({
  name: `send by ${name}`,
  weight,
  run: async (scene, dice) => {
    promisingMemory(scene);
    const practice = dice.pick(scene.practices);
    const key = dice.chance(KEYED) ? `key-${scene.step()}` : null;
    const made = sending(scene, dice, practice, key);
    const ready = made instanceof Promise ? await made : made;
    await (key === null ? submit(scene, ready) : submitUnderKey(scene, dice, ready));
  },
});

/** The acts by what they are about. */
export const sendingThemes: readonly (readonly Act[])[] = [
  [...singleDoors, ...manyDoors, ...otherDoors, ...foreignDoors].map(sendBy),
  scheduledActs,
  campaignActs,
  laterActs,
  readingActs,
  refusedActs,
  streamActs,
];
