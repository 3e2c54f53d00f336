// Mail programs and filters that load the picture of a mail and follow its links.
import type { Act, Dice, Reply, Scene } from '../scene.ts';
import { clickPaths, hostOfLink, type Letter, openPath, someLetter } from './receiving-letters.ts';

const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
];
const PIXEL_BYTES = '42';

const get = (scene: Scene, dice: Dice, { practice }: Letter, path: string): Promise<Reply> =>
  hostOfLink(scene, dice, practice, path).ask('GET', path, {
    headers: { 'User-Agent': dice.pick(AGENTS), 'X-Forwarded-For': `198.51.100.${dice.int(1, 250)}` },
  });

const wrong = (path: string, { status, text }: Reply): Error =>
  new Error(`GET ${path} was answered ${status} ${text}`);
/** It starts, is about to end, or does not reach the host that the practice has moved to. */
const isBusy = ({ status }: Reply): boolean => status === 502 || status === 503 || status === 504;

/** A link needs no file, so it works whatever has become of the mail. */
const requirePixel = (path: string, reply: Reply): void => {
  const isPixel = reply.status === 200 && reply.headers['content-length'] === PIXEL_BYTES;
  if (!isPixel && !isBusy(reply)) throw wrong(path, reply);
};
const requireTarget = (path: string, reply: Reply): void => {
  const target = Buffer.from(path.slice(path.lastIndexOf('/') + 1), 'base64url').toString();
  const isRight = reply.status === 302 && reply.headers.location === target;
  if (!isRight && !isBusy(reply)) throw wrong(path, reply);
};

const open: Act = {
  name: 'someone opens a mail',
  weight: 4,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice, (one) => openPath(one) !== null);
    const path = letter && openPath(letter);
    if (!letter || !path) return;
    requirePixel(path, await get(scene, dice, letter, path));
    if (dice.chance(0.2)) requirePixel(path, await get(scene, dice, letter, path));
  },
};

const click: Act = {
  name: 'someone follows a link of a mail',
  weight: 4,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice, (one) => clickPaths(one).length > 0);
    if (letter === null) return;
    const path = dice.pick(clickPaths(letter));
    requireTarget(path, await get(scene, dice, letter, path));
    if (dice.chance(0.2)) requireTarget(path, await get(scene, dice, letter, path));
  },
};

const scan: Act = {
  name: 'a filter opens a mail and all its links at once',
  weight: 1,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice, (one) => openPath(one) !== null);
    const path = letter && openPath(letter);
    if (!letter || !path) return;
    await Promise.all([
      get(scene, dice, letter, path).then((reply) => requirePixel(path, reply)),
      ...clickPaths(letter).map((link) =>
        get(scene, dice, letter, link).then((reply) => requireTarget(link, reply)),
      ),
    ]);
  },
};

const alter: Act = {
  name: 'someone alters a link',
  weight: 0.5,
  run: async (scene, dice) => {
    const letter = someLetter(scene, dice, (one) => clickPaths(one).length > 0);
    if (letter === null) return;
    const path = dice.pick(clickPaths(letter));
    const at = dice.int('/t/c/1'.length, path.length - 2);
    if (path[at] === '/') return;
    const altered = `${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`;
    const reply = await get(scene, dice, letter, altered);
    if (reply.status !== 404 && !isBusy(reply)) throw wrong(altered, reply);
  },
};

export const openActs: readonly Act[] = [open, click, scan, alter];
