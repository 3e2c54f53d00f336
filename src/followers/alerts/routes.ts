// Chat alerts over HTTP. They report all projects, so a caller that is limited to some neither sees nor changes any.

import { z } from 'zod';
import { requirePermission } from '#src/accounts/entry/enter.ts';
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Following } from '#src/events/follow.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import type { Caller } from '#src/kernel/access.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { memberLanguageOf } from '#src/kernel/language.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { createTestBounds, type Outbound, requireUsable } from '#src/kernel/outbound/outbound.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { Clock } from '#src/kernel/time.ts';
import { alertOf, changeAlert, createAlert, removeAlert } from './change.ts';
import { gather } from './claim.ts';
import { post } from './forms.ts';
import { errorOf } from './rules.ts';
import {
  alertSchema,
  alertVersion,
  createAlertBody,
  openUrl,
  patchAlertBody,
  presentAlert,
  testSchema,
} from './schema.ts';
import { alertStore } from './store.ts';
import { testMessage } from './words.ts';

export interface AlertRoutesDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly following: Pick<Following, 'hold' | 'wake'>;
  /** 32 bytes, derived for alerts alone. */
  readonly key: SealingKey;
  /** ms from an event to its message. */
  readonly gatherFor: () => number;
  readonly service: { readonly name: string; readonly origin: string };
}

const alertParams = z.strictObject({ ...tenantParams.shape, alertID: idSchema });

const requireRights = (caller: Caller): void => requireAllProjects(caller, 'webhooks.manage', say`An alert`);
/** An alert says how much mail came, and who answered messages. Throws `forbidden`. */
const requireMailbox = (db: TenantDb, caller: Caller, events: readonly string[] = []): void => {
  if (events.includes('inbound.received')) requirePermission(db, caller, 'inbound.view');
};

export const alertRoutes = (deps: AlertRoutesDeps): Route[] => {
  const { files, clock, outbound, following, key, gatherFor, service } = deps;
  const inTestBounds = createTestBounds(clock, 'Alerts');
  const shared = { tag: 'Alerts', access: 'webhooks.manage', stability: 'stable' } as const;
  const one = { description: 'The alert.', body: alertSchema };

  /** The log so far is summed up as the alerts are now. */
  const catchUp = async (id: string): Promise<void> => {
    while ((await files.write(id, (db) => gather(db, 0, gatherFor()))).more);
  };

  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/alerts',
      id: 'listAlerts',
      summary: 'Chat alerts',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'All, in the order they were made.', body: listOf(alertSchema) } },
      handle: async ({ params, query }, { caller }) => {
        requireRights(caller);
        const rows = await files.read(params.id, (db) => alertStore(db).all());
        return { status: 200, body: pageOf(rows, query, (row) => presentAlert(row, key)) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/alerts',
      id: 'createAlert',
      summary: 'Create a chat alert',
      description:
        'What happens within `alerts.gather` (a minute) is one message with numbers. It names no subject, no content and no whole address. While the chat tool fails, all that happens meanwhile is gathered into the one message that is tried again.',
      audit: 'alert.create',
      params: tenantParams,
      body: createAlertBody,
      responses: { 201: one },
      errors: ['conflict'],
      handle: async ({ params: { id }, body }, { caller, change, language }) => {
        requireRights(caller);
        await requireUsable(outbound, body.url);
        const wanted = { ...body, language: body.language ?? memberLanguageOf(language) };
        // The registry knows first: a crash in between leaves a tenant whose file is looked at once for nothing.
        const release = await following.hold('alerts', id);
        try {
          const row = await files.write(id, (db) => {
            requireMailbox(db, caller, wanted.events);
            return createAlert(db, wanted, { change, now: clock.now(), key });
          });
          return { status: 201, body: presentAlert(row, key) };
        } finally {
          release();
          following.wake('alerts', id);
        }
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/alerts/{alertID}',
      id: 'getAlert',
      summary: 'A chat alert',
      version: alertVersion,
      params: alertParams,
      responses: { 200: one },
      handle: async ({ params }, { caller }) => {
        const row = await files.read(params.id, (db) => alertOf(db, params.alertID));
        requireRights(caller);
        return { status: 200, body: presentAlert(row, key) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: '/api/practices/{id}/alerts/{alertID}',
      id: 'updateAlert',
      summary: 'Change, disable or enable a chat alert',
      audit: 'alert.update',
      version: alertVersion,
      params: alertParams,
      body: patchAlertBody,
      responses: { 200: one },
      handle: async ({ params, body }, { caller, change, otherVersion }) => {
        const { id, alertID } = params;
        await files.read(id, (db) => alertOf(db, alertID));
        requireRights(caller);
        if (body.url !== undefined) await requireUsable(outbound, body.url);
        await catchUp(id);
        const row = await files.write(id, (db) => {
          requireMailbox(db, caller, body.events);
          const former = alertOf(db, alertID);
          requireCurrent(db, { otherVersion }, presentAlert(former, key), {
            targetId: alertID,
            actions: ['alert.create', 'alert.update'],
          });
          gather(db, 0, gatherFor());
          return changeAlert(db, alertOf(db, alertID), body, { change, now: clock.now(), key });
        });
        following.wake('alerts', id);
        return { status: 200, body: presentAlert(row, key) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: '/api/practices/{id}/alerts/{alertID}',
      id: 'deleteAlert',
      summary: 'Delete a chat alert',
      audit: 'alert.delete',
      params: alertParams,
      responses: { 204: { description: 'It is gone, with what it had gathered.' } },
      handle: async ({ params }, { caller, change }) => {
        await files.write(params.id, (db) => {
          const row = alertOf(db, params.alertID);
          requireRights(caller);
          removeAlert(db, row, { change, now: clock.now(), key });
        });
        following.wake('alerts', params.id);
        return { status: 204 };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/alerts/{alertID}/test',
      id: 'testAlert',
      summary: 'Send a test message to the chat',
      description: 'At once and once, also while the alert is disabled; nothing of it changes.',
      audit: { none: 'nothing is stored' },
      params: alertParams,
      query: z.strictObject({}),
      responses: { 200: { description: 'What became of it.', body: testSchema } },
      errors: ['rate_limited'],
      handle: async ({ params }, { caller }) => {
        const { row, practice } = await files.read(params.id, (db) => ({
          row: alertOf(db, params.alertID),
          practice: tenantStore(db).practice().name,
        }));
        requireRights(caller);
        const { id, kind, name, language } = row;
        const link = dashboardLink(service.origin, { practice: params.id, page: 'overview' });
        const setting = { practice, language, service: service.name, link };
        const message = testMessage({ name, events: JSON.parse(row.events_json) }, setting);
        const target = { id: `test ${id}`, kind, url: openUrl(key, row) };
        const outcome = await inTestBounds(params.id, () => post(outbound, target, message));
        const error = errorOf(outcome);
        const response_status = outcome.kind === 'answered' ? outcome.status : null;
        return { status: 200, body: { delivered: error === null, response_status, error } };
      },
    }),
  ];
};
