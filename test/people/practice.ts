// A practice with its owner in real files, and all that those who manage its members need; its mails are read from the
// outbox.

import { type AccountRow, accountStore } from '#src/accounts/entry/account-store.ts';
import { createEnterTenant } from '#src/accounts/entry/enter.ts';
import { type MemberRow, memberStore } from '#src/accounts/entry/member-store.ts';
import { createOutbox } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { noticeStore } from '#src/accounts/mails/store.ts';
import { anonymous, type Caller, operatorPermissions } from '#src/kernel/access.ts';
import { type Change, systemChange } from '#src/kernel/change.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { Clock } from '#src/kernel/time.ts';
import { type PersonEmail, parseEmail } from '#src/mail/email.ts';
import { type InviteDeps, type Invited, inviteMember } from '#src/people/inviting.ts';
import { makeOwner } from '#src/people/members.ts';
import { createToken, type NewToken } from '#src/people/tokens.ts';
import { testSealingKey } from '#test/support/keys.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';

export const ORIGIN = 'https://mail.example.com';
const KEY = testSealingKey(7);

export interface Request {
  readonly caller: Caller;
  readonly change: Change;
  readonly language: 'de';
}

export interface SamplePractice {
  readonly deps: InviteDeps;
  readonly storage: Storage;
  readonly clock: TestClock;
  readonly tenantId: string;
  /** The same with one of its two files out of order. */
  without(part: 'platform' | 'tenants'): InviteDeps;
  /** A request by the operator. */
  byOperator(): Request;
  /** A request by an active member; throws where the address is none. */
  by(email: string): Promise<Request>;
  makeOwner(email: string): Promise<MemberRow>;
  invite(email: string, fields?: Partial<Invited>): Promise<MemberRow>;
  /** Of the newest invitation to that address. */
  invitation(email: string): Promise<string>;
  mails(): Promise<Notice[]>;
  members(): Promise<MemberRow[]>;
  account(email: string): Promise<AccountRow | undefined>;
  /** Whether the registry leads the address here. */
  isIndexed(email: string): Promise<boolean>;
  /** Actions in the practice's audit, oldest first. */
  audited(): Promise<string[]>;
}

export const emailOf = (text: string): PersonEmail => {
  const parsed = parseEmail(text);
  if (parsed === null) throw new Error(`${text} is no address`);
  return parsed;
};

const operator: Caller = {
  ...anonymous,
  kind: 'operator',
  credentialId: 'operator',
  permissions: operatorPermissions,
  isOwner: true,
};
const request = (caller: Caller): Request => ({ caller, change: systemChange('test'), language: 'de' });

export const byOperator = (): Request => request(operator);

/** A team token as the operator makes it, unless `fields` say otherwise. */
export const mintToken = (
  storage: Storage,
  clock: Clock,
  tenantId: string,
  fields: Partial<NewToken> = {},
): ReturnType<typeof createToken> => {
  const wanted = { name: 't', scope: 'team', projectId: null, ...fields } as const;
  return createToken({ storage, clock, queue: createKeyedQueue() }, tenantId, wanted, request(operator));
};

export const openPractice = async (): Promise<SamplePractice> => {
  const storage = await openTestStorage(await temporaryDirectory());
  const clock = createTestClock();
  const tenantId = await createSampleTenant(storage);
  const outbox = createOutbox(KEY);
  const notices = { enqueue: outbox.enqueue, wake: () => undefined };
  const deps: InviteDeps = {
    storage,
    clock,
    queue: createKeyedQueue(),
    notices,
    limitEmail: () => undefined,
    limitInvitations: () => undefined,
    origin: ORIGIN,
  };
  const account = (email: string) =>
    storage.platform.read((db) => accountStore(db).byEmail(emailOf(email).emailKey));
  const mails = () =>
    storage.platform.read((db) =>
      noticeStore(db)
        .waiting(1_000)
        .map((row) => outbox.open(row)),
    );
  return {
    deps,
    storage,
    clock,
    tenantId,
    without: (part) => ({
      ...deps,
      storage: {
        ...storage,
        [part]: { ...storage[part], write: () => Promise.reject(new Error('no disk')) },
      },
    }),
    byOperator,
    by: async (email) => {
      const found = await account(email);
      if (!found) throw new Error(`${email} has no account`);
      const signedIn: Caller = {
        ...anonymous,
        kind: 'member',
        credentialId: found.id,
        account: { id: found.id, email: found.email, emailKey: found.email_key },
      };
      const entered = await createEnterTenant(storage)(signedIn, tenantId);
      if (!entered) throw new Error(`${email} is no member`);
      return request(entered);
    },
    makeOwner: async (email) =>
      (await makeOwner(deps, tenantId, emailOf(email), undefined, byOperator())).row,
    invite: async (email, fields = {}) => {
      const wanted = { roleId: 'member', allProjects: undefined, projectIds: undefined, language: undefined };
      const invited = { email: emailOf(email), ...wanted, ...fields };
      return (await inviteMember(deps, tenantId, invited, byOperator())).row;
    },
    invitation: async (email) => {
      const newest = (await mails()).findLast(({ kind, to }) => kind === 'invitation' && to === email);
      if (newest?.kind !== 'invitation') throw new Error(`no invitation to ${email}`);
      return newest.link.slice(`${ORIGIN}/invitation/`.length);
    },
    mails,
    members: () => storage.tenants.read(tenantId, (db) => memberStore(db).all()),
    account,
    isIndexed: async (email) => {
      const found = await account(email);
      return (
        found !== undefined && storage.platform.read((db) => accountStore(db).isMember(found.id, tenantId))
      );
    },
    audited: () =>
      storage.tenants.read(tenantId, (db) =>
        db.prepare<[], string>('SELECT action FROM audit ORDER BY seq').pluck().all(),
      ),
  };
};
