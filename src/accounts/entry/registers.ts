// The registry's rows of a tenant's people and tokens, made again from its file. An account is that of its address: one that the
// registry has stays as it is; a new one has a new id and no password, and its owner signs in by a code.
import type { Registers } from '#src/kernel/registers.ts';
import { accountStore, invitationStore } from './account-store.ts';
import { memberStore } from './member-store.ts';
import { credentialStore, tokenStore } from './token-store.ts';

export const registerEntry: Registers = (tenant, { tenantId, now, note }) => {
  const tokens = tokenStore(tenant).all();
  const members = memberStore(tenant).all();
  return (db) => {
    const credentials = credentialStore(db);
    const known = new Set(tokens.map(({ id }) => id));
    for (const id of credentials.ofTenant(tenantId))
      if (!known.has(id)) credentials.revoke(id, tenantId, now);
    for (const { id, hash, project_id, name, expires_at, allowed_json, created_at } of tokens) {
      const row = { token_id: id, tenant_id: tenantId, project_id, name, expires_at, allowed_json };
      credentials.register({ ...row, hash, created_at });
      const holder = credentials.find(hash)?.tenant_id;
      if (holder !== tenantId) note(`The API token ${name} opens practice ${holder}, which has it already.`);
    }
    const accounts = accountStore(db);
    const keys = new Set(members.map(({ email_key }) => email_key));
    for (const account of accounts.ofTenant(tenantId))
      if (!keys.has(account.email_key)) accounts.leave(account.id, tenantId);
    for (const {
      email,
      email_key,
      language,
      created_at,
      invitation_hash,
      invitation_expires_at,
    } of members) {
      const account = accounts.ensure(email, email_key, language, created_at);
      accounts.join(account.id, tenantId);
      if (invitation_hash === null || invitation_expires_at === null)
        invitationStore(db).remove(account.id, tenantId);
      else
        invitationStore(db).put({
          hash: invitation_hash,
          account_id: account.id,
          tenant_id: tenantId,
          expires_at: invitation_expires_at,
        });
    }
    credentials.forget();
  };
};
