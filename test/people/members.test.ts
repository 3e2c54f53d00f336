// Joining and leaving across the two files: what each crash leaves, and what happens at the same time.
import { beforeEach, describe, expect, test } from 'vitest';
import { createEnterTenant } from '#src/accounts/entry/enter.ts';
import { memberStore } from '#src/accounts/entry/member-store.ts';
import { systemRoles } from '#src/accounts/entry/rules.ts';
import { DAY } from '#src/kernel/time.ts';
import { type Invited, inviteMember } from '#src/people/inviting.ts';
import { acceptInvitation, acceptMembership, leavePractice, viewInvitation } from '#src/people/joining.ts';
import { removeMember, updateMember } from '#src/people/members.ts';
import { emailOf, openPractice, type SamplePractice } from './practice.ts';

const ANNA = 'anna@example.org';
const BERND = 'bernd@example.org';
const invited: Invited = {
  email: emailOf(ANNA),
  roleId: 'viewer',
  allProjects: undefined,
  projectIds: undefined,
  language: undefined,
};

let at: SamplePractice;
beforeEach(async () => {
  at = await openPractice();
  await at.makeOwner('owner@example.org');
});

const accept = (token: string, deps = at.deps) =>
  acceptInvitation(deps, token, { change: at.byOperator().change, header: () => undefined }, null);
const statusOf = async (email: string) =>
  (await at.members()).find((row) => row.email === email)?.status ?? null;
const accountOf = async (email: string) => {
  const row = await at.account(email);
  if (!row) throw new Error('no account');
  return { id: row.id, email: row.email, emailKey: row.email_key };
};

describe('an invitation', () => {
  test('that is cut off before the first file leaves nothing', async () => {
    const cutOff = inviteMember(at.without('tenants'), at.tenantId, invited, at.byOperator());
    await expect(cutOff).rejects.toThrow('no disk');
    expect([await statusOf(ANNA), await at.account(ANNA)]).toEqual([null, undefined]);
  });

  test('that is cut off between the files lets no one in, and inviting again repairs it', async () => {
    const cutOff = inviteMember(at.without('platform'), at.tenantId, invited, at.byOperator());
    await expect(cutOff).rejects.toThrow('no disk');
    expect([await statusOf(ANNA), await at.isIndexed(ANNA)]).toEqual(['invited', false]);
    const again = await inviteMember(at.deps, at.tenantId, invited, at.byOperator());
    expect(again.isNew).toBe(false);
    expect(await at.isIndexed(ANNA)).toBe(true);
    expect(await accept(await at.invitation(ANNA))).not.toBeNull();
  });

  test('is mailed in the language asked for, else the account’s, else the caller’s', async () => {
    await at.invite(ANNA);
    await at.invite(BERND, { language: 'en' });
    await at.invite(BERND);
    await at.invite(BERND, { language: 'de' });
    const languages = (await at.mails()).filter(({ kind }) => kind === 'invitation');
    expect(languages.map(({ to, language }) => [to, language])).toEqual([
      [ANNA, 'de'],
      [BERND, 'en'],
      [BERND, 'en'],
      [BERND, 'de'],
    ]);
  });

  test('that is cut off while it is accepted can be accepted again', async () => {
    await at.invite(ANNA);
    const token = await at.invitation(ANNA);
    await expect(accept(token, at.without('tenants'))).rejects.toThrow('no disk');
    expect(await statusOf(ANNA)).toBe('invited');
    await expect(accept(token, at.without('platform'))).rejects.toThrow('no disk');
    expect(await statusOf(ANNA)).toBe('active');
    expect(await viewInvitation(at.deps, token)).not.toBeNull();
    expect(await accept(token)).toMatchObject({ row: { status: 'active' } });
    expect(await accept(token)).toBeNull();
    expect((await at.audited()).filter((action) => action === 'test')).toHaveLength(2);
  });

  test('is accepted once, however many come with it at once', async () => {
    await at.invite(ANNA);
    const token = await at.invitation(ANNA);
    const all = await Promise.all(Array.from({ length: 5 }, () => accept(token)));
    expect(all.filter((accepted) => accepted !== null)).toHaveLength(1);
  });

  test('is dead after seven days, after a newer one, and after its member is gone', async () => {
    const { id } = await at.invite(ANNA);
    const first = await at.invitation(ANNA);
    await at.invite(ANNA);
    const second = await at.invitation(ANNA);
    expect(await accept(first)).toBeNull();
    const now = at.clock.now();
    at.clock.set(now + 7 * DAY);
    expect(await accept(second)).toBeNull();
    at.clock.set(now + 7 * DAY - 1);
    expect(await viewInvitation(at.deps, second)).not.toBeNull();
    await removeMember(at.deps, at.tenantId, id, at.byOperator());
    expect(await accept(second)).toBeNull();
    expect(await statusOf(ANNA)).toBeNull();
  });

  test('of a member who was removed opens nothing', async () => {
    const { id } = await at.invite(ANNA);
    const token = await at.invitation(ANNA);
    await at.storage.tenants.write(at.tenantId, (db) => memberStore(db).remove(id));
    expect([await viewInvitation(at.deps, token), await accept(token)]).toEqual([null, null]);
  });

  test.each(['', 'svc_inv_', `svc_inv_${'a'.repeat(43)}`, `svc_team_${'a'.repeat(43)}`])(
    'is not opened by %j',
    async (token) => {
      await at.invite(ANNA);
      expect([await viewInvitation(at.deps, token), await accept(token)]).toEqual([null, null]);
    },
  );
});

