// What the public pages find out of a request: whose page its link names, and who follows it.
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { clientOf, machineOf } from '#src/feedback/tracking/machines.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';

/** What a token names; null where the tenant is gone. */
export const namedBy = (
  { storage }: Pick<AudienceContext, 'storage'>,
  target: ReturnPathTarget | null,
): { readonly tenantId: string; readonly tenantNumber: number; readonly row: number } | null => {
  const tenant = target && storage.platform.peek((db) => registryStore(db).anyByNumber(target.tenantNumber));
  return target && tenant
    ? { tenantId: tenant.id, tenantNumber: tenant.number, row: target.recipientId }
    : null;
};

/** Who uses a link or form, for the evidence. */
export interface Visitor {
  readonly ip: string;
  /** Null: it names none. */
  readonly userAgent: string | null;
  /** Id of the rule that recognised a machine; null: none did. */
  readonly machine: string | null;
}

export const visitorOf = (context: RequestContext): Visitor => {
  const client = clientOf(context);
  const { method, clientAddress } = context;
  // A machine follows links; a POST is the page's button, and its agent is all there is to judge it by.
  const asked = method === 'POST' ? 'GET' : method;
  return {
    ip: clientAddress,
    userAgent: client.userAgent === '' ? null : client.userAgent,
    machine: machineOf({ kind: 'click', method: asked, ...client }),
  };
};
