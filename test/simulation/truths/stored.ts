// What was answered 202 or 250 is stored, for each of its recipients.
import type { Accepted, Kept } from '../book.ts';
import { inFile, type Memory, present, type TenantMemory } from './memory.ts';
import { rows, value } from './sql.ts';
import { broken, type Truth } from './truth.ts';

/** A restore takes back what came after its copy was made. */
const isTakenBack = ({ losses }: Kept, { practice, at }: Accepted): boolean =>
  losses.some(
    ({ practiceId, since, until }) =>
      practiceId === practice.id && at >= since && (until === null || at <= until),
  );

const RECIPIENTS =
  'SELECT address FROM recipients WHERE message_seq = (SELECT seq FROM messages WHERE id = ?)';
const RECEIVED = 'SELECT recipients_json FROM inbound_messages WHERE id = ?';

const checkMessage = (tenant: TenantMemory, { id, door, recipients }: Accepted): void => {
  const found = inFile(tenant, (db) => rows<{ address: string }>(db, RECIPIENTS, id));
  if (found.length === 0) {
    const isReceived = inFile(tenant, (db) => value(db, RECEIVED, id)) !== undefined;
    if (isReceived) return;
    broken(`${tenant.name}: ${door} answered that message ${id} is accepted, and it is not stored`);
  }
  const addresses = new Set(found.map(({ address }) => address.toLowerCase()));
  // A person who was erased since, or a message whose time is over, has a keyed hash in the place of the address.
  if ([...addresses].some((address) => address.startsWith('#'))) return;
  for (const recipient of recipients)
    if (!addresses.has(recipient.toLowerCase()))
      broken(`${tenant.name}: message ${id}, accepted by ${door}, has no row for its recipient ${recipient}`);
};

const COPIES = 'SELECT count(*) FROM recipients WHERE lower(address) = ?';
const MAILS = `SELECT count(*) FROM inbound_messages, json_each(recipients_json) WHERE lower(json_each.value) = ?`;

const isErased = (book: Kept, tenant: TenantMemory, address: string): boolean =>
  book.erasures.some(
    ({ practice, words }) =>
      practice.id === tenant.id && words.some((word) => word.toLowerCase() === address.toLowerCase()),
  );

/** Those whose answers have no id, by their addresses: at least as many rows as answers. */
const checkUnnamed = (book: Kept, tenant: TenantMemory, entries: readonly Accepted[]): void => {
  const counts = new Map<string, { count: number; door: string }>();
  for (const entry of entries)
    for (const address of entry.recipients) {
      const key = address.toLowerCase();
      counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, door: entry.door });
    }
  for (const [address, { count, door }] of counts) {
    const found = inFile(
      tenant,
      (db) => (value<number>(db, COPIES, address) ?? 0) + (value<number>(db, MAILS, address) ?? 0),
    );
    if (found < count && !isErased(book, tenant, address))
      broken(
        `${tenant.name}: ${count} messages to ${address} were accepted (${door}), and ${found} are stored`,
      );
  }
};

const check = (
  book: Kept,
  tenants: ReadonlyMap<string, TenantMemory>,
  entries: readonly Accepted[],
): void => {
  const unnamed = new Map<TenantMemory, Accepted[]>();
  for (const entry of entries) {
    const tenant = tenants.get(entry.practice.id);
    if (tenant === undefined || isTakenBack(book, entry)) continue;
    if (entry.id !== null) checkMessage(tenant, entry);
    else unnamed.set(tenant, [...(unnamed.get(tenant) ?? []), entry]);
  }
  for (const [tenant, found] of unnamed) checkUnnamed(book, tenant, found);
};

const here = (memory: Memory): ReadonlyMap<string, TenantMemory> =>
  new Map(present(memory).map((tenant) => [tenant.id, tenant]));

/** What was answered since the last step. */
export const createAnsweredIsStored = (): Truth => {
  let seen = 0;
  return {
    name: 'what was answered is stored',
    check: (_scene, book, memory) => {
      if (seen === book.acceptances.length) return;
      const entries = book.acceptances.slice(seen).filter(({ id }) => id !== null);
      seen = book.acceptances.length;
      check(book, here(memory), entries);
    },
  };
};

/** All that was ever answered. */
export const everythingIsStored: Truth = {
  name: 'what was answered is still stored',
  check: (_scene, book, memory) => check(book, here(memory), book.acceptances),
};
