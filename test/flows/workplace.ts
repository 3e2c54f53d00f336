// Practices and the people in them, as the flows of members, roles and invitations need them.
import { expect } from 'vitest';
import type { AppAnswer, Refusal, TestApp } from '#test/support/app.ts';
import { type Asking, asking, type Found } from '#test/support/asking.ts';
import {
  invite as inviteByMail,
  join,
  type Mail,
  mailsTo,
  makeOwner,
  type Person,
  signIn,
} from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

export interface Member extends Found {
  readonly email: string;
  readonly role: { readonly id: string; readonly slug: string | null; readonly name: string };
  readonly status: string;
}

/** A practice with an owner who is signed in. */
export interface Workplace {
  readonly id: string;
  readonly base: string;
  readonly owner: Person;
}

export interface Workplaces extends Asking {
  newEmail(): string;
  open(plan: string, name?: string): Promise<Workplace>;
  membersOf(at: Workplace): Promise<readonly Member[]>;
  memberOf(at: Workplace, email: string): Promise<Member>;
  /** Someone who has accepted an invitation of the operator's. */
  enlist(at: Workplace, role: string, fields?: object): Promise<Person>;
  /** By the owner unless told otherwise. */
  invite(at: Workplace, body: object, token?: string): Promise<AppAnswer<Refusal & Member>>;
  /** Invites, and resolves with the token in the mail. */
  invited(at: Workplace, email: string, role?: string): Promise<string>;
  /** The mail to the address that comes after `seen` others. */
  mailTo(email: string, seen: number): Promise<Mail>;
  makeRole(at: Workplace, name: string, permissions: string[]): Promise<string>;
  makeProject(at: Workplace, name: string): Promise<string>;
  /** What the practice's audit tells, newest first. */
  actionsOf(at: Workplace): Promise<string[]>;
}

/** Both are asked at each request: what they give is made in a hook. `usual` is the token of who asks. */
export const workplaces = (app: () => TestApp, usual: () => string): Workplaces => {
  const ask = asking(() => ({ app: app(), token: usual() }));
  const { call, list } = ask;
  let people = 0;
  const newEmail = (): string => `person-${people++}@example.org`;
  const membersOf: Workplaces['membersOf'] = ({ base, owner }) =>
    list<Member>(`${base}/members?limit=200`, owner.token);
  const invite: Workplaces['invite'] = (at, body, token = at.owner.token) =>
    call<Refusal & Member>('POST', `${at.base}/members`, body, token);
  const mailTo: Workplaces['mailTo'] = async (email, seen) => {
    let mail: Mail | undefined;
    await until(`a mail to ${email}`, async () => {
      mail = (await mailsTo(app(), email))[seen];
      return mail !== undefined;
    });
    return mail as Mail;
  };
  return {
    ...ask,
    newEmail,
    open: async (plan, name = 'Praxis am Markt') => {
      const { id } = await app().createPractice({ name, plan });
      const email = newEmail();
      await makeOwner(app(), id, email);
      return { id, base: `/api/practices/${id}`, owner: await signIn(app(), email) };
    },
    membersOf,
    memberOf: async (at, email) => {
      const found = (await membersOf(at)).find((member) => member.email === email);
      if (!found) throw new Error(`no member ${email}`);
      return found;
    },
    enlist: (at, role_id, fields = {}) => join(app(), at.id, newEmail(), { role_id, ...fields }),
    invite,
    invited: (at, email, role_id = 'member') =>
      inviteByMail(app(), at.id, email, { role_id }, at.owner.token),
    mailTo,
    makeRole: async (at, name, permissions) => {
      const { status, body } = await call('POST', `${at.base}/roles`, { name, permissions }, at.owner.token);
      expect(status).toBe(201);
      return body.id;
    },
    makeProject: async ({ base, owner }, name) =>
      (await call('POST', `${base}/projects`, { name }, owner.token)).body.id,
    actionsOf: async ({ base, owner }) =>
      (await list<{ action: string }>(`${base}/audit?limit=200`, owner.token)).map(({ action }) => action),
  };
};