describe('an invitation that waits for its turn', () => {
  test('and is superseded meanwhile opens nothing', async () => {
    const { id } = await at.invite(ANNA);
    const old = await at.invitation(ANNA);
    const outcomes = await Promise.all([
      removeMember(at.deps, at.tenantId, id, at.byOperator()),
      inviteMember(at.deps, at.tenantId, invited, at.byOperator()),
      accept(old),
    ]);
    expect(outcomes[2]).toBeNull();
    expect(await statusOf(ANNA)).toBe('invited');
    expect(await accept(await at.invitation(ANNA))).not.toBeNull();
  });
});

describe('removing a member', () => {
  test('that is cut off before the first file changes nothing', async () => {
    const { id } = await at.invite(ANNA);
    const cutOff = removeMember(at.without('tenants'), at.tenantId, id, at.byOperator());
    await expect(cutOff).rejects.toThrow('no disk');
    expect([await statusOf(ANNA), await at.isIndexed(ANNA)]).toEqual(['invited', true]);
  });

  test('that is cut off between the files has taken effect, and is finished by repeating it', async () => {
    const { id } = await at.invite(ANNA);
    await at.invite(BERND);
    await accept(await at.invitation(ANNA));
    const { caller } = await at.by(ANNA);
    const cutOff = removeMember(at.without('platform'), at.tenantId, id, at.byOperator());
    await expect(cutOff).rejects.toThrow('no disk');
    expect(await at.isIndexed(ANNA)).toBe(true);
    expect(await createEnterTenant(at.storage)({ ...caller, tenantId: null }, at.tenantId)).toBeNull();
    const repeated = removeMember(at.deps, at.tenantId, id, at.byOperator());
    await expect(repeated).rejects.toMatchObject({ code: 'not_found' });
    expect(await at.account(ANNA)).toBeUndefined();
    expect([await at.isIndexed(BERND), await at.isIndexed('owner@example.org')]).toEqual([true, true]);
  });

  test('and inviting them again meanwhile leaves them invited in both files', async () => {
    const { id } = await at.invite(ANNA);
    const { platform } = at.storage;
    // The registry's half of the removal comes as late as it can: after the invitation, if that does not wait for it.
    const lateWrite: typeof platform.write = async (work) => {
      for (let turn = 0; turn < 1_000 && !(await isInvitedAgain()); turn++)
        await new Promise((resolve) => setImmediate(resolve));
      return platform.write(work);
    };
    const sentBefore = (await at.mails()).length;
    const isInvitedAgain = async () => (await at.mails()).length > sentBefore;
    const late = { ...at.deps, storage: { ...at.storage, platform: { ...platform, write: lateWrite } } };
    await Promise.all([
      removeMember(late, at.tenantId, id, at.byOperator()),
      inviteMember(at.deps, at.tenantId, invited, at.byOperator()),
    ]);
    expect([await statusOf(ANNA), await at.isIndexed(ANNA)]).toEqual(['invited', true]);
  });

  test('by who was removed meanwhile does nothing', async () => {
    const boss = await at.makeOwner(BERND);
    const byBernd = await at.by(BERND);
    const { id } = await at.invite(ANNA);
    await removeMember(at.deps, at.tenantId, boss.id, at.byOperator());
    const late = removeMember(at.deps, at.tenantId, id, byBernd);
    await expect(late).rejects.toMatchObject({ code: 'not_found', message: 'There is no such practice.' });
    expect(await statusOf(ANNA)).toBe('invited');
  });

  test('by who lost the permission meanwhile does nothing', async () => {
    const boss = await at.makeOwner(BERND);
    const byBernd = await at.by(BERND);
    const patch = { roleId: 'viewer', allProjects: undefined, projectIds: undefined };
    await updateMember(at.deps, at.tenantId, boss.id, patch, at.byOperator());
    const late = inviteMember(at.deps, at.tenantId, invited, byBernd);
    await expect(late).rejects.toMatchObject({ code: 'forbidden', extra: { permission: 'members.manage' } });
    expect(await statusOf(ANNA)).toBeNull();
  });

  test('by two owners of each other at once leaves one', async () => {
    const [first, ...none] = await at.members();
    expect(none).toEqual([]);
    const second = await at.makeOwner(BERND);
    const byFirst = await at.by('owner@example.org');
    const bySecond = await at.by(BERND);
    const outcomes = await Promise.allSettled([
      removeMember(at.deps, at.tenantId, second.id, byFirst),
      removeMember(at.deps, at.tenantId, first?.id ?? '', bySecond),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await at.members()).map(({ email }) => email)).toEqual(['owner@example.org']);
  });

  test('by two owners who leave at once leaves one', async () => {
    await at.makeOwner(BERND);
    const leaving = ['owner@example.org', BERND].map(async (email) =>
      leavePractice(at.deps, await accountOf(email), at.tenantId, at.byOperator().change),
    );
    const outcomes = await Promise.allSettled(leaving);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'conflict' } },
    ]);
    expect(await at.members()).toMatchObject([{ role_id: systemRoles.owner.id }]);
  });
});

