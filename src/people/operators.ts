// Operators who sign in: people whose address the configuration names. In a tenant of which they are an active member they
// are that member, as long as the member's permissions suffice, so that work in one's own practice looks the same to everyone
// in it. Everywhere else they take the operator's rights, for the one request, and its owners can see in their audit who looked in.

import { auditStore } from '#src/events/audit-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { idFrom } from '#src/kernel/id.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import { type PersonEmail, parseEmail } from '#src/mail/email.ts';

/** The operator's address as the configuration has it; undefined where the key is that of none. */
export type FindOperator = (emailKey: string) => PersonEmail | undefined;

/** `named` is asked each time: who is taken out of the configuration is no operator from then on. */
export const createFindOperator = (named: () => readonly string[]): FindOperator => {
  let readFrom: readonly string[] = [];
  let byKey = new Map<string, PersonEmail>();
  return (emailKey) => {
    const addresses = named();
    if (addresses !== readFrom) {
      readFrom = addresses;
      byKey = new Map(addresses.flatMap((text) => parseEmail(text) ?? []).map((one) => [one.emailKey, one]));
    }
    return byKey.get(emailKey);
  };
};

/**
 * Leaves an entry in the audit of a tenant that an operator's session enters: one for each session, tenant and UTC day, also
 * after a restart, because its id is made of them. Resolves once it is durable.
 */
export const createNoteEntrance = (tenants: TenantFiles, clock: Clock) => {
  let noted = new Set<string>();
  let notedOn = 0;
  return async (tenantId: string, { credentialId }: Caller, change: Change): Promise<void> => {
    const now = clock.now();
    const day = Math.floor(now / DAY);
    if (day !== notedOn) noted = new Set();
    notedOn = day;
    const id = idFrom('operator.enter', credentialId, tenantId, day);
    if (noted.has(id)) return;
    await tenants.write(tenantId, (db) => {
      if (auditStore(db).has(id)) return;
      // A change of its own: it does not count as the entry of what the request changes.
      const entrance = { ...change, action: 'operator.enter', recorded: false };
      const after = { session_id: credentialId };
      auditStore(db).record(
        entrance,
        { target: { type: 'practice', id: tenantId }, before: null, after },
        now,
        id,
      );
    });
    noted.add(id);
  };
};
