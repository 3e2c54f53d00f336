// Reads the facts for the go-live checklist and the wizard from a practice's file.

import { memberStore } from '#src/accounts/entry/member-store.ts';
import { tokenStore } from '#src/accounts/entry/token-store.ts';
import { legalOf } from '#src/accounts/tenants/legal.ts';
import { sendingHost } from '#src/accounts/tenants/schema.ts';
import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import { lastCheck } from '#src/domains/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { GoLiveFacts } from './rules.ts';
import { insightStore } from './store.ts';

/** Facts about the installation, the same for all practices. */
export interface Installation {
  readonly publicOrigin: string;
  readonly deliveringUpstreams: readonly string[];
}

export interface PracticeFacts extends GoLiveFacts {
  readonly practice: PracticeRow;
  readonly hasToken: boolean;
  /** Includes members who are only invited. */
  readonly members: number;
}

export const practiceFacts = (db: TenantDb, installation: Installation, now: number): PracticeFacts => {
  const practice = tenantStore(db).practice();
  const host = sendingHost(practice);
  const kind = practice.custom_domain === null ? 'managed' : 'custom';
  return {
    ...installation,
    practice,
    legal: legalOf(practice),
    pendingDomain: practice.pending_domain,
    host,
    kind,
    lastCheck: kind === 'managed' ? null : lastCheck(db, host),
    relayedBy: insightStore(db).relayedBy(),
    activeOwners: memberStore(db)
      .owners()
      .filter(({ status }) => status === 'active').length,
    plan: practice.plan,
    isApproved: practice.approved_at !== null,
    isHeld: practice.safe_mode_held === 1,
    hasToken: tokenStore(db)
      .all()
      .some(({ expires_at }) => expires_at === null || expires_at > now),
    members: memberStore(db).count(),
  };
};
