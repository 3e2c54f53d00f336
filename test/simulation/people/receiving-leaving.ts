// People who leave: by one click of a mail program, the pages behind the link, a mail, and the page of their lists.
import type { Act, Dice, Reply, Scene } from '../scene.ts';
import {
  hostOfLink,
  isQuestion,
  isTheirs,
  type Letter,
  someLetter,
  unsubscribeAddress,
  unsubscribePath,
} from './receiving-letters.ts';
import { close, rememberGone } from './receiving-memory.ts';
import {
  type Asking,
  beginAsking,
  promiseEvent,
  promiseLeft,
  promiseSuppression,
} from './receiving-promises.ts';
import { bring, isTaken, lines } from './receiving-smtp.ts';

const GERMAN = { Accept: 'text/html', 'Accept-Language': 'de' };
const URL_ENCODED = { 'Content-Type': 'application/x-www-form-urlencoded' };
const BOUNDARY = 'a-boundary-of-a-mail-program';
const MULTIPART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${BOUNDARY}--\r\n`;

/** How mail programs click (RFC 8058): with either kind of form, or none. */
const clicks = [
  { body: 'List-Unsubscribe=One-Click', headers: URL_ENCODED },
  { body: MULTIPART, headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` } },
  { headers: { 'User-Agent': 'Mail program/1' } },
] as const;

/** The link, the rate, the disk, or the host that the practice has moved to. */
const MAY_FAIL: ReadonlySet<number> = new Set([404, 429, 502, 503, 504, 507]);

/** Whether the page came. A link works as long as its mail is known, and whatever fails, nothing is wrong with it. */
const hasPage = (scene: Scene, letter: Letter, { status, text }: Reply): boolean => {
  scene.note(`  link of recipient ${letter.recipientId} at ${letter.practice.slug}: ${status}`);
  if (status === 404 && isTheirs(scene, letter))
    throw new Error(`a link of recipient ${letter.recipientId} at ${letter.practice.slug} leads nowhere`);
  if (status >= 400 && !MAY_FAIL.has(status)) throw new Error(`a link was answered ${status} ${text}`);
  return status === 200;
};

/** What someone was told who has unsubscribed, from mail of one route or from all. To say no to a question suppresses nothing. */
const believe = (scene: Scene, asking: Asking, letter: Letter, fromAll: boolean): void => {
  if (!isTheirs(scene, letter)) return;
  promiseEvent(scene, asking, letter, 'message.unsubscribed', 'at least once');
  if (fromAll) promiseLeft(scene, asking, letter, null, true);
  if (!fromAll && isQuestion(letter)) return;
  promiseSuppression(scene, asking, letter, fromAll ? 'team' : 'route');
  close(scene, letter.practice, 'unsubscribed', letter.address);
  if (fromAll) rememberGone(scene, letter.practice, letter.address);
};

export const leave = async (
  scene: Scene,
  dice: Dice,
  letter: Letter,
  path: string,
  fromAll: boolean,
): Promise<void> => {
  const asking = beginAsking(scene, letter.practice);
  const host = hostOfLink(scene, dice, letter.practice, path);
  const reply = await host.ask('POST', fromAll ? `${path}&from=all` : path, dice.pick(clicks));
  if (hasPage(scene, letter, reply)) believe(scene, asking, letter, fromAll);
};

const linked = (scene: Scene, dice: Dice): readonly [Letter, string] | null => {
  const letter = someLetter(scene, dice, (one) => unsubscribePath(one) !== null);
  const path = letter && unsubscribePath(letter);
  return letter && path ? [letter, path] : null;
};

const oneClick: Act = {
  name: 'a mail program unsubscribes with one click',
  weight: 2,
  run: async (scene, dice) => {
    const [letter, path] = linked(scene, dice) ?? [];
    if (letter && path) await leave(scene, dice, letter, path, false);
  },
};

const clickTogether: Act = {
  name: 'one click comes three times at once',
  weight: 0.7,
  run: async (scene, dice) => {
    const [letter, path] = linked(scene, dice) ?? [];
    if (!letter || !path) return;
    const alls = [false, dice.chance(0.3), false];
    await Promise.all(alls.map((fromAll) => leave(scene, dice, letter, path, fromAll)));
  },
};

const byPage: Act = {
  name: 'someone looks at the page to unsubscribe, and leaves everything',
  weight: 1,
  run: async (scene, dice) => {
    const [letter, path] = linked(scene, dice) ?? [];
    if (!letter || !path) return;
    const leaves = dice.chance(0.7);
    const host = hostOfLink(scene, dice, letter.practice, path);
    const shown = await host.ask(dice.chance(0.2) ? 'HEAD' : 'GET', path, { headers: GERMAN });
    if (hasPage(scene, letter, shown) && leaves) await leave(scene, dice, letter, path, true);
  },
};

const byMail: Act = {
  name: 'someone unsubscribes by mail',
  weight: 1,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice, (one) => unsubscribeAddress(one) !== null);
    const to = letter && unsubscribeAddress(letter);
    if (!letter || !to) return;
    const asking = beginAsking(scene, letter.practice);
    const content = lines(`From: ${letter.address}`, `To: ${to}`, 'Subject: unsubscribe', '', '');
    const reply = await bring(scene, dice, { from: letter.address, to, content });
    if (isTaken(reply)) believe(scene, asking, letter, false);
  },
};

type Choice = 'one' | 'all' | 'object' | 'agree';

const preferences: Act = {
  name: 'someone chooses on the page of their lists',
  weight: 1.5,
  run: async (scene, dice) => {
    const [letter, link] = linked(scene, dice) ?? [];
    if (!letter || !link) return;
    const path = link.replace('/unsub?', '/preferences?');
    const choice = dice.pick<Choice>(['one', 'all', 'object', 'agree']);
    const asking = beginAsking(scene, letter.practice);
    const host = hostOfLink(scene, dice, letter.practice, path);
    const shown = await host.ask('GET', path, { headers: GERMAN });
    if (!hasPage(scene, letter, shown)) return;
    const { listId } = letter.practice;
    const reply = await host.ask('POST', choice === 'one' ? path : `${path}&do=${choice}`, {
      headers: { ...GERMAN, ...URL_ENCODED },
      body: choice === 'one' ? `${listId}=leave` : '',
    });
    if (!hasPage(scene, letter, reply) || !isTheirs(scene, letter)) return;
    if (choice === 'one' || choice === 'all')
      promiseLeft(scene, asking, letter, choice === 'one' ? listId : null, false);
  },
};

export const leavingActs: readonly Act[] = [oneClick, clickTogether, byPage, byMail, preferences];
