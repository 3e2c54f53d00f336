// Addresses that a team suppresses and lets go of by hand.
import type { Act, Dice, Practice, Scene } from '../scene.ts';
import { row } from '../truths/sql.ts';
import { close, returning } from './receiving-memory.ts';
import { anyone, asWho, inFileOf, isAnswered } from './running-answers.ts';
import { epochOf, inTurn } from './running-memory.ts';
import { memoryOf } from './sending-memory.ts';
import { knownPeople } from './sending-people.ts';

/** Often someone to whom something is under way, or is scheduled. */
const someone = (scene: Scene, dice: Dice): { practice: Practice; address: string } => {
  const { sent, scheduled } = memoryOf(scene);
  const later = scheduled.filter(({ isOver }) => !isOver).map((one) => one.sent);
  const from = later.length > 0 && dice.chance(0.3) ? later : sent.slice(-10);
  if (from.length > 0 && dice.chance(0.7)) {
    const { practice, recipients } = dice.pick(from);
    const address = dice.pick(recipients).toLowerCase();
    if (address.endsWith('@people.example')) return { practice, address };
  }
  return { practice: dice.pick(scene.practices), address: dice.pick(knownPeople) };
};

const suppress: Act = {
  name: 'a team suppresses an address',
  weight: 1,
  run: (scene, dice) => {
    const { practice, address } = someone(scene, dice);
    return inTurn(scene, `${practice.id} ${address}`, async () => {
      const epoch = epochOf(scene, practice);
      const reply = await asWho(scene, anyone(dice), practice, 'POST', '/suppression', {
        address,
        ...(dice.chance(0.5)
          ? { reason: dice.pick(['manual', 'unsubscribe', 'complaint']), note: 'am Telefon' }
          : {}),
      });
      if (isAnswered('a suppression', reply, [200, 201]) && epoch === epochOf(scene, practice))
        close(scene, practice, 'suppressed', address);
    });
  },
};

const letGo: Act = {
  name: 'a team lets go of an address',
  weight: 0.7,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const shown = await asWho(scene, anyone(dice), practice, 'GET', '/suppression?limit=10');
    if (!isAnswered('the list of suppressions', shown, [200])) return;
    const found = shown.body.data.filter((one: { address: string | null }) => one.address !== null);
    if (found.length === 0) return;
    const { id, address } = dice.pick<{ id: string; address: string }>(found);
    await inTurn(scene, `${practice.id} ${address.toLowerCase()}`, () =>
      returning(scene, practice, address.toLowerCase(), async () => {
        const epoch = epochOf(scene, practice);
        const many = dice.chance(0.3);
        const reply = many
          ? await asWho(scene, anyone(dice), practice, 'POST', '/suppression/bulk-delete', { ids: [id] })
          : await asWho(scene, anyone(dice), practice, 'DELETE', `/suppression/${id}`);
        if (!isAnswered('letting go of an address', reply, [200, 204])) return;
        const left = inFileOf(scene, practice, (db) =>
          row(db, 'SELECT 1 FROM suppressions WHERE id = ?', id),
        );
        if (left !== undefined && epoch === epochOf(scene, practice))
          throw new Error(`the suppression ${id} is there, after an answer that it is gone`);
      }),
    );
  },
};

export const suppressionActs: readonly Act[] = [suppress, letGo];
