// People who join a list by its public form and the link of the mail that asks them, who decline, who leave and come back.
import { type Act, Cut, type Dice, type Practice, type Reply, type Scene } from '../scene.ts';
import { row, value } from '../truths/sql.ts';
import {
  confirmPath,
  hostOfLink,
  inFile,
  isQuestion,
  isTheirs,
  type Letter,
  newestLetters,
  numberInToken,
} from './receiving-letters.ts';
import { isNewMessage, returning } from './receiving-memory.ts';
import { type Asking, beginAsking, promise } from './receiving-promises.ts';

const URL_ENCODED = { 'Content-Type': 'application/x-www-form-urlencoded' };
const GERMAN = { Accept: 'text/html', 'Accept-Language': 'de' };
const CONFIRMED = 'Ihre Anmeldung ist bestätigt';
/** The form is closed, the rate, the disk, or the host that the practice has moved to. */
const MAY_FAIL: ReadonlySet<number> = new Set([404, 409, 429, 502, 503, 504, 507]);

/** People who subscribe again and again; what the relay does with their mail follows from their name. */
export const readerOf = (dice: Dice): string => {
  const kind = dice.chance(0.06) ? dice.pick(['soft', 'lost', 'slow']) : '';
  return `${kind}leser${dice.int(1, 25)}@people.example`;
};

const PENDING = `SELECT consent_entries.id AS entry, facts_json ->> '$.details.message_id' AS message,
    unixepoch(facts_json ->> '$.at', 'subsec') * 1000 AS at
  FROM subscribers JOIN lists ON lists.seq = list_seq JOIN consent_entries ON consent_entries.seq = consent_seq
  WHERE lists.id = ? AND subscribers.address = ? AND status = 'pending'`;

interface Pending {
  readonly entry: string;
  readonly message: string | null;
  readonly at: number;
}

/** The answer is the same for everyone. Where a request was stored, so is its mail, and the ledger keeps it. */
const noteRequest = (scene: Scene, asking: Asking, address: string): void => {
  const { practice, at: asked } = asking;
  const pending = inFile(scene, practice, (db) => row<Pending>(db, PENDING, practice.listId, address));
  if (pending === undefined || pending.at < asked) return;
  const { entry, message } = pending;
  promise(scene, asking, `the request ${entry} of ${address} is in the ledger`, (db) => {
    if (value(db, 'SELECT 1 FROM consent_entries WHERE id = ?', entry) === undefined)
      throw new Error('it is not');
  });
  if (message !== null && isNewMessage(scene, message))
    scene.book.accepted({ practice, door: 'form', id: message, recipients: [address] });
};

const wrong = (what: string, { status, text }: Reply): Error =>
  new Error(`${what} was answered ${status} ${text.slice(0, 500)}`);

export const subscribe = async (
  scene: Scene,
  dice: Dice,
  practice: Practice,
  address: string,
): Promise<void> => {
  const asPage = dice.chance(0.5);
  const host = hostOfLink(scene, dice, practice, practice.formPath);
  const list = practice.formPath.slice(practice.formPath.indexOf('l=') + 2);
  const asking = beginAsking(scene, practice);
  const fields = { list, email: address, name: 'Erika Muster' };
  const ask = (): Promise<Reply> =>
    host.ask(
      'POST',
      '/api/public/subscribe',
      asPage
        ? {
            headers: { ...GERMAN, ...URL_ENCODED },
            body: new URLSearchParams({ ...fields, language: 'de', form: 'page.1' }).toString(),
          }
        : { body: fields },
    );
  try {
    const reply = await returning(scene, practice, address, ask);
    scene.note(`  form of ${practice.slug} for ${address}: ${reply.status}`);
    if (reply.status === (asPage ? 200 : 202)) noteRequest(scene, asking, address);
    else if (!MAY_FAIL.has(reply.status)) throw wrong('a request to subscribe', reply);
  } catch (error) {
    if (error instanceof Cut) scene.book.unknown({ practice, door: 'form', recipients: [address] });
    throw error;
  }
};

const join: Act = {
  name: 'someone subscribes by a form',
  weight: 4,
  run: (scene, dice) => subscribe(scene, dice, dice.pick(scene.practices), readerOf(dice)),
};

const joinTogether: Act = {
  name: 'someone sends a form three times at once',
  weight: 1,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const address = readerOf(dice);
    await Promise.all([1, 2, 3].map(() => subscribe(scene, dice, practice, address)));
  },
};

const look: Act = {
  name: 'someone looks at the form',
  weight: 0.5,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const host = hostOfLink(scene, dice, practice, practice.formPath);
    const reply = await host.ask(dice.chance(0.2) ? 'HEAD' : 'GET', practice.formPath, { headers: GERMAN });
    if (reply.status !== 200 && !MAY_FAIL.has(reply.status)) throw wrong('the page of a form', reply);
  },
};

const CONFIRMATIONS = `SELECT count(*) FROM consent_entries AS answer JOIN consent_entries AS request
    ON request.id = answer.facts_json ->> '$.answers'
  WHERE request.seq = ? AND answer.facts_json ->> '$.action' = 'confirm'`;
