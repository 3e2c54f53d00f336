// Who a campaign would go to, and who not and why, counted over all people of its lists. Read in small pieces, so that others
// have their turns in between. While it is sent, those whose turn has come are counted as what they became.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { sendableFor } from '#src/audience/sendable.ts';
import type { SubscriberRow } from '#src/audience/subscribers/store.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import { isAllowedInSafeMode } from '#src/intake/gates/content-gates.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createSlices } from '#src/kernel/slices.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { applicableSuppression } from '#src/messages/suppression-rules.ts';
import { campaignOf } from './change.ts';
import { type Choosing, type Chosen, choose } from './choose.ts';
import { type Mailing, mailingIn } from './content.ts';
import { valuesOf } from './filter.ts';
import { mailOf } from './hand-over.ts';
import { type Person, peopleStore } from './people-store.ts';
import { presentHead } from './record.ts';
import { listsOf } from './selection.ts';
import { type CampaignRow, campaignStore } from './store.ts';

type Context = Pick<AudienceContext, 'files' | 'clock' | 'config' | 'intake'>;

/** A read of this many takes some 5 ms. */
const ROWS_PER_READ = 250;
/** The first one usually is it. */
const SAMPLED_FIRST = 5;
const SAMPLED = 1_000;

/** What a person is chosen by, with the whole mailing. */
export const choosingFor = (
  db: TenantDb,
  row: CampaignRow,
  now: number,
  content = campaignStore(db).content(row.seq),
): Choosing & { readonly mailing: Mailing } => ({
  filter: JSON.parse(row.filter_json),
  mailing: mailingIn(db, row, content),
  startedAt: row.started_at ?? now,
  // The ledger is asked when it is sent.
  hasConsent: () => true,
});

/** Why the gates would keep a message from that person: what can be known without asking them for each. */
const heldBack = (
  db: TenantDb,
  { intake, config }: Context,
  row: CampaignRow,
  { address_hash, address }: SubscriberRow,
): 'suppressed' | 'refused:invalid_recipient' | 'refused:safe_mode_recipient' | null => {
  const rows = suppressionStore(db).ofAddress(address_hash);
  if (rows.length > 0 && applicableSuppression(rows, mailOf(row)) !== null) return 'suppressed';
  const { id, safe_mode } = tenantStore(db).practice();
  if (!sendableFor({ intake }, id).takes(address as Address)) return 'refused:invalid_recipient';
  if (safe_mode === 0) return null;
  const facts = { simulatorDomain: intake.context.simulatorDomain, config: config() };
  return isAllowedInSafeMode({ address: address as Address }, facts) ? null : 'refused:safe_mode_recipient';
};

/** An archived list has no one any more. */
const listNumbers = (db: TenantDb, row: CampaignRow): number[] =>
  listsOf(db, row).flatMap(({ seq, archived_at }) => (archived_at === null ? [seq] : []));

/**
 * The first person who would get the message, now or after the practice's safe mode; null where there is none among the first
 * thousand.
 */
export const sampleOf = (
  db: TenantDb,
  context: Context,
  row: CampaignRow,
  choosing: Choosing,
): (Chosen & { readonly isHeldBySafeMode: boolean }) | null => {
  const people = peopleStore(db).walk(listNumbers(db, row), null, { first: SAMPLED_FIRST, limit: SAMPLED });
  for (const person of people) {
    const choice = choose(person, choosing);
    if (choice === null || choice.leftOut !== null) continue;
    const reason = heldBack(db, context, row, choice.subscriber);
    if (reason === null || reason === 'refused:safe_mode_recipient')
      return { ...choice, isHeldBySafeMode: reason !== null };
  }
  return null;
};

export interface AudienceCount {
  readonly people: number;
  readonly willReceive: number;
  readonly leftOut: ReadonlyMap<string, number>;
  /** Placeholders, and how many people whose turn has not come lack a value for them. */
  readonly missing: ReadonlyMap<string, number>;
}

/** Ended campaigns have no one left whose turn could come. */
const ENDED: ReadonlySet<string> = new Set(['sent', 'failed', 'cancelled']);

export interface Counting {
  /** Throws `not_found`. `content`: the JSON of its content. */
  readonly find: (db: TenantDb) => { readonly row: CampaignRow; readonly content: string };
  /** Those behind so many that will receive it are not counted. */
  readonly enough?: number;
}

/** The campaign as it is stored. Throws `not_found`. */
export const storedCampaign =
  (campaignId: string): Counting['find'] =>
  (db) => {
    const row = campaignOf(db, campaignId);
    return { row, content: campaignStore(db).content(row.seq) };
  };

/** Rejects as `find` throws. */
export const countAudience = async (
  context: Context,
  tenantId: string,
  { find, enough = Number.POSITIVE_INFINITY }: Counting,
): Promise<AudienceCount> => {
  const { files, clock } = context;
  const pause = createSlices();
  const { row, head, lists, choosing } = await files.read(tenantId, (db) => {
    const { row: found, content } = find(db);
    return {
      row: found,
      head: presentHead(db, { ...found, subject: '' }),
      lists: listNumbers(db, found),
      choosing: choosingFor(db, found, clock.now(), content),
    };
  });
  const leftOut = new Map(Object.entries(head.left_out));
  const missing = new Map<string, number>();
  let willReceive = head.counts.handed_over;
  let people = willReceive + [...leftOut.values()].reduce((sum, n) => sum + n, 0);
  const look = (db: TenantDb, person: Person): void => {
    people += 1;
    const choice = choose(person, choosing);
    if (choice === null) return;
    const reason = choice.leftOut ?? heldBack(db, context, row, choice.subscriber);
    if (reason === null) willReceive += 1;
    else leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    if (reason === 'missing_value')
      for (const name of choosing.mailing.missing(valuesOf(choice.subscriber)))
        missing.set(name, (missing.get(name) ?? 0) + 1);
  };
  const size = Math.ceil(ROWS_PER_READ / Math.max(1, lists.length));
  let last = row.after_hash;
  let isMore = !ENDED.has(row.status);
  while (isMore) {
    await pause();
    isMore = await files.read(tenantId, (db) => {
      const page = peopleStore(db).after(lists, last, size);
      for (const person of page) look(db, person);
      last = page.at(-1)?.[0].address_hash ?? last;
      return page.length === size && willReceive < enough;
    });
  }
  return { people, willReceive, leftOut, missing };
};
