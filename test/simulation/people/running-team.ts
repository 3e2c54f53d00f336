// Members who are invited, come, get another role and are removed. Who was removed sees nothing more of the practice, and a role that was
// answered decides what its member may do.
import type { Act, Dice, Scene } from '../scene.ts';
import { anyone, asWho, isAnswered } from './running-answers.ts';
import { epochOf, type Member, nextNumber, runningOf } from './running-memory.ts';

const REMEMBERED = 12;
const ROLES = ['admin', 'member', 'editor', 'viewer'];
/** These see the tokens of the practice. */
const SEES_TOKENS = ['owner', 'admin'];

const some = (scene: Scene, dice: Dice, isWanted: (member: Member) => boolean): Member | null => {
  const found = runningOf(scene).members.filter((member) => !member.isBusy && isWanted(member));
  return found.length === 0 ? null : dice.pick(found);
};

/** Alone with that member, and for good where no answer came: what it is by then is not known. */
const aloneWith = async (member: Member | null, work: (member: Member) => Promise<void>): Promise<void> => {
  if (member === null) return;
  member.isBusy = true;
  await work(member);
  member.isBusy = false;
};

const invite: Act = {
  name: 'a team invites a member',
  weight: 0.5,
  run: async (scene, dice) => {
    const { members } = runningOf(scene);
    const practice = dice.pick(scene.practices);
    const email = `helfer${nextNumber(scene)}@people.example`;
    const role = dice.pick(ROLES);
    const epoch = epochOf(scene, practice);
    const reply = await asWho(scene, anyone(dice), practice, 'POST', '/members', { email, role_id: role });
    if (!isAnswered('an invitation', reply, [200, 201]) || epoch !== epochOf(scene, practice)) return;
    const { id } = reply.body;
    members.push({ practice, id, email, role, session: null, state: 'invited', isBusy: false });
    if (members.length > REMEMBERED) members.shift();
  },
};

const linkFor = (scene: Scene, email: string): string | null => {
  const mail = scene.peers.handedOver.findLast(({ recipient }) => recipient === email);
  return /\/invitation\/([\w-]+)/.exec(mail?.source.replaceAll('=\r\n', '') ?? '')?.[1] ?? null;
};

const accept: Act = {
  name: 'someone accepts an invitation',
  weight: 0.7,
  run: (scene, dice) =>
    aloneWith(
      some(scene, dice, ({ email, state }) => state === 'invited' && linkFor(scene, email) !== null),
      async (member) => {
        const epoch = epochOf(scene, member.practice);
        const body = { token: linkFor(scene, member.email) };
        const reply = await scene.service.ask('POST', '/api/auth/accept-invitation', { body });
        if (!isAnswered('an accepted invitation', reply, [200]) || epoch !== epochOf(scene, member.practice))
          return;
        member.session = reply.body.token;
        member.state = 'active';
        promiseRemoved(scene);
      },
    ),
};

const changeRole: Act = {
  name: 'a team changes the role of a member',
  weight: 0.4,
  run: (scene, dice) =>
    aloneWith(
      some(scene, dice, ({ state }) => state === 'active' || state === 'invited'),
      async (member) => {
        const role = dice.pick(ROLES);
        member.role = '';
        const { practice, id } = member;
        const reply = await asWho(scene, anyone(dice), practice, 'PATCH', `/members/${id}`, {
          role_id: role,
        });
        if (isAnswered('another role', reply, [200])) member.role = role;
      },
    ),
};

const remove: Act = {
  name: 'a team removes a member',
  weight: 0.3,
  run: (scene, dice) =>
    aloneWith(
      some(scene, dice, ({ state }) => state === 'active' || state === 'invited'),
      async (member) => {
        member.state = 'leaving';
        const { practice, id } = member;
        const reply = await asWho(scene, anyone(dice), practice, 'DELETE', `/members/${id}`);
        if (isAnswered('the end of a member', reply, [204])) member.state = 'removed';
      },
    ),
};

/** A practice that has moved is asked for at its new host, where nobody is signed in. */
const look = async (scene: Scene, member: Member): Promise<void> => {
  const { practice, session, role, state } = member;
  if (session === null) return;
  const epoch = epochOf(scene, practice);
  const path = `/api/practices/${practice.id}/api-tokens`;
  const { status } = await scene.service.ask('GET', path, { token: session });
  if (epoch !== epochOf(scene, practice) || member.role !== role || member.state !== state) return;
  const sees = state === 'active' && (role === '' || SEES_TOKENS.includes(role));
  if (status === 200 && !sees && state !== 'leaving')
    throw new Error(
      `${member.email}, who is ${state === 'active' ? `a ${role}` : state} at ${practice.slug}, was shown its tokens`,
    );
};

const lookAround: Act = {
  name: 'a member looks at the tokens',
  weight: 0.6,
  run: async (scene, dice) => {
    const member = some(scene, dice, ({ session }) => session !== null);
    if (member !== null) await look(scene, member);
  },
};

const promising = new WeakSet<readonly Member[]>();

const promiseRemoved = (scene: Scene): void => {
  const { members } = runningOf(scene);
  if (promising.has(members)) return;
  promising.add(members);
  scene.book.promised('members see what their role shows, and nothing once they are removed', async (now) => {
    for (const member of [...members]) await look(now, member);
  });
};

export const teamActs: readonly Act[] = [invite, accept, changeRole, remove, lookAround];
