// Brings confirmation mails into the ledger once a relay has taken them: their bytes, and when and where they went. The entry and
// the end of the row are one transaction, so a crash writes it once.
import type { AudienceContext } from '#src/audience/context.ts';
import { listStore } from '#src/audience/lists/store.ts';
import type { Task } from '#src/audience/work.ts';
import type { NightlyTask } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import { messageStore } from '#src/messages/store.ts';
import { type ConsentFacts, isTooOld, type Openings } from './entry.ts';
import { appendConsent, type NewEntry } from './ledger.ts';
import { type ConfirmationMailRow, confirmationMailStore } from './mail-store.ts';
import { consentStore } from './store.ts';

const AT_ONCE = 4;
const UNSENT_AT_ONCE = 200;

/** `mail`: as it left; null where its content is gone. Null where the request is not there. */
const entryOf = (
  db: TenantDb,
  { message_seq, request_seq, sent_at }: ConfirmationMailRow,
  mail: Buffer | null,
): NewEntry | null => {
  const request = consentStore(db).bySeq(request_seq);
  if (!request) return null;
  const { list_id }: ConsentFacts = JSON.parse(request.facts_json);
  const { address }: Openings = JSON.parse(request.openings_json);
  const list = listStore(db).byId(list_id);
  if (!list) return null;
  const message = messageStore(db).bySeq(message_seq);
  const [recipient] = messageStore(db).recipients(message_seq);
  const common = {
    action: 'mail',
    way: 'mail',
    list,
    person: request.address_hash,
    answers: request.id,
  } as const;
  const details = { sent_at: toIsoOrNull(sent_at), upstream: recipient?.upstream ?? null };
  // The person was erased between the sending and now.
  if (!address) return { ...common, details };
  return {
    ...common,
    details: mail === null ? { ...details, content: 'removed' } : details,
    personal: { address: address.value, message_id: message?.internet_message_id ?? null },
    ...(mail && { mail }),
  };
};

/** Removes mails that did not leave while their link would have worked. They were accepted in the order of their requests. */
export const removeUnsent = ({ files, clock }: Pick<AudienceContext, 'files' | 'clock'>): NightlyTask => {
  const old = (db: TenantDb) =>
    confirmationMailStore(db)
      .firstUnsent(UNSENT_AT_ONCE)
      .filter(({ facts_json }) => facts_json === null || isTooOld(JSON.parse(facts_json), null, clock.now()));
  return {
    what: 'confirmation mails that did not leave',
    run: async (tenantId, signal, pace) => {
      let more = await files.read(tenantId, (db) => old(db).length > 0);
      while (more && !signal.aborted)
        more = await pace(() =>
          files.write(tenantId, (db) => {
            const rows = old(db);
            for (const { message_seq } of rows) confirmationMailStore(db).remove(message_seq);
            return rows.length === UNSENT_AT_ONCE;
          }),
        );
    },
  };
};

export const mailsTask = ({
  files,
  clock,
  leftAs,
  ledger,
}: Pick<AudienceContext, 'files' | 'clock' | 'leftAs' | 'ledger'>): Task => ({
  name: 'confirmation mails',
  isNeeded: (db) => confirmationMailStore(db).sent(1).length > 0,
  due: (db) => ({ items: confirmationMailStore(db).sent(AT_ONCE), next: null }),
  run: async (tenantId, messageSeq) => {
    const mail = await leftAs(tenantId, messageSeq);
    await files.write(tenantId, (db) => {
      const row = confirmationMailStore(db).row(messageSeq);
      if (!row) return;
      const entry = entryOf(db, row, mail);
      if (entry !== null) appendConsent(db, ledger, entry, clock.now());
      confirmationMailStore(db).remove(messageSeq);
    });
  },
});
