// Mail that a practice does not take into its inbox at once, until someone releases or deletes it; and servers that come again with what
// was not taken.
import { type Act, Cut, type Dice, type Practice, type Scene } from '../scene.ts';
import { homeOf } from '../truths/homes.ts';
import { rows, value } from '../truths/sql.ts';
import { bring, isForLater, isTaken, lines } from './receiving-smtp.ts';
import { anyone, asWho, isAnswered } from './running-answers.ts';

/** How long a server waits before it comes again, ms at most. */
const AGAIN = [5_000, 60_000, 600_000];

const setMode: Act = {
  name: 'a practice holds what its mailboxes get, or takes it',
  weight: 1.5,
  run: async (scene, dice) => {
    const body = { catch_all: { mode: dice.pick(['hold', 'hold', 'accept']) } };
    const reply = await asWho(scene, anyone(dice), dice.pick(scene.practices), 'PATCH', '/inbound', body);
    isAnswered('the mode of a mailbox', reply, [200]);
  },
};

const HELD = "SELECT id FROM inbound_messages WHERE state <> 'inbox' ORDER BY seq DESC LIMIT 5";

const someHeld = (scene: Scene, dice: Dice, practice: Practice): string | null => {
  const found = homeOf(scene, practice.id)?.look(practice.id, (db) => rows<{ id: string }>(db, HELD)) ?? [];
  return found.length === 0 ? null : dice.pick(found).id;
};

const endHeld: Act = {
  name: 'a practice releases or deletes a mail that it holds',
  weight: 1.5,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const id = someHeld(scene, dice, practice);
    if (id === null) return;
    const mail = `/inbound/messages/${id}`;
    const reply = dice.chance(0.8)
      ? await asWho(scene, anyone(dice), practice, 'POST', `${mail}/release`)
      : await asWho(scene, anyone(dice), practice, 'DELETE', mail);
    // Someone else may have been quicker.
    isAnswered('the end of a mail that is held', reply, [200, 204], ['not_found', 'conflict']);
  },
};

const COUNT = 'SELECT count(*) FROM inbound_messages WHERE internet_message_id = ?';

/** Each answer has come, from one process: then it is known here and there that the mail is the same. */
const requireOne = (scene: Scene, { id, slug }: Practice, name: string): void => {
  const count = homeOf(scene, id)?.look(id, (db) => value<number>(db, COUNT, name)) ?? 0;
  if (count > 1) throw new Error(`the mail ${name} came again until it was taken, and ${slug} has ${count}`);
};

const insist: Act = {
  name: 'a server comes again until its mail is taken',
  weight: 1.5,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const from = `dringend${dice.int(1, 9)}@people.example`;
    const to = `post@in.${practice.domain}`;
    const name = `<dringend-${scene.step()}@people.example>`;
    const content = lines(
      `From: ${from}`,
      `To: ${to}`,
      'Subject: Dringend',
      `Message-ID: ${name}`,
      '',
      'Bitte!',
    );
    const use = (): void => scene.book.unknown({ practice, door: 'inbound', recipients: [from] });
    const generation = scene.service.generation();
    if (dice.chance(0.3)) scene.faults.failingSyncs = 1;
    try {
      for (const wait of [0, ...AGAIN]) {
        if (wait > 0) await scene.sleep(dice.int(1, wait));
        const reply = await bring(scene, dice, { from, to, content });
        if (isTaken(reply) && generation === scene.service.generation()) requireOne(scene, practice, name);
        if (!isForLater(reply)) return;
      }
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    } finally {
      use();
    }
  },
};

export const heldActs: readonly Act[] = [setMode, endHeld, insist];
