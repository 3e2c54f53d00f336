// The mails about forwarding: each address is asked whether it wants the mail, and owners are notified where one gets no more.
// What is to be written is in the tenant's file until the mail is in the outbox; after a crash in between it is enqueued again,
// under the same id. An address that may not be asked at the moment is asked in the nightly round.
//
// No one can be flooded with questions: a mailbox is asked once an hour, by whichever tenant, and a tenant asks few a day, fewer at
// one domain, whose addresses may all be the same person's, and each mailbox `MAX_ASKS` times.

import { createOwnerNotifier, notifyOwners, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { systemChange } from '#src/kernel/change.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createFollowUps } from '#src/kernel/follow-ups.ts';
import { defaultLanguage } from '#src/kernel/language.ts';
import { createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import { DAY, HOUR, SECOND } from '#src/kernel/time.ts';
import { addressDomain, mailboxOf } from '#src/mail/address.ts';
import { encodeForwardToken, FORWARD_PATH } from '#src/mail/copy-links.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { askStore, type TargetRow, targetStore } from './target-store.ts';
import {
  asksOf,
  BOUNCED,
  CONFIRM_WITHIN_MS,
  DECLINED,
  MAX_ASKS,
  removeOldTargets,
  setStatus,
} from './targets.ts';

const perMailbox: RateLimit = { perSecond: SECOND / HOUR, burst: 1 };
const aDay = (burst: number): RateLimit => ({ perSecond: burst / (DAY / SECOND), burst });
const perTenant = aDay(50);
const perDomain = aDay(10);

/** Why an address is not asked. */
type Hindrance = 'paused' | 'safe_mode' | 'suppressed' | 'asked_enough';

export interface AskDeps extends OwnerNoticesDeps {
  /** Derived for the purpose `forwarding`. */
  readonly key: TokenKeys;
  /** Its file has the mails that ask. */
  readonly systemTenantId: () => string | null;
  /** Why the tenant may not write to the address at all at the moment. */
  readonly hindranceOf: (db: TenantDb, address: Address) => Hindrance | null;
}

const isToBeAsked = ({ status, asked_at }: TargetRow): boolean =>
  status === 'unconfirmed' && asked_at === null;

export const createForwardMails = (deps: AskDeps) => {
  const { files, platform, notices, ownersOf, clock, log, origin, key, systemTenantId, hindranceOf } = deps;
  const limiter = createRateLimiter();

  const ask = async (tenantId: string): Promise<void> => {
    const { practice, waiting } = await files.read(tenantId, (db) => {
      const asks = asksOf(db);
      const whyNot = ({ address }: TargetRow): Hindrance | null =>
        asks(address) >= MAX_ASKS ? 'asked_enough' : hindranceOf(db, address as Address);
      const rows = targetStore(db).all().filter(isToBeAsked);
      return {
        practice: tenantStore(db).practice(),
        waiting: rows.map((row) => ({ ...row, hindrance: whyNot(row) })),
      };
    });
    const now = clock.now();
    const mayAsk = ({ address }: TargetRow): boolean =>
      limiter.take(`mailbox ${mailboxOf(address)}`, now, perMailbox).allowed &&
      limiter.take(`domain ${tenantId} ${addressDomain(address as Address)}`, now, perDomain).allowed &&
      limiter.take(`tenant ${tenantId}`, now, perTenant).allowed;
    const asked = waiting.filter((row) => row.hindrance === null && mayAsk(row));
    const shown = waiting.filter(({ failure, hindrance }) => failure !== hindrance);
    if (asked.length + shown.length === 0) return;
    const [owner] = await ownersOf(tenantId);
    await platform.write((db) => {
      for (const { seq, address, asks } of asked) {
        const token = encodeForwardToken(key, { tenantNumber: practice.number, recipientId: seq });
        const content = {
          kind: 'forward_confirmation',
          practice: practice.name,
          link: `${origin}${FORWARD_PATH}?t=${token}`,
          expiresAt: now + CONFIRM_WITHIN_MS,
        } as const;
        const owners = [{ email: address, language: owner?.language ?? defaultLanguage }];
        notifyOwners(notices, db, { tenantId, owners, content, occasion: [seq, asks] }, now);
      }
    });
    notices.wake();
    await files.write(tenantId, (db) => {
      const store = targetStore(db);
      for (const { seq, hindrance } of shown) {
        const row = store.bySeq(seq);
        if (row && isToBeAsked(row)) store.update({ ...row, failure: hindrance });
      }
      for (const { seq, asks } of asked) {
        const row = store.bySeq(seq);
        if (row) store.update({ ...row, asks: asks + 1, asked_at: now });
      }
    });
    // The mail may have come back before that was written.
    noting.run(tenantId);
  };

  /** Tenants with addresses that were asked and have not answered. After a start the nightly round finds them. */
  const open = new Set<string>();

  /** An address whose mail came back has failed. Nothing was forwarded there, so that owners get no mail about it. */
  const noteBounces = async (tenantId: string): Promise<void> => {
    const asked = await files.read(tenantId, (db) =>
      targetStore(db)
        .all()
        .filter(({ status, asked_at }) => status === 'unconfirmed' && asked_at !== null),
    );
    if (asked.length === 0) open.delete(tenantId);
    else open.add(tenantId);
    const systemId = systemTenantId();
    if (asked.length === 0 || systemId === null) return;
    const bounced = await files.read(systemId, (db) =>
      asked.flatMap(({ seq, address, asked_at }) => {
        const found = askStore(db).bounced(address, asked_at ?? 0);
        return found ? [{ seq, asked_at, failure: found.diagnostic ?? BOUNCED }] : [];
      }),
    );
    if (bounced.length === 0) return;
    const now = clock.now();
    await files.write(tenantId, (db) => {
      for (const { seq, asked_at, failure } of bounced) {
        const row = targetStore(db).bySeq(seq);
        if (row?.status !== 'unconfirmed' || row.asked_at !== asked_at) continue;
        const by = { change: systemChange('inbound.forward_target'), now };
        setStatus(db, row, { status: 'failed', failure }, by, 'owners are not notified');
      }
    });
  };

  const noting = createFollowUps(noteBounces, (error, tenantId) =>
    log.warn(
      { err: error, tenant: tenantId },
      'it could not be found out which addresses did not get the mail',
    ),
  );
  const endWatch = files.watch((id) => {
    if (id === systemTenantId()) for (const tenantId of open) noting.run(tenantId);
  });

  const asking = createFollowUps(ask, (error, tenantId) =>
    log.warn(
      { err: error, tenant: tenantId },
      'addresses could not be asked whether mail may be forwarded to them',
    ),
  );
  const owners = createOwnerNotifier(deps, {
    find: (tenantId) =>
      files.read(tenantId, (db) =>
        targetStore(db)
          .all()
          .filter(({ owners_told }) => owners_told === 0)
          .map((row) => ({
            row,
            content: {
              kind: 'forward_ended' as const,
              practice: tenantStore(db).practice().name,
              target: row.address,
              at: row.changed_at,
              reason: row.failure === DECLINED ? null : row.failure,
              link: dashboardLink(origin, { practice: tenantId, page: 'inbox' }),
            },
            occasion: [row.seq, row.changed_at],
          })),
      ),
    mark: (db, { row }) => {
      const known = targetStore(db).bySeq(row.seq);
      if (known?.changed_at === row.changed_at) targetStore(db).update({ ...known, owners_told: 1 });
    },
    failure: 'owners could not be notified that a forwarding has ended',
  });

  return {
    /** Targets may be new, or have failed. Harmless at any time. */
    wake: (tenantId: string): void => {
      asking.run(tenantId);
      owners.run(tenantId);
    },
    /** The nightly round calls it. */
    look: async (tenantId: string): Promise<void> => {
      const targets = await files.read(tenantId, (db) => targetStore(db).all());
      if (targets.length === 0) return;
      await files.write(tenantId, (db) => removeOldTargets(db, clock.now()));
      asking.run(tenantId);
      noting.run(tenantId);
      owners.run(tenantId);
    },
    stop: async (): Promise<void> => {
      endWatch();
      await asking.stop();
      await Promise.all([noting.stop(), owners.stop()]);
    },
  };
};

export type ForwardMails = ReturnType<typeof createForwardMails>;
