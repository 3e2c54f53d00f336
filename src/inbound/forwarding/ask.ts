// The mails about forwarding: each address is asked whether it wants the mail, and owners are notified where one gets no more.
// What is to be written is in the tenant's file until the mail is in the outbox; after a crash in between it is enqueued again,
// under the same id. An address that may not be asked at the moment is asked in the nightly round.
//
// No one can be flooded with questions: an address is asked once an hour, by whichever tenant, and a tenant asks few a day.
import type { KeyObject } from 'node:crypto';
import { createOwnerNotifier, notifyOwners, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createFollowUps } from '#src/kernel/follow-ups.ts';
import { createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import { DAY, HOUR, SECOND } from '#src/kernel/time.ts';
import { encodeForwardToken, FORWARD_PATH } from '#src/mail/copy-links.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { type TargetRow, targetStore } from './target-store.ts';
import { CONFIRM_WITHIN_MS, DECLINED, removeOldTargets } from './targets.ts';

const perAddress: RateLimit = { perSecond: SECOND / HOUR, burst: 1 };
const ASKED_A_DAY = 50;
const perTenant: RateLimit = { perSecond: ASKED_A_DAY / (DAY / SECOND), burst: ASKED_A_DAY };

export interface AskDeps extends OwnerNoticesDeps {
  /** Derived for the purpose `forwarding`. */
  readonly key: KeyObject;
  /** Whether the tenant may write to the address at all at the moment: safe mode, a pause. */
  readonly mayWriteTo: (db: TenantDb, address: Address) => boolean;
}

const isToBeAsked = ({ status, asked_at }: TargetRow): boolean =>
  status === 'unconfirmed' && asked_at === null;

export const createForwardMails = (deps: AskDeps) => {
  const { files, platform, notices, ownersOf, clock, log, origin, key, mayWriteTo } = deps;
  const limiter = createRateLimiter();

  const ask = async (tenantId: string): Promise<void> => {
    const { practice, due } = await files.read(tenantId, (db) => ({
      practice: tenantStore(db).practice(),
      due: targetStore(db)
        .all()
        .filter((row) => isToBeAsked(row) && mayWriteTo(db, row.address as Address)),
    }));
    const now = clock.now();
    const mayAsk = ({ address_key }: TargetRow): boolean =>
      limiter.take(`address ${address_key}`, now, perAddress).allowed &&
      limiter.take(`tenant ${tenantId}`, now, perTenant).allowed;
    const asked = due.filter(mayAsk);
    if (asked.length === 0) return;
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
        const owners = [{ email: address, language: owner?.language ?? 'de' }];
        notifyOwners(notices, db, { tenantId, owners, content, occasion: [seq, asks] }, now);
      }
    });
    notices.wake();
    await files.write(tenantId, (db) => {
      const store = targetStore(db);
      for (const { seq, asks } of asked) {
        const row = store.bySeq(seq);
        if (row) store.update({ ...row, asks: asks + 1, asked_at: now });
      }
    });
  };

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
              origin,
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
    /** For the nightly round. */
    look: async (tenantId: string): Promise<void> => {
      const targets = await files.read(tenantId, (db) => targetStore(db).all());
      if (targets.length === 0) return;
      await files.write(tenantId, (db) => removeOldTargets(db, clock.now()));
      asking.run(tenantId);
      owners.run(tenantId);
    },
    stop: async (): Promise<void> => {
      await Promise.all([asking.stop(), owners.stop()]);
    },
  };
};

export type ForwardMails = ReturnType<typeof createForwardMails>;
