// A new practice with its first owner. The operator may name the owner or leave them out; a member who creates a practice
// becomes its owner.

import type { z } from 'zod';
import { accountStore } from '#src/accounts/entry/account-store.ts';
import { indexOwner, type NewOwner, welcomeOwner, writeOwner } from '#src/accounts/entry/owners.ts';
import type { Notices } from '#src/accounts/mails/outbox.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Account, Caller } from '#src/kernel/access.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { parseEmail } from '#src/mail/email.ts';
import { type CreateTenantDeps, createTenant, type NewTenant } from './create.ts';
import { type createPracticeBody, type practiceSchema, presentPractice } from './schema.ts';
import type { PracticeRow } from './store.ts';

export interface PracticeDeps extends CreateTenantDeps {
  readonly notices: Notices;
  /** The address at which owners sign in. */
  readonly origin: string;
  /** One new practice of an account after the other. */
  readonly queue: KeyedQueue;
}

type Wanted = z.output<typeof createPracticeBody>;

/** Each has keys, a host and a file; more than this takes a word with the operator. */
const PRACTICES_PER_ACCOUNT = 20;

const invalid = (path: string, error: Text, message: Text): AppError =>
  new AppError('invalid_request', error, { extra: { fields: [{ path, message }] } });

const operatorOnly = (what: Text): AppError =>
  new AppError('forbidden', what, {
    hint: say`Leave the field out, or ask the operator.`,
    extra: {},
  });

const ownerOf = (
  account: Account | null,
  { plan, owner_email, language }: Wanted,
  context: RequestContext,
): NewOwner | null => {
  const named = owner_email === undefined ? undefined : parseEmail(owner_email);
  if (named === null) {
    throw invalid(
      'body.owner_email',
      say`The owner cannot be written to.`,
      say`expected one e-mail address, such as name@example.org`,
    );
  }
  const spoken = { language: language ?? context.language, mailLanguage: language };
  if (account === null) return named === undefined ? null : { email: named.email, ...spoken };
  if (plan !== undefined) throw operatorOnly(say`Only the operator chooses the plan of a new practice.`);
  if (named !== undefined && named.emailKey !== account.emailKey)
    throw operatorOnly(say`Only the operator makes practices for others.`);
  return { email: account.email, ...spoken };
};

/** Throws `forbidden` and `conflict`; resolves with the practice as the API shows it. */
export const createPractice = async (
  deps: PracticeDeps,
  caller: Caller,
  wanted: Wanted,
  context: RequestContext,
): Promise<z.infer<typeof practiceSchema>> => {
  const { storage, notices } = deps;
  const account = caller.kind === 'operator' ? null : caller.account;
  const owner = ownerOf(account, wanted, context);
  const requireRoom = (db: PlatformDb): void => {
    if (account === null) return;
    if (accountStore(db).countJoined(account.id) < PRACTICES_PER_ACCOUNT) return;
    throw new AppError('conflict', say`You are a member of ${PRACTICES_PER_ACCOUNT} practices already.`, {
      hint: say`Leave one that you no longer need, or ask the operator.`,
    });
  };
  const newTenant: NewTenant = {
    name: wanted.name,
    plan: wanted.plan ?? 'test',
    customDomain: wanted.domain === undefined ? null : deps.hosts().requireCustomDomain(wanted.domain),
    inTenant: (db, row) => {
      const target = { type: 'practice', id: row.id };
      const after = presentPractice(row, row.created_at);
      auditStore(db).record(context.change, { target, before: null, after }, row.created_at);
      if (owner) writeOwner(db, owner, context.change, row.created_at);
    },
    inRegistry: (db, row) => {
      // Checked again, because an invitation may have been accepted meanwhile.
      requireRoom(db);
      if (owner === null) return;
      if (account === null) welcomeOwner(deps, db, owner, row, row.created_at);
      else indexOwner(db, owner, row.id, row.created_at);
    },
  };
  const create = async (): Promise<PracticeRow> => {
    await storage.platform.read(requireRoom);
    return createTenant(deps, newTenant);
  };
  // One at a time for each account: making keys blocks threads, and no more are made than there is room for.
  const practice = await (account === null ? create() : deps.queue(account.id, create));
  notices.wake();
  return presentPractice(practice, practice.created_at);
};
