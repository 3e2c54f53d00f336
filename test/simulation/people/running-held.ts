// What a restore holds: nothing of it leaves before a person lets it go, whatever the file says.
import type { Practice, Scene } from '../scene.ts';
import { letterOf } from './receiving-letters.ts';
import { type Held, runningOf } from './running-memory.ts';

/** So many mails have been looked at, by the practice that is watched. */
const check = (scene: Scene): void => {
  const { handedOver } = scene.peers;
  for (const [id, held] of runningOf(scene).held)
    for (; held.seen < handedOver.length; held.seen += 1) {
      if (held.isReleased) continue;
      const mail = handedOver[held.seen] as (typeof handedOver)[number];
      const letter = letterOf(scene, mail);
      if (letter?.practice.id !== id || !held.recipients.has(letter.recipientId)) continue;
      if (held.onTheWay.delete(letter.recipientId)) continue;
      throw new Error(
        `a mail left to ${mail.recipient} (recipient ${letter.recipientId} of ${letter.practice.slug}), which a restore holds`,
      );
    }
};

const watching = new WeakSet<Scene['book']>();

/** At the answer of a restore, or before the service is started. */
export const watchHeld = (
  scene: Scene,
  { id }: Practice,
  { recipients, onTheWay }: Pick<Held, 'recipients' | 'onTheWay'>,
): void => {
  const { held } = runningOf(scene);
  held.set(id, { recipients, onTheWay, seen: scene.peers.handedOver.length, isReleased: false });
  if (watching.has(scene.book)) return;
  watching.add(scene.book);
  scene.book.promised('nothing that a restore holds leaves before it is released', check);
};
