// A new practice, as the operator or a member asks for it, with its first owner. The operator makes it for whomever he
// names, or for nobody yet; a member makes it for himself.
import type { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import type { Account, Caller } from '#src/kernel/access.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { type CreateTenantDeps, createTenant, type NewTenant } from './create.ts';
import type { Owner, TenantPeople } from './people.ts';
import { type createPracticeBody, type practiceSchema, presentPractice } from './schema.ts';
import type { PracticeRow } from './store.ts';

export interface PracticeDeps extends CreateTenantDeps {
  readonly people: TenantPeople;
}

type Wanted = z.output<typeof createPracticeBody>;

/** Each has keys, a host and a file; nobody runs more without talking to the operator. */
const PRACTICES_PER_ACCOUNT = 20;

const invalid = (path: string, error: string, message: string): AppError =>
  new AppError('invalid_request', error, { extra: { fields: [{ path, message }] } });

const operatorOnly = (what: string): AppError =>
  new AppError('forbidden', `Only the operator ${what}.`, {
    hint: 'Leave the field out, or ask the operator.',
    extra: { permission: 'operator' },
  });

const ownerOf = (
  people: TenantPeople,
  account: Account | null,
  { plan, owner_email, language }: Wanted,
  context: RequestContext,
): Owner | null => {
  const named = owner_email === undefined ? undefined : people.parseEmail(owner_email);
  if (named === null) {
    throw invalid(
      'body.owner_email',
      'The owner cannot be written to.',
      'expected one e-mail address, such as name@example.org',
    );
  }
  const spoken = { language: language ?? context.language, mailLanguage: language };
  if (account === null) return named === undefined ? null : { email: named.email, ...spoken };
  if (plan !== undefined) throw operatorOnly('chooses the plan of a new practice');
  if (named !== undefined && named.emailKey !== account.emailKey)
    throw operatorOnly('makes practices for others');
  return { email: account.email, ...spoken };
};

/** Throws `forbidden` and `conflict`; resolves with the practice as the API shows it. */
export const createPractice = async (
  deps: PracticeDeps,
  caller: Caller,
  wanted: Wanted,
  context: RequestContext,
): Promise<z.infer<typeof practiceSchema>> => {
  const { people, storage } = deps;
  const { account } = caller;
  const owner = ownerOf(people, account, wanted, context);
  const requireRoom = (db: PlatformDb): void => {
    if (account === null) return;
    if (people.countJoined(db, account.id) < PRACTICES_PER_ACCOUNT) return;
    throw new AppError('conflict', `You are a member of ${PRACTICES_PER_ACCOUNT} practices already.`, {
      hint: 'Leave one that you no longer need, or ask the operator.',
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
      if (owner) people.founding.inTenant(db, owner, context.change, row.created_at);
    },
    inRegistry: (db, row) => {
      // Once more: an invitation may have been accepted meanwhile.
      requireRoom(db);
      if (owner) people.founding.inRegistry(db, owner, row, account === null, row.created_at);
    },
  };
  const create = async (): Promise<PracticeRow> => {
    await storage.platform.read(requireRoom);
    return createTenant(deps, newTenant);
  };
  // One at a time: the keys of a host take the threads a while, and no more are made than there is room for.
  const practice = await (account === null ? create() : people.inTurn(account.id, create));
  people.tell();
  return presentPractice(practice, practice.created_at);
};
