// Hands a campaign over: a few people at a time become messages in one transaction, which also says who was left out and
// how far the campaign has come. So each person is handed over once, whatever ends the process, and a campaign that was paused,
// cancelled or handed over meanwhile hands no one over.
//
// The people are read, and their content is scanned, before the transaction. In it is asked again what must hold at that moment:
// that they have not changed, that their last word in the ledger is consent, and that nothing suppresses them. The relay asks for
// suppressions once more at its claim.
import type { ConsentFacts } from '#src/audience/consent/entry.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import { listStore } from '#src/audience/lists/store.ts';
import { type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { mayTrack } from '#src/audience/subscribers/tracking.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { AcceptHere } from '#src/intake/accept.ts';
import { type Assess, createScans, tryOne } from '#src/intake/bulk.ts';
import type { Draft } from '#src/intake/draft.ts';
import { gateErrors } from '#src/intake/gates.ts';
import type { Intake } from '#src/intake/open.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { kinds } from '#src/messages/kinds.ts';
import { messageStore } from '#src/messages/store.ts';
import { applicableSuppression } from '#src/messages/suppression-rules.ts';
import { choose, type LeftOut } from './choose.ts';
import type { Mailing } from './content.ts';
import type { Filter } from './filter.ts';
import { noticeOf } from './notices.ts';
import { peopleStore } from './people-store.ts';
import { effectOf, nextHandOver, pageSize, type RefusalFacts } from './rules.ts';
import { listsOf } from './selection.ts';
import { type CampaignRow, campaignStore, EXCLUDED, HANDED_OVER } from './store.ts';

/** People in one read, where most of them are left out. */
const MAX_READ = 100;
/** What is the same for each recipient, and so is looked at before the first one. */
export const TRIED_FIRST = ['sender', 'request', 'content'] as const;
export const OF_CONTENT: RefusalFacts['ofContent'] = new Set(gateErrors(['request', 'content']));
const NO_CODES: RefusalFacts['ofContent'] = new Set();

/** A campaign that is being handed over, as long as its content does not change. */
export interface Handing {
  readonly filter: Filter;
  readonly mailing: Mailing;
  /** How the message of a person is assessed. Rejects with a refusal that concerns all. */
  readonly assessFor: (draft: Draft, values: MergeData) => Promise<Assess>;
  /** Whether the content is refused with the values of no person, too. */
  readonly isRefused: () => Promise<boolean>;
}

export const beginHanding = (
  { context }: Pick<Intake, 'context'>,
  tenantId: string,
  mailing: Mailing,
  row: CampaignRow,
): Handing => {
  const scanFor = (draft: Draft): Promise<Assess> =>
    tryOne(
      context,
      tenantId,
      { source: 'campaign', projects: null, projectId: row.project_id, draft },
      TRIED_FIRST,
    );
  const scanned = createScans(scanFor);
  const isRefused = async (): Promise<boolean> => {
    const draft = mailing.draftFor(
      { address: `success@${context.simulatorDomain}`, name: null },
      mailing.placeholders,
      null,
    );
    try {
      return (await scanFor(draft))(draft).block !== null;
    } catch (error) {
      if (error instanceof AppError) return OF_CONTENT.has(error.code);
      throw error;
    }
  };
  return {
    filter: JSON.parse(row.filter_json) as Filter,
    mailing,
    isRefused,
    assessFor: async (draft, values) =>
      context.content.scans()
        ? ((await scanned(draft, values)) ?? (await scanFor(draft)))
        : context.content.rate,
  };
};

/** Someone who is to get a message. */
interface Ready {
  readonly subscriber: SubscriberRow;
  readonly leftOut: null;
  readonly draft: Draft;
  /** The function that assesses its content, or the refusal of the content. */
  readonly assess: Assess | AppError;
}

interface Turn {
  readonly hash: Buffer;
  /** Null: the campaign is not for them. */
  readonly found: Ready | LeftOut | null;
}

const readPeople = (db: TenantDb, row: CampaignRow, { filter, mailing }: Handing, size: number) => {
  const lists = listsOf(db, row).map(({ seq }) => seq);
  const hasConsent = (subscriber: SubscriberRow): boolean => consentOf(db, row, subscriber) !== null;
  const choosing = { filter, mailing, startedAt: row.started_at ?? 0, hasConsent };
  const found: { readonly hash: Buffer; readonly chosen: ReturnType<typeof choose> }[] = [];
  let room = size;
  for (const person of peopleStore(db).walk(lists, row.after_hash, { first: size, limit: MAX_READ })) {
    const chosen = choose(person, choosing);
    if (chosen?.leftOut === null) room -= 1;
    found.push({ hash: person[0].address_hash, chosen });
    if (room === 0) break;
  }
  return found;
};

/** Where the content is in the tenant's file is known in the transaction. */
const NOT_STORED = 0;

const prepare = async (
  { mailing, assessFor }: Handing,
  { hash, chosen }: ReturnType<typeof readPeople>[number],
): Promise<Turn> => {
  if (chosen === null || chosen.leftOut !== null) return { hash, found: chosen };
  const { subscriber, values } = chosen;
  const draft = mailing.draftFor(subscriber, values, NOT_STORED);
  // What the content does not use, as the address, makes no message different.
  const used = Object.fromEntries(mailing.fields.map((name) => [name, values[name] ?? '']));
  const assess = await assessFor(draft, used).catch((error: unknown) => {
    if (error instanceof AppError) return error;
    throw error;
  });
  return { hash, found: { subscriber, leftOut: null, draft, assess } };
};

/** Id of the entry by which the person consents to the campaign's channel on that list; null: there is none. */
const consentOf = (db: TenantDb, row: CampaignRow, subscriber: SubscriberRow): string | null => {
  const list = listStore(db).bySeq(subscriber.list_seq);
  const last = consentStore(db)
    .ofPerson(subscriber.address_hash)
    .map((entry) => ({ ...entry, facts: JSON.parse(entry.facts_json) as ConsentFacts }))
    .findLast(
      ({ facts: { action, list_id } }) =>
        list_id === list?.id && /^(?:confirm|import|withdraw)$/.test(action),
    );
  const isConsent = last?.facts.action === 'confirm' || last?.facts.action === 'import';
  const { channel } = kinds[row.message_kind];
  return isConsent && last.seq === subscriber.consent_seq && last.facts.channel === channel ? last.id : null;
};

/** What suppressions are asked about. */
export const mailOf = ({ project_id, route_id, message_kind }: CampaignRow) => ({
  project_id,
  route_id,
  channel: kinds[message_kind].channel,
  source: 'campaign',
});

const isSuppressed = (db: TenantDb, row: CampaignRow, { address_hash }: SubscriberRow): boolean =>
  !suppressionStore(db).isEmpty() &&
  applicableSuppression(suppressionStore(db).ofAddress(address_hash), mailOf(row)) !== null;

/** Null: it is accepted. */
const acceptOne = (accept: AcceptHere, submission: Parameters<AcceptHere>[0]): ErrorCode | null => {
  try {
    const accepted = accept(submission);
    if (accepted instanceof AppError) return accepted.code;
    return accepted.kind === 'blocked' ? accepted.error.code : null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
};

const isBehind = (row: CampaignRow, { after_hash }: CampaignRow): boolean =>
  row.after_hash === null || after_hash === null
    ? row.after_hash !== after_hash
    : !row.after_hash.equals(after_hash);

/** Adds the list by which the person gets it (RFC 2919), unless the campaign names one. */
const withListId = (
  db: TenantDb,
  headers: Draft['headers'],
  { list_seq }: SubscriberRow,
  host: string,
): Draft['headers'] =>
  headers.some(([name]) => name.toLowerCase() === 'list-id')
    ? headers
    : [...headers, ['List-Id', `<${listStore(db).bySeq(list_seq)?.id}.list.${host}>`]];

const UNTRACKED = { track_opens: false, track_clicks: false } as const;

/** What a page is made of. */
interface Page {
  readonly tenantId: string;
  readonly row: CampaignRow;
  readonly content: Mailing['content'];
  readonly turns: readonly Turn[];
  /** What is refused for each person nearly alike; empty once someone has got it, or where it is about their values. */
  readonly refusedForAll: RefusalFacts['ofContent'];
  /** Host of the service. */
  readonly host: string;
  readonly now: number;
}

/** Called in the transaction; `next` is the row as it will be. */
const handOverPage = (
  db: TenantDb,
  accept: AcceptHere,
  { tenantId, row, content, turns, refusedForAll, host, now }: Page,
  next: CampaignRow,
): CampaignRow => {
  const store = campaignStore(db);
  const { seq } = row;
  const lists = listsOf(db, row);
  let handedOver = 0;
  const leaveOut = ({ seq: subscriber_seq, address_hash }: SubscriberRow, reason: string): void => {
    store.exclude({ campaign_seq: seq, address_hash, subscriber_seq, reason });
    store.count(seq, `${EXCLUDED}${reason}`, 1);
  };
  const sharedId = (): number => {
    const known = next.shared_id;
    if (known !== null && messageStore(db).hasShared(known)) return known;
    next.shared_id = messageStore(db).insertShared(content, now);
    return next.shared_id;
  };
  /** Null: it is handed over. */
  const refusalOf = ({ subscriber, draft, assess }: Ready, consentEntry: string): ErrorCode | null => {
    if (assess instanceof AppError) return assess.code;
    const assessment = assess(draft);
    if (assessment.block !== null) return 'content_blocked';
    return acceptOne(accept, {
      tenantId,
      source: 'campaign',
      campaign: { seq, consentEntry },
      projects: null,
      projectId: row.project_id,
      draft: {
        ...draft,
        headers: withListId(db, draft.headers, subscriber, host),
        settings: mayTrack(db, lists, subscriber) ? draft.settings : { ...draft.settings, ...UNTRACKED },
        shared: draft.shared && { ...draft.shared, id: sharedId() },
      },
      assess: () => assessment,
      idempotency: null,
    });
  };
  /** Whether the next one has their turn. */
  const take = (ready: Ready): boolean => {
    const { subscriber } = ready;
    // The rest of the page is read again.
    if (subscriberStore(db).bySeq(subscriber.seq)?.updated_at !== subscriber.updated_at) return false;
    const consentEntry = consentOf(db, row, subscriber);
    if (consentEntry === null) leaveOut(subscriber, 'no_consent');
    else if (isSuppressed(db, row, subscriber)) leaveOut(subscriber, 'suppressed');
    else {
      const code = refusalOf(ready, consentEntry);
      if (code === null) {
        handedOver += 1;
        return true;
      }
      const effect = effectOf(code, { ofContent: refusedForAll, isFirst: handedOver === 0, now });
      switch (effect.kind) {
        case 'leave_out':
          leaveOut(subscriber, `refused:${code}`);
          return true;
        case 'wait':
          next = { ...next, reason: code, due_at: effect.until };
          return false;
        case 'fail':
          next = failed(next, code, now);
          return false;
        default:
          return effect satisfies never;
      }
    }
    return true;
  };
  for (const { hash, found } of turns) {
    if (found?.leftOut) leaveOut(found.subscriber, found.leftOut);
    else if (found !== null && found.leftOut === null && !take(found)) break;
    next = { ...next, after_hash: hash };
  }
  if (handedOver > 0) store.count(seq, HANDED_OVER, handedOver);
  if (next.reason !== null) return next;
  const due_at = nextHandOver(row.max_per_hour, { dueAt: row.due_at ?? now, count: handedOver, now });
  return { ...next, due_at };
};

/** Hands over the next people, at most `room` of them; `end`: there are no more. */
export const handOver = async (
  { intake, tenantId, room }: { readonly intake: Intake; readonly tenantId: string; readonly room: number },
  row: CampaignRow,
  handing: Handing,
): Promise<'handed_over' | 'end'> => {
  const { files, clock } = intake.context;
  const size = Math.min(room, pageSize(row.max_per_hour));
  const { people, isBegun } = await files.read(tenantId, (db) => ({
    people: readPeople(db, row, handing, size),
    isBegun: campaignStore(db).counters(row.seq).has(HANDED_OVER),
  }));
  if (people.length === 0) return 'end';
  const refusedForAll = !isBegun && (await handing.isRefused()) ? OF_CONTENT : NO_CODES;
  const turns: Turn[] = [];
  for (const person of people) turns.push(await prepare(handing, person));
  const { content } = handing.mailing;
  const host = new URL(intake.context.config().service.public_origin).hostname;
  await intake.transact(tenantId, (db, accept) => {
    const known = campaignStore(db).bySeq(row.seq);
    if (known?.status !== 'sending' || isBehind(row, known)) return;
    const now = clock.now();
    const page = { tenantId, row: known, content, turns, refusedForAll, host, now };
    const next = handOverPage(db, accept, page, { ...known, reason: null });
    const progress = isBehind(known, next) ? { progress_at: now, alarmed_at: null } : {};
    campaignStore(db).update({ ...next, ...progress });
  });
  return 'handed_over';
};

/** The campaign has failed for that reason, and its owners are to be notified. */
export const failed = (row: CampaignRow, reason: string, now: number): CampaignRow => ({
  ...row,
  status: 'failed',
  reason,
  finished_at: now,
  updated_at: now,
  due_at: now,
  notice_json: noticeOf('failed', now),
});
