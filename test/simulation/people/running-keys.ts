// Keys and domains: rotated, given up, asked for again. A practice that gave its domain up takes it back soon.
import type { Act, Practice, Scene } from '../scene.ts';
import { publish } from '../zones.ts';
import { anyone, asWho, isAnswered } from './running-answers.ts';
import { inTurn, runningOf } from './running-memory.ts';

const rotate: Act = {
  name: 'a team rotates its keys',
  weight: 0.4,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const body = dice.chance(0.2) ? { compromised: true } : {};
    const reply = await asWho(scene, anyone(dice), practice, 'POST', '/dkim-keys/rotate', body);
    isAnswered('a rotation of keys', reply, [200]);
  },
};

const giveUp: Act = {
  name: 'a team gives its domain up',
  weight: 0.08,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    await inTurn(scene, `domain ${practice.id}`, async () => {
      runningOf(scene).detached.add(practice.id);
      const reply = await asWho(scene, anyone(dice), practice, 'POST', '/restore-managed-domain');
      isAnswered('a domain that is given up', reply, [200]);
    });
  },
};

/** Asks for it, publishes what is wanted, and lets it be looked at. */
const attach = async (scene: Scene, practice: Practice): Promise<boolean> => {
  const { domain } = practice;
  const asked = await asWho(scene, 'operator', practice, 'POST', '/custom-domain', { domain });
  if (!isAnswered('a domain', asked, [200])) return false;
  const wanted = await asWho(scene, 'operator', practice, 'GET', '/dns-records');
  if (!isAnswered('the records of a domain', wanted, [200])) return false;
  publish(scene.zones, [...wanted.body.records, ...wanted.body.inbound]);
  const checked = await asWho(scene, 'operator', practice, 'POST', '/check-dns');
  return isAnswered('a check of records', checked, [200]) && checked.body.pending === false;
};

const takeBack: Act = {
  name: 'a team asks for its domain again',
  weight: 1,
  run: async (scene, dice) => {
    const { detached } = runningOf(scene);
    const wanting = scene.practices.filter(({ id }) => detached.has(id));
    if (wanting.length === 0) return;
    const practice = dice.pick(wanting);
    await inTurn(scene, `domain ${practice.id}`, async () => {
      if (await attach(scene, practice)) detached.delete(practice.id);
    });
  },
};

const check: Act = {
  name: 'a team lets its records be checked',
  weight: 0.3,
  run: async (scene, dice) => {
    const practice = dice.pick(scene.practices);
    const reply = await asWho(scene, anyone(dice), practice, 'POST', '/check-dns');
    isAnswered('a check of records', reply, [200]);
  },
};

export const keyActs: readonly Act[] = [rotate, giveUp, takeBack, check];