describe('leaving a practice', () => {
  const leave = async (email: string, deps = at.deps) =>
    leavePractice(deps, await accountOf(email), at.tenantId, at.byOperator().change);

  test('that is cut off between the files has taken effect, and is finished by repeating it', async () => {
    await at.invite(ANNA);
    await expect(leave(ANNA, at.without('platform'))).rejects.toThrow('no disk');
    expect([await statusOf(ANNA), await at.isIndexed(ANNA)]).toEqual([null, true]);
    await expect(leave(ANNA)).rejects.toMatchObject({ code: 'not_found' });
    expect(await at.account(ANNA)).toBeUndefined();
  });

  test('is not for accounts that are no members', async () => {
    const other = await openPractice();
    await other.invite(ANNA);
    const row = await other.account(ANNA);
    const stranger = { id: row?.id ?? '', email: ANNA, emailKey: ANNA };
    const { change } = at.byOperator();
    await expect(leavePractice(at.deps, stranger, at.tenantId, change)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(acceptMembership(at.deps, stranger, at.tenantId, change)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('accepting signed in uses the invitation up', async () => {
    await at.invite(ANNA);
    const token = await at.invitation(ANNA);
    const { change } = at.byOperator();
    const accepted = await acceptMembership(at.deps, await accountOf(ANNA), at.tenantId, change);
    expect(accepted.row).toMatchObject({ status: 'active', accepted_at: at.clock.now() });
    expect(await accept(token)).toBeNull();
  });
});

describe('an owner made by the operator', () => {
  test('is active at once, and gets a mail', async () => {
    const row = await at.makeOwner(ANNA);
    expect(row).toMatchObject({ status: 'active', role_id: systemRoles.owner.id, all_projects: 1 });
    expect((await at.by(ANNA)).caller.isOwner).toBe(true);
    expect((await at.mails()).at(-1)).toMatchObject({ kind: 'owner_welcome', to: ANNA, practice: 'Praxis' });
    expect(await at.audited()).toEqual(['member.make_owner', 'member.make_owner']);
  });

  test('who was invited needs the invitation no more, and keeps its record', async () => {
    const before = await at.invite(ANNA);
    const token = await at.invitation(ANNA);
    expect(await at.makeOwner(ANNA)).toMatchObject({ id: before.id, created_at: before.created_at });
    expect(await accept(token)).toBeNull();
  });
});
