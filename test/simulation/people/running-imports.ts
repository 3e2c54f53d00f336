// Files of subscribers and suppressions that a team brings in. An import that was answered is kept, and ends.
import type { Act, Dice, Practice, Scene } from '../scene.ts';
import { row } from '../truths/sql.ts';
import { close } from './receiving-memory.ts';
import { anyone, asWho, inFileOf, isAnswered, isCalm } from './running-answers.ts';
import { epochOf, nextNumber, runningOf } from './running-memory.ts';
import { knownPeople } from './sending-people.ts';

const REMEMBERED = 20;
const CSV = { 'Content-Type': 'text/csv; charset=utf-8' };
/** Who brings a file in looks so often whether it has ended, and then no more. */
const LOOKS = [200, 2_000, 30_000];

const promiseEnd = (scene: Scene, practice: Practice, id: string): void => {
  const what = `${practice.id}: the import ${id} stays, and ends`;
  scene.book.promised(what, (now) =>
    inFileOf(now, practice, (db) => {
      const found = row<{ status: string }>(db, 'SELECT status FROM imports WHERE id = ?', id);
      if (found === undefined) throw new Error(`${what}, but it is not there`);
      if (isCalm(now) && ['pending', 'running'].includes(found.status))
        throw new Error(`${what}, but it is ${found.status}`);
    }),
  );
};

const newAddresses = (scene: Scene, count: number): string[] =>
  Array.from({ length: count }, () => `import${nextNumber(scene)}@people.example`);

/** Resolves with whether it was seen to be done. */
const bring = async (
  scene: Scene,
  dice: Dice,
  practice: Practice,
  path: string,
  { file, addresses }: { readonly file: string; readonly addresses: readonly string[] },
): Promise<boolean> => {
  const { imports } = runningOf(scene);
  // Its rows and its report name them.
  const use = (): void => scene.book.unknown({ practice, door: 'import', recipients: addresses });
  const epoch = epochOf(scene, practice);
  try {
    const reply = await asWho(scene, anyone(dice), practice, 'POST', path, file, { headers: CSV });
    if (!isAnswered('an import', reply, [202])) return false;
    const { id } = reply.body;
    if (epoch !== epochOf(scene, practice)) return false;
    promiseEnd(scene, practice, id);
    imports.push({ practice, id });
    if (imports.length > REMEMBERED) imports.shift();
    for (const wait of LOOKS) {
      await scene.sleep(dice.int(1, wait));
      const shown = await asWho(scene, anyone(dice), practice, 'GET', `/imports/${id}`);
      if (!isAnswered('an import that is looked at', shown, [200])) return false;
      if (shown.body.status === 'done') return epoch === epochOf(scene, practice);
    }
    return false;
  } finally {
    use();
  }
};

const subscribers: Act = {
  name: 'a team imports subscribers',
  weight: 0.6,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const addresses = [...newAddresses(scene, dice.int(1, 6)), dice.pick(knownPeople)];
    const ending = ['', ';abgemeldet'];
    const rows = addresses.map(
      (address) => `${address};Erika;Köln${dice.chance(0.1) ? ending[1] : ending[0]}`,
    );
    const file = `E-Mail;Vorname;Ort;Status\n${rows.join('\n')}\nkein-at-zeichen;Max\n`;
    const query = dice.chance(0.7)
      ? 'status=active&evidence=Aufnahmebogen&given_at=2026-05-04T00:00:00Z'
      : 'status=pending';
    await bring(scene, dice, practice, `/lists/${practice.listId}/subscribers/import?${query}`, {
      file,
      addresses,
    });
  },
};

const suppressions: Act = {
  name: 'a team imports suppressions',
  weight: 0.4,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const addresses = [
      ...newAddresses(scene, dice.int(1, 3)),
      ...(dice.chance(0.2) ? [dice.pick(knownPeople)] : []),
    ];
    const file = `address,reason\n${addresses.map((address) => `${address},unsubscribe`).join('\n')}\n`;
    const isDone = await bring(scene, dice, practice, '/suppression/import', { file, addresses });
    if (isDone) for (const address of addresses) close(scene, practice, 'suppressed', address);
  },
};

const cancel: Act = {
  name: 'a team cancels an import',
  weight: 0.2,
  run: async (scene, dice) => {
    const { imports } = runningOf(scene);
    if (imports.length === 0) return;
    const { practice, id } = dice.pick(imports);
    const reply = await asWho(scene, anyone(dice), practice, 'DELETE', `/imports/${id}`);
    isAnswered('the end of an import', reply, [200]);
  },
};

export const importActs: readonly Act[] = [subscribers, suppressions, cancel];
