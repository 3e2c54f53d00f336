// What a team and the operator set in a practice: pause and resumption, settings, projects, routes.
import type { Act, Practice, Scene } from '../scene.ts';
import { value } from '../truths/sql.ts';
import { anyone, asWho, inFileOf, isAnswered, isUnknown, orCut } from './running-answers.ts';
import { epochOf, inTurn, nextNumber } from './running-memory.ts';

/** A request whose answer was lost is done by then, or never. */
const SETTLED_MS = 3_600_000;

const maybeResumed = new WeakMap<Scene['book'], Map<string, number>>();

/** By practice: until when a resumption may still take effect whose answer no one got. */
const doubtful = ({ book }: Scene): Map<string, number> => {
  const known = maybeResumed.get(book) ?? new Map<string, number>();
  maybeResumed.set(book, known);
  return known;
};

const isPaused = (scene: Scene, practice: Practice): boolean =>
  typeof inFileOf(scene, practice, (db) => value(db, 'SELECT paused_at FROM practice')) === 'number';

const pause: Act = {
  name: 'a practice is paused',
  weight: 0.5,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const who = anyone(dice);
    await inTurn(scene, `pause ${practice.id}`, async () => {
      const epoch = epochOf(scene, practice);
      const reply = await asWho(scene, who, practice, 'POST', '/pause', {
        reason: 'Die Liste wird geprüft.',
      });
      if (!isAnswered('a pause', reply, [200]) || epoch !== epochOf(scene, practice)) return;
      if ((doubtful(scene).get(practice.id) ?? 0) > scene.now()) return;
      scene.book.closed({ practice, by: 'paused', address: null });
    });
  },
};

const resume: Act = {
  name: 'a practice is resumed',
  weight: 2,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    if (!isPaused(scene, practice) && !dice.chance(0.05)) return;
    await inTurn(scene, `pause ${practice.id}`, async () => {
      scene.book.opened({ practice, by: 'paused', address: null });
      const reply = await orCut(asWho(scene, 'operator', practice, 'POST', '/resume'));
      if (reply === null || isUnknown(reply)) doubtful(scene).set(practice.id, scene.now() + SETTLED_MS);
      else isAnswered('a resumption', reply, [200]);
    });
  },
};

const changes = [
  ['', { name: 'Praxis am Ring' }],
  ['', { add_reply_to: true }],
  ['', { add_reply_to: false }],
  ['/compliance', { phone: '+49 40 123456' }],
  ['/compliance', { phone: null, vat_id: 'DE123456789' }],
  ['/pages', { colour: '#0b57d0' }],
] as const;

const settings: Act = {
  name: 'a team changes settings',
  weight: 0.6,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const [rest, body] = dice.pick(changes);
    await inTurn(scene, `settings ${practice.id}`, async () => {
      const epoch = epochOf(scene, practice);
      const reply = await asWho(scene, anyone(dice), practice, 'PATCH', rest, body);
      if (!isAnswered('a setting', reply, [200]) || rest === '/pages') return;
      const shown = await asWho(scene, anyone(dice), practice, 'GET', '');
      if (!isAnswered('a practice', shown, [200]) || epoch !== epochOf(scene, practice)) return;
      const found = rest === '' ? shown.body : shown.body.legal;
      for (const [key, wanted] of Object.entries(body))
        if (found[key] !== wanted)
          throw new Error(`${practice.slug}: ${key} was set to ${wanted}, and is ${found[key]}`);
    });
  },
};

const project: Act = {
  name: 'a team makes a project with a route, or archives it',
  weight: 0.3,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const name = `Projekt ${nextNumber(scene)}`;
    const epoch = epochOf(scene, practice);
    const made = await asWho(scene, anyone(dice), practice, 'POST', '/projects', { name });
    if (!isAnswered('a project', made, [201])) return;
    const route = {
      name: `Weg ${name}`,
      type: dice.pick(['transactional', 'marketing']),
      project_id: made.body.id,
    };
    const routed = await asWho(scene, anyone(dice), practice, 'POST', '/routes', route);
    isAnswered('a route', routed, [201]);
    if (dice.chance(0.5)) return;
    const rest = `/projects/${made.body.id}`;
    const archived = await asWho(scene, anyone(dice), practice, 'PATCH', rest, { archived: true });
    if (archived.status === 404 && epoch === epochOf(scene, practice))
      throw new Error(`the project ${made.body.id} was made, and is not there`);
    isAnswered('an archived project', archived, [200]);
  },
};

export const practiceActs: readonly Act[] = [pause, resume, settings, project];
