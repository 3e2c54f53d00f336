// Whom the service writes to about a practice: its owners, each in the language of their account.
import type { Storage } from '#src/kernel/db/storage.ts';
import type { Language } from '#src/kernel/language.ts';
import { accountStore } from './account-store.ts';
import { memberStore } from './member-store.ts';

export interface PracticeOwner {
  readonly email: string;
  readonly language: Language;
}

/** Active ones only, in the order in which they joined; none for the service's own practice. */
export const practiceOwners =
  ({ platform, tenants }: Pick<Storage, 'platform' | 'tenants'>) =>
  async (tenantId: string): Promise<PracticeOwner[]> => {
    const owners = await tenants.read(tenantId, (db) =>
      memberStore(db)
        .owners()
        .filter(({ status }) => status === 'active'),
    );
    return platform.read((db) =>
      owners.flatMap(({ email_key }) => {
        const account = accountStore(db).byEmail(email_key);
        return account === undefined ? [] : [{ email: account.email, language: account.language }];
      }),
    );
  };
