// The nightly part of retention for subscribers: who was asked and never confirmed, or said no, is removed. Their link has ended a week before. Of who
// never consented to anything, the ledger keeps no personal value either; what is known of others is evidence.
import { forgetPerson } from '#src/audience/consent/ledger.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import type { NightlyTask } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import { factsOf, removeSubscriber } from './change.ts';
import { type SubscriberRow, subscriberStore } from './store.ts';

const KEPT_MS = 14 * DAY;
/** Some 5 ms of a transaction. */
const PER_TRANSACTION = 100;

const everConsented = (db: TenantDb, person: Buffer): boolean =>
  consentStore(db)
    .ofPerson(person)
    .some(({ facts_json }) => /^(?:confirm|import)$/.test(factsOf(facts_json).action));

export const removeUnconfirmed = ({
  files,
  clock,
  ledger,
}: Pick<AudienceContext, 'files' | 'clock' | 'ledger'>): NightlyTask => {
  const unconfirmed = (db: TenantDb, limit: number): SubscriberRow[] =>
    subscriberStore(db).unconfirmed(clock.now() - KEPT_MS, limit);
  const removeSome = (db: TenantDb): boolean => {
    const rows = unconfirmed(db, PER_TRANSACTION);
    for (const row of rows) {
      const { address_hash: person } = row;
      removeSubscriber(db, { ledger }, row, 'expired', clock.now());
      const isOnOther = subscriberStore(db).ofPerson(person).length > 0;
      if (!isOnOther && !everConsented(db, person)) forgetPerson(db, person);
    }
    return rows.length === PER_TRANSACTION;
  };
  return {
    what: 'subscribers who never confirmed',
    run: async (tenantId, signal, pace) => {
      // On most days there is none, and then nothing is written.
      let more = await files.read(tenantId, (db) => unconfirmed(db, 1).length > 0);
      while (more && !signal.aborted) more = await pace(() => files.write(tenantId, removeSome));
    },
  };
};