/** Who is active by a consent from after the request, or whom the ledger or a server has taken off the list since. */
const IS_ON = `SELECT count(*) FROM consent_entries AS request
  LEFT JOIN lists ON lists.id = request.facts_json ->> '$.list_id'
  LEFT JOIN subscribers ON list_seq = lists.seq AND subscribers.address_hash = request.address_hash
  WHERE request.seq = ? AND (status IN ('active', 'bounced', 'complained')
    OR EXISTS (SELECT 1 FROM consent_entries AS later WHERE later.address_hash = request.address_hash
      AND later.seq > request.seq AND later.facts_json ->> '$.action' IN ('withdraw', 'request')))`;

/** The page says that the person is on the list: by one entry of the ledger, though the link was used often. */
const believe = (scene: Scene, asking: Asking, { address }: Letter, requestSeq: number): void =>
  promise(scene, asking, `${address} has confirmed the request ${requestSeq}`, (db) => {
    const count = value<number>(db, CONFIRMATIONS, requestSeq) ?? 0;
    if (count > 1) throw new Error(`${count} entries say so`);
    if (value<number>(db, IS_ON, requestSeq) === 0) throw new Error('the person is not on the list');
  });

const requestIn = (path: string): number => numberInToken(path.slice(path.indexOf('token=') + 6));

export const answer = async (
  scene: Scene,
  dice: Dice,
  letter: Letter,
  path: string,
  method: 'GET' | 'POST',
): Promise<void> => {
  const host = hostOfLink(scene, dice, letter.practice, path);
  const asking = beginAsking(scene, letter.practice);
  const ask = (): Promise<Reply> => host.ask(method, path, { headers: GERMAN });
  const reply = await returning(scene, letter.practice, letter.address, ask);
  const isOn = reply.text.includes(CONFIRMED);
  scene.note(`  confirmation of ${letter.address}: ${reply.status}${isOn ? ', on the list' : ''}`);
  if (reply.status === 200 && isOn && isTheirs(scene, letter))
    believe(scene, asking, letter, requestIn(path));
  if (reply.status !== 200 && !MAY_FAIL.has(reply.status))
    throw wrong('the link of a confirmation mail', reply);
};

const CHOSEN_AMONG = 4;

const question = (scene: Scene, dice: Dice): readonly [Letter, string] | null => {
  const newest = newestLetters(scene, isQuestion, CHOSEN_AMONG);
  const letter = newest.length === 0 ? null : dice.pick(newest);
  const path = letter && confirmPath(letter);
  return letter && path ? [letter, path] : null;
};

const confirm: Act = {
  name: 'someone follows the link that confirms',
  weight: 5,
  run: async (scene, dice) => {
    const [letter, path] = question(scene, dice) ?? [];
    if (!letter || !path) return;
    await answer(scene, dice, letter, path, 'GET');
    if (dice.chance(0.4)) await answer(scene, dice, letter, path, 'POST');
  },
};

const confirmTogether: Act = {
  name: 'a link that confirms is followed three times at once',
  weight: 1,
  run: async (scene, dice) => {
    const [letter, path] = question(scene, dice) ?? [];
    if (!letter || !path) return;
    const method = dice.pick(['GET', 'POST'] as const);
    await Promise.all(['POST' as const, method, method].map((one) => answer(scene, dice, letter, path, one)));
  },
};

const IS_OFF = `SELECT count(*) FROM consent_entries AS request
  JOIN lists ON lists.id = request.facts_json ->> '$.list_id'
  JOIN subscribers ON list_seq = lists.seq AND subscribers.address_hash = request.address_hash
  WHERE request.seq = ? AND status = 'active' AND consent_seq <= ?`;

const decline: Act = {
  name: 'someone declines, or leaves by the link that confirmed',
  weight: 1,
  run: async (scene, dice) => {
    const [letter, path] = question(scene, dice) ?? [];
    if (!letter || !path) return;
    const asking = beginAsking(scene, letter.practice);
    const reply = await hostOfLink(scene, dice, letter.practice, path).ask('POST', `${path}&do=decline`, {
      headers: GERMAN,
    });
    if (reply.status !== 200) {
      if (!MAY_FAIL.has(reply.status)) throw wrong('the button of a confirmation mail', reply);
      return;
    }
    const request = requestIn(path);
    const { head } = asking;
    promise(scene, asking, `${letter.address} has declined the request ${request} at ${head}`, (db) => {
      if ((value<number>(db, IS_OFF, request, head) ?? 0) > 0)
        throw new Error('the person is on the list by an earlier consent');
    });
  },
};

const machine: Act = {
  name: 'a machine follows the link that confirms',
  weight: 0.5,
  run: async (scene, dice) => {
    const [letter, path] = question(scene, dice) ?? [];
    if (!letter || !path) return;
    const isHead = dice.chance(0.5);
    const reply = await hostOfLink(scene, dice, letter.practice, path).ask(isHead ? 'HEAD' : 'GET', path, {
      headers: { ...GERMAN, ...(isHead ? {} : { 'Sec-Purpose': 'prefetch;prerender' }) },
    });
    if (reply.status !== 200 && !MAY_FAIL.has(reply.status))
      throw wrong('the link of a confirmation mail', reply);
  },
};

export const joiningActs: readonly Act[] = [
  join,
  joinTogether,
  look,
  confirm,
  confirmTogether,
  decline,
  machine,
];
