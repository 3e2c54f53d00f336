// Whether and how a practice receives mail, over HTTP.
import { z } from 'zod';
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { Domains } from '#src/domains/open.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import type { Speak } from '#src/kernel/say.ts';
import { changeOptions, disableInbound, enableInbound, type SettingsDeps } from './settings.ts';
import { inboundSchema, patchInboundBody, presentInbound } from './settings-schema.ts';

export interface SettingsRoutesDeps extends SettingsDeps {
  readonly receiving: Domains['receiving'];
  readonly answering: Answering;
  /** Bytes of mail that a practice may keep. */
  readonly quotaBytes: () => number;
  /** ms for which the installation keeps mail received. */
  readonly retention: () => number;
  /** Called before the options change: see `setForwardTargets`. The function that it resolves with is called afterwards. */
  readonly hold: (tenantId: string) => Promise<() => void>;
}

const version = ({ options }: z.output<typeof inboundSchema>): unknown => options;
const shared = { tag: 'Inbound mail', stability: 'stable', params: tenantParams } as const;
const one = { description: 'As it is from now on.', body: inboundSchema };
const emptyBody = z
  .strictObject({})
  .optional()
  .meta({ examples: [{}] });

export const settingsRoutes = (deps: SettingsRoutesDeps): Route[] => {
  const { storage, clock, receiving, answering, quotaBytes, retention, hold } = deps;
  const present = (db: TenantDb, speak: Speak) =>
    presentInbound(db, receiving.hosts(db), {
      quotaBytes: quotaBytes(),
      retention: retention(),
      dnsProvider: receiving.dnsProvider,
      answering,
      speak,
    });
  const show = (id: string, speak: Speak) => storage.tenants.read(id, (db) => present(db, speak));
  const afterwards =
    (change: typeof enableInbound) =>
    async ({ params: { id } }: { params: { id: string } }, context: RequestContext) => {
      await change(deps, id, context.change);
      return { status: 200, body: await show(id, context.speak) };
    };
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/inbound',
      id: 'getInbound',
      summary: 'Whether and how mail is received',
      version,
      access: 'inbound.view',
      responses: { 200: { description: 'As it is now.', body: inboundSchema } },
      handle: async ({ params }, { speak }) => ({ status: 200, body: await show(params.id, speak) }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/inbound/enable',
      id: 'enableInbound',
      summary: 'Receive mail',
      description:
        'At the host `in.` below the managed host, and below the custom domain in use. The MX of a custom domain is published by its owner, see `records`; that of the domain itself stays as it is. From now on mail without `reply_to` has the answered `reply_address` in Reply-To; `reply_address` and `add_reply_to` of practice, project and route change that.',
      access: 'inbound.manage',
      audit: 'inbound.enable',
      body: emptyBody,
      responses: { 200: one },
      handle: afterwards(enableInbound),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/inbound/disable',
      id: 'disableInbound',
      summary: 'Receive no more mail',
      description: 'Mail that was received and all options are kept.',
      access: 'inbound.manage',
      audit: 'inbound.disable',
      body: emptyBody,
      responses: { 200: one },
      handle: afterwards(disableInbound),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/inbound/check',
      id: 'checkInbound',
      summary: 'Look at the records of the receiving hosts in the DNS',
      description: 'Checks all sending hosts, as `check-dns` does. At most 12 times a minute.',
      access: 'inbound.manage',
      audit: { none: 'the check records what it changes as `domain.verify`' },
      body: emptyBody,
      responses: { 200: { description: 'What was found.', body: inboundSchema } },
      errors: ['conflict', 'rate_limited'],
      handle: async ({ params: { id } }, { change, speak }) => {
        await receiving.check(id, { ...change, action: 'domain.verify' });
        return { status: 200, body: await show(id, speak) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: '/api/practices/{id}/inbound',
      id: 'updateInbound',
      summary: 'Change how mail is received',
      version,
      description:
        'Absent fields stay as they are; lists are replaced. Applies to mail that comes from now on, and `retention_days` to all. Another `forward_to` also needs `messages.view_content`, and no token that expires or is limited to addresses can set it.',
      access: 'inbound.manage',
      audit: 'inbound.update',
      body: patchInboundBody,
      responses: { 200: one },
      handle: async ({ params: { id }, body }, request) => {
        const { change, caller, speak } = request;
        const release = await hold(id);
        try {
          const changed = await storage.tenants.write(id, (db) => {
            requireCurrent(db, request, present(db, speak), { targetId: id, actions: [change.action] });
            const hosts = receiving.hosts(db).map(({ host }) => host);
            const bounds = { retention: retention(), hosts };
            changeOptions(db, id, body, bounds, { change, caller, now: clock.now() });
            return present(db, speak);
          });
          return { status: 200, body: changed };
        } finally {
          release();
        }
      },
    }),
  ];
};
