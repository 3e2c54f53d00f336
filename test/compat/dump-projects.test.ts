// Who is limited to projects gets the suppressions of theirs in a foreign form too. No token is both limited and may see
// suppressions by now, so the routes are asked themselves.

import { expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { LookupDeps } from '#src/compat/vendor-b/lookups/lookups.ts';
import { suppressionLookups } from '#src/compat/vendor-b/lookups/suppression-routes.ts';
import {
  addSuppression,
  onRoute,
  type SuppressionPlace,
  wholeTeam,
} from '#src/feedback/suppressions/change.ts';
import { anonymous, type Caller, permissions } from '#src/kernel/access.ts';
import { newId } from '#src/kernel/id.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { testTenantKey } from '#test/support/keys.ts';
import { openTenantDb } from '#test/support/storage.ts';

test('the dump of a stream has those of the caller’s projects', async () => {
  const { db, tenantId, projectId } = await openTenantDb();
  const suppressionKey = testTenantKey(1);
  const routeId = newId();
  tenantStore(db).insertRoute({
    ...{ id: routeId, slug: 'of-mine', name: 'Of mine', type: 'transactional', project_id: projectId },
    ...{ is_default: 0, track_opens: 0, track_clicks: 0, plain_text_fallback: 1, created_at: 0 },
  });
  const suppress = (address: string, place: SuppressionPlace): void => {
    const row = {
      address: address as Address,
      place,
      reason: 'manual',
      sourceMessageId: null,
      note: null,
    } as const;
    addSuppression(db, suppressionKey, row, Date.now());
  };
  suppress('team@example.org', wholeTeam);
  suppress('project@example.org', { scope: 'project', projectId, routeId: null });
  suppress('route@example.org', onRoute(routeId));

  const deps = {
    shape: { base: '' },
    files: { read: async (_: string, work: (on: typeof db) => unknown) => work(db) },
  };
  const [dump = expect.fail('no dump')] = suppressionLookups({
    ...deps,
    suppressionKey,
  } as unknown as LookupDeps).filter(({ id }) => id === 'vendorbListSuppressions');
  const addressesFor = async (caller: Caller, query: object = {}): Promise<readonly string[]> => {
    const context = { tenantId, caller } as unknown as RequestContext;
    const request = { params: { stream: 'of-mine' }, query, body: undefined };
    const { body } = await dump.handle(request as never, context);
    const { Suppressions } = body as { readonly Suppressions: readonly { EmailAddress: string }[] };
    return Suppressions.map(({ EmailAddress }) => EmailAddress).sort();
  };
  const owner: Caller = { ...anonymous, permissions: new Set(permissions) };
  const all = ['project@example.org', 'route@example.org', 'team@example.org'];
  expect(await addressesFor(owner)).toEqual(all);
  expect(await addressesFor({ ...owner, projects: new Set([projectId]) })).toEqual(all.slice(0, 2));
  await expect(addressesFor({ ...owner, projects: new Set([newId()]) })).rejects.toThrow('no such stream');
});
