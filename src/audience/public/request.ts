// A person asks, or is asked, to be on a list: the row is pending, the ledger has the request, and a mail asks them to confirm
// it, all in one transaction. An address gets one such mail a day for a list, no matter who asks or how often, and none where
// it is on the list: the row of someone who has confirmed is never changed by a stranger.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { askedOf } from '#src/audience/consent/entry.ts';
import { appendConsent, type NewEntry, nextEntry } from '#src/audience/consent/ledger.ts';
import { confirmationMailStore } from '#src/audience/consent/mail-store.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import { erasureStore } from '#src/audience/people/erasure-store.ts';
import { NEVER_TRACKED, type SubscriberRow, subscriberStore } from '#src/audience/subscribers/store.ts';
import { agreeForList } from '#src/audience/subscribers/tracking.ts';
import { suppressionStore } from '#src/feedback/suppressions/store.ts';
import type { AcceptHere } from '#src/intake/accept.ts';
import { type Draft, draftWith } from '#src/intake/draft.ts';
import { evaluate } from '#src/intake/evaluate.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { Language } from '#src/kernel/language.ts';
import { DAY } from '#src/kernel/time.ts';
import { CONFIRM_PATH, encodeConfirmToken, encodeFormToken, SUBSCRIBE_PATH } from '#src/mail/copy-links.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import { messageStore } from '#src/messages/store.ts';
import { ASKED_FOR, isLiftedFor, isOwnWish, type SuppressionFacts } from '#src/messages/suppression-rules.ts';
import { confirmationMail } from './confirmation-mail.ts';
import { formHealthStore } from './form-health-store.ts';
import { type FormState, formStateOf } from './form-state.ts';

export interface SubscriptionRequest {
  /** The list is not archived. */
  readonly list: ListRow;
  readonly address: Address;
  /** Null: as it is known. */
  readonly name: string | null;
  /** Values for templates; others that are known stay. A form changes neither name nor values of a subscriber that is known. */
  readonly data: Readonly<Record<string, string>>;
  readonly way: 'form' | 'api' | 'import';
  /** What is known of the one who asks. */
  readonly personal: NonNullable<NewEntry['personal']>;
  /** The language of the mail; null: the list's. */
  readonly language?: Language | null;
  /** The version of the wording that was shown; absent: the list's. */
  readonly shownVersion?: number | undefined;
  /** HTML of the form as it was shown. */
  readonly form?: string;
  readonly details?: NonNullable<NewEntry['details']>;
  /** Until when the mail waits for the plan's cap to end, ms. */
  readonly heldUntil?: number | null;
  /** The consent to tracking, if it was given: the text of the box, or what the practice states of it. */
  readonly tracking?: Pick<NewEntry, 'wording' | 'personal' | 'details'> | null;
}

export type RequestResult =
  /** The mail is accepted. */
  | { readonly kind: 'asked'; readonly subscriber: SubscriberRow }
  /** Nothing was changed: on the list already, or asked less than a day ago, or by a mail that still waits. */
  | { readonly kind: 'active' | 'asked_before'; readonly subscriber: SubscriberRow }
  /** Nothing was changed; where the suppression is one of a project or route, the message is kept. */
  | { readonly kind: 'suppressed' }
  | { readonly kind: 'refused'; readonly error: AppError };

type LinkContext = Pick<AudienceContext, 'config' | 'linkKey'>;

/** Where the list's form is. */
export const formUrl = ({ config, linkKey }: LinkContext, tenantNumber: number, { seq }: ListRow): string =>
  `${config().service.public_origin}${SUBSCRIBE_PATH}?l=${encodeFormToken(linkKey, { tenantNumber, recipientId: seq })}`;

/** An address of no one (RFC 2606). */
const STRANGER = 'someone@example.invalid' as Address;

const confirmUrl = (
  { config, linkKey }: LinkContext,
  tenantNumber: number,
  requestSeq: number,
  asked: string,
): string =>
  `${config().service.public_origin}${CONFIRM_PATH}?token=${encodeConfirmToken(linkKey, { tenantNumber, recipientId: requestSeq }, asked)}`;

interface AskingMail {
  readonly list: ListRow;
  readonly address: Address;
  readonly language: Language;
  readonly link: string;
  readonly tracking?: string | undefined;
}

const draftOf = (db: TenantDb, { address, ...mail }: AskingMail): Draft =>
  draftWith({
    to: [{ address }],
    ...confirmationMail({ practice: tenantStore(db).practice(), address, ...mail }),
    // Not the default route, which the practice may have changed.
    route: 'outgoing',
    kind: 'doi',
    names: [mail.list.name],
  });

/** Whether the list's form takes requests now. */
export const formStateNow = (db: TenantDb, context: AudienceContext, list: ListRow): FormState => {
  const intake = context.intake.context;
  // Only a request has a link to confirm.
  const link = formUrl(context, tenantStore(db).practice().number, list);
  const draft = draftOf(db, { list, address: STRANGER, language: list.language, link });
  const candidate = { source: ASKED_FOR, projects: null, projectId: null, draft } as const;
  const now = context.clock.now();
  const { facts, result } = evaluate(db, intake, candidate, intake.content.rate, { now, pastRefusals: true });
  return formStateOf(list, facts, formHealthStore(db).healthOf(list.seq, now), result);
};

