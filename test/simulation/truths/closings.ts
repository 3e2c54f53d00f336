// What people were answered about mail that must not leave: nothing leaves to them from the answer on, but what was being tried then.
import { applicableSuppression, type SuppressionFacts } from '#src/messages/suppression-rules.ts';
import type { Closed, Kept } from '../book.ts';
import { inFile, type Mail, type Memory, present, type TenantMemory } from './memory.ts';
import { rows, value } from './sql.ts';
import { broken, type Truth } from './truth.ts';

/** The service's own mail knows no suppressions, and mail that asks for consent answers the person's own request. */
const ALWAYS: ReadonlySet<string> = new Set(['system', 'form']);

const SUPPRESSION_IDS = 'SELECT id FROM suppressions WHERE lower(address) = ?';

/** Someone may have taken back since what was suppressed, by another way than that by which it was closed. */
const stillThere = (mail: Mail, closing: Closed): readonly SuppressionFacts[] => {
  if (!mail.isPresent || closing.suppressions.length === 0) return [];
  const ids = new Set(
    inFile(mail.tenant, (db) => rows<{ id: string }>(db, SUPPRESSION_IDS, closing.address ?? '')).map(
      ({ id }) => id,
    ),
  );
  return closing.suppressions.filter(({ id }) => ids.has(id));
};

const concerns = (mail: Mail, closing: Closed): boolean => {
  const { facts } = mail;
  switch (closing.by) {
    case 'paused':
    case 'erased practice':
      return true;
    case 'cancelled':
      return closing.failed.has(mail.recipientId);
    case 'erased':
      return facts !== null && !ALWAYS.has(facts.source);
    case 'suppressed':
    case 'unsubscribed':
      return (
        facts !== null &&
        facts.source !== 'system' &&
        applicableSuppression(stillThere(mail, closing), facts) !== null
      );
    default:
      return closing.by satisfies never;
  }
};

/** It was being tried at the answer, by the process that gave it. */
const wasUnderWay = ({ tenant, recipientId }: Mail, closing: Closed): boolean => {
  const isOfLaterProcess = tenant.formerEpoch === tenant.epoch && tenant.generation !== closing.generation;
  return !isOfLaterProcess && closing.claimed.delete(recipientId);
};

const checkMail = (mail: Mail, closings: readonly Closed[]): void => {
  const recipient = mail.sent.recipient.toLowerCase();
  for (const closing of closings) {
    if (closing.practice.id !== mail.tenant.id || mail.index < closing.from) continue;
    if (closing.until !== null && mail.index >= closing.until) continue;
    if (closing.address !== null && closing.address !== recipient) continue;
    // A practice that is erased cannot be looked at any more: what its last claims had in hand leaves in the same step.
    if (!closing.wasSeen && mail.sent.step <= closing.step + 1) continue;
    if (!concerns(mail, closing) || wasUnderWay(mail, closing)) continue;
    broken(
      `${mail.tenant.name}: a mail left to ${mail.sent.recipient} (recipient ${mail.recipientId}) although it was answered in step ${closing.step} that ${closing.address ?? 'the practice'} is ${closing.by}`,
    );
  }
};

export const closedStaysClosed: Truth = {
  name: 'nothing leaves to whom was closed',
  check: (_scene, book, { mails }) => {
    for (const mail of mails) checkMail(mail, book.closings);
  },
};

const holdsIn = (tenant: TenantMemory, { by, address, suppressions }: Closed): boolean => {
  if (by === 'paused')
    return inFile(tenant, (db) => value<number | null>(db, 'SELECT paused_at FROM practice')) !== null;
  if (by !== 'suppressed' || suppressions.length === 0) return true;
  const ids = inFile(tenant, (db) => rows<{ id: string }>(db, SUPPRESSION_IDS, address ?? ''));
  return suppressions.every((one) => ids.some(({ id }) => id === one.id));
};

const isErased = (book: Kept, closing: Closed): boolean =>
  book.closings.some(
    ({ practice, by, address }) =>
      practice.id === closing.practice.id && by === 'erased' && address === closing.address,
  );

/** To be asked after a start, and at the end. */
export const closingsAreStored: Truth = {
  name: 'what was closed is stored',
  check: (_scene, book, memory: Memory) => {
    const here = new Map(present(memory).map((tenant) => [tenant.id, tenant]));
    for (const closing of book.closings) {
      const tenant = here.get(closing.practice.id);
      if (
        tenant === undefined ||
        closing.until !== null ||
        !closing.wasSeen ||
        closing.at < tenant.restoredAt
      )
        continue;
      if (holdsIn(tenant, closing) || isErased(book, closing)) continue;
      broken(
        `${tenant.name}: it was answered in step ${closing.step} that ${closing.address ?? 'the practice'} is ${closing.by}, and the file does not say so`,
      );
    }
  },
};
