// What practices ask about the people in them. The answers are people/'s and are handed in by app.ts: neither ledger
// knows the other's tables.

import type { Account } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';

export interface Owner {
  readonly email: string;
  /** Where the address is new. */
  readonly language: Language;
  /** Of the mail, where it is not to be the account's. */
  readonly mailLanguage: Language | undefined;
}

export interface TenantPeople {
  /** Null where the text is not one bare address. */
  parseEmail(text: string): { readonly email: string; readonly emailKey: string } | null;
  /** Where to look for the account, by tenants' numbers after `afterNumber`. */
  practicesOf(
    db: PlatformDb,
    accountId: string,
    afterNumber: number,
    limit: number,
  ): readonly { readonly number: number; readonly tenant_id: string }[];
  /** Of how many practices the account is a member; what others invite it to does not count. */
  countJoined(db: PlatformDb, accountId: string): number;
  /** Runs `work` after all that was handed in for that account before. */
  inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T>;
  isActiveMember(db: TenantDb, account: Account): boolean;
  /** `members` counts invited ones; `owners` are addresses, of active ones. */
  summary(db: TenantDb): { readonly members: number; readonly owners: readonly string[] };
  /** The first owner, written in the two transactions that make the practice. */
  readonly founding: {
    inTenant(db: TenantDb, owner: Owner, change: Change, now: number): unknown;
    /** `welcome`: whether the owner is told by mail. */
    inRegistry(
      db: PlatformDb,
      owner: Owner,
      practice: { readonly id: string; readonly name: string },
      welcome: boolean,
      now: number,
    ): void;
  };
  /** After the commit: people may have to be told. */
  tell(): void;
}