/** The list as it was with that version of its wording, as the ledger has it; null: it has none. */
const listAsShown = (db: TenantDb, list: ListRow, version: number): ListRow | null => {
  if (version === list.wording_version) return list;
  const shown = consentStore(db).wording(list.id, (one) => one.version === version);
  return shown ? { ...list, ...shown } : null;
};

/** Who left everything comes back by their own request; it is not stored while they are being erased. */
const isKeptOut = (db: TenantDb, person: Buffer, { list, way }: SubscriptionRequest): boolean => {
  const stops = (row: SuppressionFacts): boolean =>
    row.scope === 'team' && !isLiftedFor(row, list.channel) && !(way === 'form' && isOwnWish(row));
  return (
    suppressionStore(db).ofAddress(person).some(stops) || erasureStore(db).unfinishedOf(person) !== undefined
  );
};

const isMailQueued = (db: TenantDb, { seq, status }: SubscriberRow): boolean =>
  status === 'pending' && confirmationMailStore(db).queued(seq).length > 0;

/** Within `intake.transact`, whose `accept` it is given. */
export const requestSubscription = (
  db: TenantDb,
  context: AudienceContext,
  accept: AcceptHere,
  request: SubscriptionRequest,
  now: number,
): RequestResult => {
  const { list, address, way, personal, form, details } = request;
  const practice = tenantStore(db).practice();
  const person = addressHash(context.suppressionKey, practice.id, address);
  const known = subscriberStore(db).onList(list.seq, person);
  if (known?.status === 'active') return { kind: 'active', subscriber: known };
  // Nothing of it is stored: the address may be that of someone who was erased.
  if (isKeptOut(db, person, request)) return { kind: 'suppressed' };
  const askedAt = known?.asked_at ?? null;
  if (known && askedAt !== null && (askedAt > now - DAY || isMailQueued(db, known)))
    return { kind: 'asked_before', subscriber: known };

  // The link names the entry that is written below, once the gates have let the mail pass.
  const requestSeq = nextEntry(db);
  const link = confirmUrl(context, practice.number, requestSeq, askedOf(list.id, person));
  const language = request.language ?? list.language;
  const accepted = accept({
    // The one who fills in the form decides where the mail goes; the other ways are the practice's own.
    source: way === 'form' ? ASKED_FOR : 'api',
    tenantId: practice.id,
    projects: null,
    projectId: null,
    draft: draftOf(db, { list, address, language, link, tracking: request.tracking?.wording }),
    idempotency: null,
  });
  if (accepted instanceof AppError) return { kind: 'refused', error: accepted };
  if (accepted.kind === 'blocked') return { kind: 'refused', error: accepted.error };
  if (accepted.answer.status === 'suppressed') return { kind: 'suppressed' };

  const shown = listAsShown(db, list, request.shownVersion ?? list.wording_version);
  const entry = appendConsent(
    db,
    context.ledger,
    {
      action: 'request',
      way,
      list: shown ?? list,
      person,
      personal: { address, name: request.name, ...personal },
      withWording: shown !== null,
      ...(form === undefined ? {} : { form }),
      details: { ...details, message_id: accepted.answer.message_id },
    },
    now,
  );
  if (entry.seq !== requestSeq) throw new Error('the ledger has another entry in between');
  const { tracking } = request;
  const tracking_seq = tracking
    ? agreeForList(db, context, list, { person, address }, { way, answers: entry.id, ...tracking }, now)
    : null;
  const subscriber = putPending(db, request, known, { person, consent_seq: entry.seq, tracking_seq }, now);
  const message = messageStore(db).byId(accepted.answer.message_id);
  if (!message) throw new Error('the confirmation mail was accepted and is not there');
  confirmationMailStore(db).insert({
    message_seq: message.seq,
    subscriber_seq: subscriber.seq,
    request_seq: entry.seq,
    held_until: request.heldUntil ?? null,
  });
  return { kind: 'asked', subscriber };
};

const putPending = (
  db: TenantDb,
  { list, address, name, data, way }: SubscriptionRequest,
  known: SubscriberRow | undefined,
  {
    person,
    consent_seq,
    tracking_seq,
  }: { readonly person: Buffer } & Pick<SubscriberRow, 'consent_seq' | 'tracking_seq'>,
  now: number,
): SubscriberRow => {
  const store = subscriberStore(db);
  const pending = {
    address,
    status: 'pending',
    consent_seq,
    tracking_seq,
    asked_at: now,
    updated_at: now,
  } as const;
  if (known) {
    const values =
      // Anyone can send the form.
      way === 'form'
        ? {}
        : {
            name: name ?? known.name,
            data_json: JSON.stringify({ ...JSON.parse(known.data_json), ...data }),
          };
    const row = { ...known, ...pending, ...values, confirmed_at: null };
    store.update(row);
    return row;
  }
  const row = {
    ...pending,
    id: newId(),
    list_seq: list.seq,
    address_hash: person,
    name,
    data_json: JSON.stringify(data),
    created_at: now,
    confirmed_at: null,
  };
  return { ...row, ...NEVER_TRACKED, seq: store.insert(row) };
};
