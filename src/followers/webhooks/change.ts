// Makes, changes and removes webhooks and rotates their secrets, each in the transaction that also writes the audit. The address
// is checked before that, because this may ask the DNS. The queue is woken by each commit and reads in the file what changed.

import { requirePermission, requireUnlimited } from '#src/accounts/entry/enter.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Following } from '#src/events/follow.ts';
import { followStore } from '#src/events/follow-store.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import { active, disabledFor } from '#src/followers/disabling.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { type Outbound, requireUsable } from '#src/kernel/outbound/outbound.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { FORMER_SECRET_MS } from '#src/kernel/secret.ts';
import type { Clock } from '#src/kernel/time.ts';
import { catchUp } from './fan-out.ts';
import { auditedWebhook, presentWebhook } from './present.ts';
import { makeSecret, openFor, sealFor } from './sign.ts';
import { type WebhookRow, webhookStore } from './store.ts';

export interface WebhookDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  /** 32 bytes, derived for webhooks alone. */
  readonly key: SealingKey;
  readonly outbound: Pick<Outbound, 'refusalOf'>;
  readonly following: Pick<Following, 'hold'>;
}

/** Each event is matched with each webhook, and they are listed on one page. */
export const MAX_WEBHOOKS = 50;

/**
 * Batches read before the wanted events change: a webhook that is not far behind has next to nothing to read. What is left then
 * is delivered as it is wanted from then on.
 */
const BATCHES_TO_CATCH_UP = 20;

export interface GivenWebhook {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly inbound_mail: WebhookRow['inbound_mail'];
}

type Author = Pick<RequestContext, 'change' | 'caller'>;

type Wanted = { readonly [K in keyof GivenWebhook]?: GivenWebhook[K] | undefined } & {
  readonly status?: WebhookRow['status'] | undefined;
};

/** The receiver of mails reads the mailbox: who decides on it must be allowed to, without an end. Throws `forbidden`. */
const requireMailbox = (
  db: TenantDb,
  caller: Caller,
  { events, inbound_mail }: Pick<GivenWebhook, 'events' | 'inbound_mail'>,
): void => {
  if (events.includes('inbound.received')) requirePermission(db, caller, 'inbound.view');
  if (inbound_mail !== 'whole') return;
  for (const needed of ['inbound.view', 'messages.view_content'] as const)
    requirePermission(db, caller, needed);
  requireUnlimited(db, caller);
};

/** Throws `not_found`. */
export const webhookOf = (db: TenantDb, id: string): WebhookRow => {
  const row = webhookStore(db).byId(id);
  if (!row) throw new AppError('not_found', say`There is no such webhook.`);
  return row;
};

const record = (
  db: TenantDb,
  change: Change,
  now: number,
  [before, after]: readonly [before: { id: string } | null, after: { id: string } | null],
): void => {
  const id = (after ?? before)?.id ?? '';
  auditStore(db).record(change, { target: { type: 'webhook', id }, before, after }, now);
};

/**
 * The registry knows first that this practice is followed. A crash in between leaves a file that is looked at once for nothing,
 * whose turn takes that back. Throws `invalid_request`, `forbidden` and `conflict`.
 */
export const createWebhook = async (
  deps: WebhookDeps,
  tenantId: string,
  { name, url, events, inbound_mail }: GivenWebhook,
  { change, caller }: Author,
): Promise<{ row: WebhookRow; secret: string }> => {
  const { files, clock, key, following } = deps;
  await requireUsable(deps.outbound, url);
  const [id, secret] = [newId(), makeSecret()];
  const release = await following.hold('webhooks', tenantId);
  try {
    const row = await files.write(tenantId, (db) => {
      const now = clock.now();
      const store = webhookStore(db);
      requireMailbox(db, caller, { events, inbound_mail });
      if (store.count() >= MAX_WEBHOOKS)
        throw new AppError('conflict', say`A practice has at most ${MAX_WEBHOOKS} webhooks.`, {
          hint: say`Delete one that is not used any more, or add the events to one that is there.`,
        });
      store.insert({
        id,
        name,
        sealed_url: sealFor(key, 'url', id, url),
        events_json: JSON.stringify(events),
        inbound_mail,
        sealed_secret: sealFor(key, 'secret', id, secret),
        after_seq: followStore(db).last(),
        created_at: now,
      });
      const made = webhookOf(db, id);
      record(db, change, now, [null, auditedWebhook(made, key, now)]);
      return made;
    });
    return { row, secret };
  } finally {
    release();
  }
};

