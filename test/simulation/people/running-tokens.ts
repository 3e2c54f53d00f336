// API tokens that a team makes, uses and revokes: one that was answered works, and one whose end was answered opens nothing any more.
import { type Act, Cut, type Dice, type Reply, type Scene } from '../scene.ts';
import { anyone, asWho, hostOf, isAnswered } from './running-answers.ts';
import { epochOf, nextNumber, runningOf, type Token } from './running-memory.ts';

const REMEMBERED = 12;
const MINUTE = 60_000;
const ELSEWHERE = '192.0.2.9';

const make: Act = {
  name: 'a team makes a token',
  weight: 1.2,
  run: async (scene, dice) => {
    const { tokens } = runningOf(scene);
    const practice = dice.pick(scene.practices);
    const expiresAt = dice.chance(0.3) ? scene.now() + dice.int(2, 600) * MINUTE : null;
    const from = dice.chance(0.2) ? ELSEWHERE : null;
    const epoch = epochOf(scene, practice);
    const reply = await asWho(scene, anyone(dice), practice, 'POST', '/api-tokens', {
      name: `Programm ${nextNumber(scene)}`,
      scope: 'team',
      ...(expiresAt === null ? {} : { expires_at: new Date(expiresAt).toISOString() }),
      ...(from === null ? {} : { allowed_addresses: [`${from}/32`] }),
    });
    if (!isAnswered('a token', reply, [201]) || epoch !== epochOf(scene, practice)) return;
    const { id, token: secret } = reply.body;
    tokens.push({ practice, id, secret, expiresAt, from, state: 'works' });
    if (tokens.length > REMEMBERED) tokens.shift();
    promiseAll(scene);
  },
};

/** A token that was made after a move is known where the practice is. */
const use = (scene: Scene, { practice, secret }: Token, from: string): Promise<Reply> =>
  hostOf(scene, practice).ask('GET', '/api/meta', { token: secret, headers: { 'X-Forwarded-For': from } });

/** Whether it has to open; null where that is not known to the minute. */
const mustOpen = ({ state, expiresAt, from }: Token, by: string, now: number): boolean | null => {
  if (state === 'leaving') return null;
  if (state === 'revoked' || (from !== null && from !== by)) return false;
  if (expiresAt === null || now < expiresAt - MINUTE) return true;
  return now > expiresAt + MINUTE ? false : null;
};

const look = async (scene: Scene, token: Token, from: string): Promise<void> => {
  const epoch = epochOf(scene, token.practice);
  const before = mustOpen(token, from, scene.now());
  const reply = await use(scene, token, from);
  const after = mustOpen(token, from, scene.now());
  const isKnown = reply.status === 200 || reply.status === 401;
  if (!isKnown) isAnswered('a request by a token', reply, [200]);
  if (!isKnown || before === null || before !== after || epoch !== epochOf(scene, token.practice)) return;
  if ((reply.status === 200) !== before)
    throw new Error(
      `the token ${token.id} of ${token.practice.slug}, which ${token.state === 'works' ? 'was made' : 'was revoked'}, was answered ${reply.status}`,
    );
};

const promising = new WeakSet<readonly Token[]>();

/** All at once, at the end. */
const promiseAll = (scene: Scene): void => {
  const { tokens } = runningOf(scene);
  if (promising.has(tokens)) return;
  promising.add(tokens);
  scene.book.promised('tokens open as they were answered', async (now) => {
    for (const token of [...tokens]) await look(now, token, token.from ?? ELSEWHERE);
  });
};

const useOne: Act = {
  name: 'a program uses its token',
  weight: 2.5,
  run: async (scene, dice) => {
    const { tokens } = runningOf(scene);
    if (tokens.length === 0) return;
    const token = dice.pick(tokens);
    await look(scene, token, dice.chance(0.7) ? (token.from ?? '192.0.2.7') : '192.0.2.8');
  },
};

const revokeOne = async (scene: Scene, dice: Dice, token: Token): Promise<void> => {
  const { practice, id } = token;
  token.state = 'leaving';
  const reply = await asWho(scene, anyone(dice), practice, 'DELETE', `/api-tokens/${id}`);
  if (isAnswered('the end of a token', reply, [204])) token.state = 'revoked';
};

const revoke: Act = {
  name: 'a team revokes a token',
  weight: 1.2,
  run: async (scene, dice) => {
    const working = runningOf(scene).tokens.filter(({ state }) => state === 'works');
    if (working.length === 0) return;
    const token = dice.pick(working);
    try {
      await revokeOne(scene, dice, token);
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      // Whoever has no answer asks again: then it is gone, or was not there any more.
      await scene.sleep(dice.int(10, 30_000));
      await revokeOne(scene, dice, token);
    }
  },
};

export const tokenActs: readonly Act[] = [make, useOne, revoke];
