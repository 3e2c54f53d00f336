// What a team does about a person: writes about them, hands over what is held of them, erases them.
import { type Act, Cut, type Dice, type Practice, type Scene } from '../scene.ts';
import { row } from '../truths/sql.ts';
import { anyone, asWho, inFileOf, isAnswered, isCalm, isUnknown } from './running-answers.ts';
import { epochOf, inTurn, type Marked, nextNumber, runningOf } from './running-memory.ts';
import { memoryOf } from './sending-memory.ts';
import { knownPeople } from './sending-people.ts';

const REMEMBERED = 50;

const writeAbout: Act = {
  name: 'a team writes to someone who has words of their own',
  weight: 1,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const number = nextNumber(scene);
    const word = `zwickelmeier${number}q`;
    const address = `max.${word}@people.example`;
    const { marked } = runningOf(scene);
    const body = {
      to: `Max ${word} <${address}>`,
      subject: `Befund für ${word}`,
      text: `Guten Tag ${word}, bitte rufen Sie an.`,
      html: `<p>Guten Tag <a href="https://praxis.example/?u=${word}">${word}</a></p>`,
      metadata: { patient: word },
      ...(dice.chance(0.2)
        ? { scheduled_at: new Date(scene.now() + dice.int(2, 90) * 60_000).toISOString() }
        : {}),
    };
    const entry = { practice, door: 'api', recipients: [address] };
    try {
      const reply = await asWho(scene, 'team', practice, 'POST', '/send', body);
      if (isUnknown(reply)) scene.book.unknown(entry);
      if (!isAnswered('a send', reply, [202])) return;
      scene.book.accepted({ ...entry, id: reply.body.id });
    } catch (error) {
      if (error instanceof Cut) scene.book.unknown(entry);
      throw error;
    }
    marked.push({ practice, address, words: [word, address] });
    if (marked.length > REMEMBERED) marked.shift();
  },
};

/** Someone with words of their own, someone who is known, or someone who was written to of late. */
const someone = (scene: Scene, dice: Dice): Marked => {
  const { marked } = runningOf(scene);
  if (marked.length > 0 && dice.chance(0.6)) {
    const [one] = marked.splice(dice.int(0, marked.length - 1), 1);
    return one as Marked;
  }
  const sent = memoryOf(scene).sent.slice(-20);
  if (sent.length > 0 && dice.chance(0.6)) {
    const { practice, recipients } = dice.pick(sent);
    const address = recipients[0] ?? '';
    if (address.endsWith('@people.example')) return { practice, address, words: [address] };
  }
  const address = dice.pick([...knownPeople, 'member4@people.example', 'member5@people.example']);
  return { practice: dice.pick(scene.practices), address, words: [address] };
};

const FINISHED = 'SELECT finished_at FROM erasures WHERE id = ?';
const WAITING = 'SELECT 1 FROM queue UNION SELECT 1 FROM imports WHERE due_at IS NOT NULL LIMIT 1';

const promiseEnd = (scene: Scene, practice: Practice, id: string): void => {
  const what = `${practice.id}: the erasure ${id} stays asked for, and ends`;
  scene.book.promised(what, (now) =>
    inFileOf(now, practice, (db) => {
      const found = row<{ finished_at: number | null }>(db, FINISHED, id);
      if (found === undefined) throw new Error(`${what}, but it is not there`);
      if (isCalm(now) && found.finished_at === null && row(db, WAITING) === undefined)
        throw new Error(`${what}, but it has not ended`);
    }),
  );
};

const erase: Act = {
  name: 'a team erases a person',
  weight: 0.7,
  run: (scene, dice) => {
    const { practice, address, words } = someone(scene, dice);
    return inTurn(scene, `${practice.id} ${address}`, async () => {
      const epoch = epochOf(scene, practice);
      const reply = await asWho(scene, anyone(dice), practice, 'POST', '/people/erase', {
        address,
        ...(dice.chance(0.5) ? { reason: 'Brief vom Montag' } : {}),
      });
      if (!isAnswered('an erasure', reply, [202]) || epoch !== epochOf(scene, practice)) return;
      scene.book.closed({ practice, by: 'erased', address });
      scene.book.erased({ practice, words });
      promiseEnd(scene, practice, reply.body.id);
    });
  },
};

const handOver: Act = {
  name: 'a team hands over what is held of a person',
  weight: 0.5,
  run: async (scene, dice) => {
    const { marked } = runningOf(scene);
    const one = marked.at(-1);
    const practice = one?.practice ?? dice.pick(scene.practices);
    const address = one?.address ?? dice.pick(knownPeople);
    const format = dice.pick(['json', 'html']);
    const kind = dice.pick(['/people/export', '/people']);
    const query = `?address=${encodeURIComponent(address)}${kind === '/people' ? '' : `&format=${format}`}`;
    const reply = await asWho(scene, anyone(dice), practice, 'GET', `${kind}${query}`);
    isAnswered('what is held of a person', reply, [200]);
  },
};

const tables = [
  ...['stats', 'scores', 'campaigns', 'bounces'].map((kind) => `/exports/bi?kind=${kind}&days=30`),
  '/suppression/export',
];

const exportTable: Act = {
  name: 'a team exports a table',
  weight: 0.4,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const path = dice.pick([...tables, `/lists/${practice.listId}/subscribers/export`]);
    const reply = await asWho(scene, anyone(dice), practice, 'GET', path);
    if (!isAnswered(`the table ${path}`, reply, [200])) return;
    if (!reply.headers['content-type']?.startsWith('text/csv'))
      throw new Error(`the table ${path} is ${reply.headers['content-type']}`);
  },
};

export const peopleActs: readonly Act[] = [writeAbout, erase, handOver, exportTable];