const NEW_START = { failing_since: null, last_error: null } as const;

/** One that is disabled already keeps the reason why. */
const withStatus = (row: WebhookRow, status: Wanted['status'], now: number): WebhookRow => {
  if (status === 'active') return { ...row, ...NEW_START, ...active };
  if (status === 'disabled' && row.status === 'active') return { ...row, ...disabledFor('manual', now) };
  return row;
};

/** The failures of another address say nothing about this one. */
const withUrl = (row: WebhookRow, url: string | undefined, key: SealingKey): WebhookRow => {
  if (url === undefined || url === openFor(key, 'url', row.id, row.sealed_url)) return row;
  const start = row.status === 'active' ? NEW_START : {};
  return { ...row, ...start, sealed_url: sealFor(key, 'url', row.id, url) };
};

/**
 * A field that is absent stays as it is. Deliveries that are pending go to the new address; other events count from
 * now on. Throws `not_found`, `forbidden` and `invalid_request`.
 */
export const changeWebhook = async (
  deps: WebhookDeps,
  tenantId: string,
  webhookId: string,
  wanted: Wanted,
  { change, caller, otherVersion }: Author & Pick<RequestContext, 'otherVersion'>,
): Promise<WebhookRow> => {
  const { files, clock, key } = deps;
  const { url } = wanted;
  if (url !== undefined) await requireUsable(deps.outbound, url);
  for (let batches = 0; batches < BATCHES_TO_CATCH_UP; batches++)
    if (!(await files.write(tenantId, (db) => catchUp(db, clock.now())))) break;
  return files.write(tenantId, (db) => {
    const now = clock.now();
    const before = webhookOf(db, webhookId);
    requireCurrent(db, { otherVersion }, presentWebhook(before, key, now), {
      targetId: webhookId,
      actions: ['webhook.create', 'webhook.update'],
    });
    const { name = before.name, inbound_mail = before.inbound_mail, status } = wanted;
    const events: readonly string[] = wanted.events ?? JSON.parse(before.events_json);
    const isNewReader = url !== undefined || wanted.inbound_mail !== undefined || wanted.events !== undefined;
    if (isNewReader) requireMailbox(db, caller, { events, inbound_mail });
    const after: WebhookRow = {
      ...withUrl(withStatus(before, status, now), url, key),
      name,
      events_json: JSON.stringify(events),
      inbound_mail,
    };
    catchUp(db, now);
    webhookStore(db).update(after);
    record(db, change, now, [auditedWebhook(before, key, now), auditedWebhook(after, key, now)]);
    return after;
  });
};

/**
 * A new secret signs from now on, and the former one beside it for a day unless it is revoked; one that was former until now
 * signs no more. Throws `not_found`.
 */
export const rotateSecret = async (
  { files, clock, key }: WebhookDeps,
  tenantId: string,
  webhookId: string,
  revokePrevious: boolean,
  change: Change,
): Promise<{ row: WebhookRow; secret: string }> => {
  const secret = makeSecret();
  const row = await files.write(tenantId, (db) => {
    const now = clock.now();
    const before = webhookOf(db, webhookId);
    const after: WebhookRow = {
      ...before,
      sealed_secret: sealFor(key, 'secret', before.id, secret),
      sealed_former: revokePrevious ? null : before.sealed_secret,
      former_until: revokePrevious ? null : now + FORMER_SECRET_MS,
    };
    webhookStore(db).setSecret(after);
    // Two rotations in a row would look alike without it.
    const shown = { ...auditedWebhook(after, key, now), previous_secret_revoked: revokePrevious };
    record(db, change, now, [auditedWebhook(before, key, now), shown]);
    return after;
  });
  return { row, secret };
};

/** The webhook is gone at once; its deliveries go after it, some at a time. Throws `not_found`. */
export const removeWebhook = async (
  { files, clock, key }: WebhookDeps,
  tenantId: string,
  webhookId: string,
  change: Change,
): Promise<void> => {
  await files.write(tenantId, (db) => {
    const now = clock.now();
    const row = webhookOf(db, webhookId);
    webhookStore(db).markRemoved(row.number, now);
    record(db, change, now, [auditedWebhook(row, key, now), null]);
  });
};
