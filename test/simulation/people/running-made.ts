// Practices that come and go: the operator makes one, it sends, and is erased with all that it holds.
import { type Act, Cut, type Dice, type Practice, type Scene } from '../scene.ts';
import { rows, value } from '../truths/sql.ts';
import { asOperator, asWho, hostOf, isAnswered, isUnknown } from './running-answers.ts';
import { epochOf, inTurn, nextNumber, puttingBack, runningOf } from './running-memory.ts';

const MOST = 3;

const make: Act = {
  name: 'the operator makes a practice',
  weight: 0.25,
  run: async (scene, dice) => {
    const memory = runningOf(scene);
    if (memory.made.length >= MOST) return;
    const at = scene.service;
    const name = `Neue Praxis ${nextNumber(scene)}`;
    const owner = dice.chance(0.5) ? { owner_email: `inhaber${memory.count}@people.example` } : {};
    const made = await asOperator(scene, at, 'POST', '/api/practices', { name, plan: 'praxis', ...owner });
    if (!isAnswered('a new practice', made, [201])) return;
    const { id, slug, default_from: from, domain } = made.body;
    const body = { name: 'team', scope: 'team' };
    const token = await asOperator(scene, at, 'POST', `/api/practices/${id}/api-tokens`, body);
    if (!isAnswered('a token of a new practice', token, [201])) return;
    memory.made.push({
      ...{ id, slug, from, domain, token: token.body.token },
      ...{ webhookId: '', webhookSecret: '', listId: '', formPath: '', templateSlug: '' },
    });
  },
};

const send = async (scene: Scene, dice: Dice, practice: Practice): Promise<void> => {
  const to = `neu${nextNumber(scene)}@people.example`;
  const entry = { practice, door: 'api', recipients: [to] };
  try {
    const reply = await asWho(scene, 'team', practice, 'POST', '/send', {
      ...{ to, subject: 'Willkommen', text: 'Guten Tag.' },
      ...(dice.chance(0.3)
        ? { scheduled_at: new Date(scene.now() + dice.int(1, 60) * 60_000).toISOString() }
        : {}),
    });
    if (isUnknown(reply)) scene.book.unknown(entry);
    if (isAnswered('a send of a new practice', reply, [202]))
      scene.book.accepted({ ...entry, id: reply.body.id });
  } catch (error) {
    if (error instanceof Cut) scene.book.unknown(entry);
    throw error;
  }
};

const use: Act = {
  name: 'a new practice sends',
  weight: 0.8,
  run: async (scene, dice) => {
    const { made } = runningOf(scene);
    if (made.length > 0) await send(scene, dice, dice.pick(made));
  },
};

const COLUMNS = `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
  WHERE m.type = 'table' AND c.name = 'tenant_id'`;

/** What no row of the registry may be of any more. Tickets and notices are the operator's own. */
const ofPractice = (scene: Scene, id: string): string[] =>
  scene.service.look(null, (db) => [
    ...(value(db, 'SELECT 1 FROM tenants WHERE id = ?', id) === undefined ? [] : ['tenants']),
    ...rows<{ name: string }>(db, COLUMNS)
      .map(({ name }) => name)
      .filter((name) => value(db, `SELECT 1 FROM ${name} WHERE tenant_id = ?`, id) !== undefined),
  ]);

const promiseGone = (scene: Scene, { id, slug }: Practice, epoch: number): void => {
  const what = `${id}: nothing of the erased practice ${slug} is in the registry`;
  scene.book.promised(what, (now) => {
    if (!now.service.isUp() || epoch !== epochOf(now, { id })) return;
    const left = ofPractice(now, id);
    if (left.length > 0) throw new Error(`${what}, but in ${left.join(', ')}`);
  });
};

/** True where it was answered that it is erased. */
const erase = (scene: Scene, dice: Dice, practice: Practice): Promise<boolean> =>
  inTurn(scene, `file ${practice.id}`, async () => {
    const at = hostOf(scene, practice);
    const isErased = await puttingBack(scene, [practice], null, async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        const body = { slug: practice.slug, discard_queue: dice.chance(0.7) };
        const path = `/api/practices/${practice.id}/erase`;
        const reply = await asOperator(scene, at, 'POST', path, body);
        if (reply.status !== 409) return isAnswered('the erasure of a practice', reply, [200]);
        await scene.sleep(dice.int(1_000, 60_000));
      }
      return false;
    });
    if (!isErased) return false;
    scene.book.closed({ practice, by: 'erased practice', address: null });
    if (at === scene.service) promiseGone(scene, practice, epochOf(scene, practice));
    return true;
  });

const eraseMade: Act = {
  name: 'the operator erases a new practice',
  weight: 0.2,
  run: async (scene, dice) => {
    const { made } = runningOf(scene);
    if (made.length === 0) return;
    const practice = dice.pick(made);
    if (await erase(scene, dice, practice)) made.splice(made.indexOf(practice), 1);
  },
};

const eraseOld: Act = {
  name: 'the operator erases a practice',
  weight: 0.04,
  run: async (scene, dice) => {
    const practice = scene.practices.at(-1);
    if (practice !== undefined) await erase(scene, dice, practice);
  },
};

export const madeActs: readonly Act[] = [make, use, eraseMade, eraseOld];
