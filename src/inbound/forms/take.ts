// What becomes of what was sent by a form: a mail received, stored with its event in one transaction as one that came by SMTP, below
// the same room, the same rules for senders and the same scanners. Where the form asks for a proof of the address, the mail is held
// until then, and a mail to the address has the link.
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { ReceivedScan } from '#src/content/scan-received.ts';
import { formWordsIn } from '#src/inbound/words.ts';
import type { AcceptHere } from '#src/intake/accept.ts';
import type { Intake } from '#src/intake/open.ts';
import type { Base } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { clientKey, createRateCheck } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { mailboxOf } from '#src/mail/address.ts';
import { encodeFormProofToken, FORM_PROOF_PATH } from '#src/mail/copy-links.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { messageStore } from '#src/messages/store.ts';
import { ASKED_FOR } from '#src/messages/suppression-rules.ts';
import { hasRoom, hasRoomAside } from '../admit.ts';
import type { MailAuth, MailSpam } from '../mail.ts';
import { readHead } from '../reading/head.ts';
import { mailboxFor, namesSender } from '../recipient-rules.ts';
import { inboundSettingsStore } from '../settings-store.ts';
import { countedBytes, type InboundState } from '../store.ts';
import { storeMail } from '../store-mail.ts';
import { formMail } from './compose.ts';
import { proofMail } from './mails.ts';
import type { FormPost, Posted, Problem } from './read-post.ts';
import { readPost } from './read-post.ts';
import type { ClosedReason, FormSettings } from './schema.ts';
import { formStateOf } from './state.ts';
import { type FormRow, formStore, postStore } from './store.ts';

/** Why a mail is held whose writer has not proved the address. */
export const UNPROVED = 'unproved';

export interface TakeDeps extends Pick<Base, 'storage' | 'clock' | 'limits' | 'config' | 'log'> {
  readonly answering: Pick<Answering, 'usual'>;
  readonly intake: Pick<Intake, 'transact'>;
  readonly scan: ReceivedScan;
  readonly linkKey: TokenKeys;
}

export type Taken =
  | { readonly kind: 'arrived' | 'asked' }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }
  | { readonly kind: 'closed'; readonly reason: ClosedReason };

/** Nothing was proved: no server brought it. */
const NO_AUTH: MailAuth = {
  spf: { result: 'none', domain: null },
  dkim: [],
  dmarc: { result: 'none', domain: null, policy: null },
  arc: { result: 'none' },
  iprev: { result: 'none', name: null },
};

/** An address at which nothing is configured that would speak against the service's own mail. */
const OWN_ADDRESS = '127.0.0.1';

interface Place {
  readonly state: InboundState;
  readonly reason: string | null;
}

/** A stranger's mail that its practice does not want is kept apart, and its writer does not learn it. */
const placeOf = (
  db: TenantDb,
  { settings: { proof } }: FormRow,
  { email }: FormPost,
  mailbox: Address,
  { verdict }: Pick<MailSpam, 'verdict'>,
): Place => {
  const { options } = inboundSettingsStore(db).current();
  const { mode, spamAction } = mailboxFor(options, mailbox.slice(0, mailbox.lastIndexOf('@')));
  if (email !== null && namesSender(options.senders.block, email))
    return { state: 'quarantined', reason: 'blocked_sender' };
  if (verdict === 'virus') return { state: 'quarantined', reason: 'virus' };
  if (verdict === 'spam' && spamAction !== 'accept') return { state: 'quarantined', reason: 'spam' };
  if (proof) return { state: 'held', reason: UNPROVED };
  return mode === 'hold' ? { state: 'held', reason: 'mode' } : { state: 'inbox', reason: null };
};

class Refused extends Error {
  override readonly name = 'Refused';
  readonly reason: ClosedReason;
  constructor(reason: ClosedReason) {
    super(reason);
    this.reason = reason;
  }
}

interface Posting {
  readonly tenantId: string;
  readonly formSeq: number;
  readonly post: FormPost;
  readonly id: string;
  readonly source: Buffer;
  readonly spam: MailSpam;
}

export const createTake = (deps: TakeDeps) => {
  const { storage, clock, limits, config, log, answering, intake, scan, linkKey } = deps;
  const perClient = createRateCheck(
    clock,
    () => limits().formPostsPerClient,
    say`Too much was sent by this form from this address.`,
  );
  const perForm = createRateCheck(
    clock,
    () => limits().formPostsPerForm,
    say`Too much was sent by this form at once.`,
  );
  const perMailbox = createRateCheck(
    clock,
    () => limits().subscribePerMailbox,
    say`Too many mails to this e-mail address today.`,
  );

  /** Null: none could be sent, now or ever. */
  const ask = (
    db: TenantDb,
    accept: AcceptHere,
    settings: FormSettings,
    address: Address,
    mail: { readonly id: string; readonly seq: number },
  ): number | null => {
    const practice = tenantStore(db).practice();
    const target = { tenantNumber: practice.number, recipientId: mail.seq };
    const link = `${config().service.public_origin}${FORM_PROOF_PATH}?t=${encodeFormProofToken(linkKey, target, mail.id)}`;
    const accepted = accept({
      // A stranger decides where it goes: see ASKED_FOR.
      source: ASKED_FOR,
      tenantId: practice.id,
      projects: null,
      projectId: null,
      draft: proofMail({ practice, settings, address }, link),
      idempotency: null,
    });
    if (accepted instanceof AppError || accepted.kind === 'blocked') {
      const error = accepted instanceof AppError ? accepted : accepted.error;
      log.warn(
        { tenant: practice.id, code: error.code },
        'a mail that asks for a proof of an address was refused',
      );
      throw new Refused('sending');
    }
    return messageStore(db).byId(accepted.answer.message_id)?.seq ?? null;
  };

  /** `accept`: null where the form asked for no proof when it was shown. */
  const store = (db: TenantDb, accept: AcceptHere | null, posting: Posting): Taken => {
    const { formSeq, post, id, source, spam } = posting;
    const now = clock.now();
    const form = formStore(db).bySeq(formSeq);
    if (!form) throw new Refused('closed');
    // It may have been closed since it was shown.
    const state = formStateOf(db, form, answering, now);
    if (state.state === 'closed') throw new Refused(state.reason);
    const { mailbox } = state;
    const place = placeOf(db, form, post, mailbox, spam);
    // Who has written it, as far as is known: a search, an export and an erasure look for the person.
    const { name, email } = post;
    const writer = email && { address: email, ...(name === null ? {} : { name }) };
    const bytes = countedBytes(source.length);
    if (!hasRoom(db, bytes, limits()) || !hasRoomAside(db, place.state === 'inbox' ? 0 : bytes, limits()))
      throw new Refused('full');
    const seq = storeMail(db, {
      id,
      ...place,
      mailFrom: mailbox,
      recipients: [mailbox],
      head: { ...readHead(source), ...(writer === null ? {} : { from: writer }) },
      // It answers nothing.
      thread: { message: null, recipient: null, threadId: null },
      auth: NO_AUTH,
      ...{ spam, source: [source], now },
    });
    let message_seq: number | null = null;
    if (place.reason === UNPROVED) {
      if (accept === null || post.email === null) throw new Refused('sending');
      message_seq = ask(db, accept, form.settings, post.email, { id, seq });
    }
    postStore(db).insert({ form_seq: form.seq, posted_at: now, inbound_seq: seq, message_seq });
    return { kind: form.settings.proof ? 'asked' : 'arrived' };
  };

  /** Throws `rate_limited`. */
  return async (
    tenantId: string,
    form: FormRow,
    mailbox: Address,
    posted: Posted,
    clientAddress: string,
  ): Promise<Taken> => {
    const { settings } = form;
    const post = await readPost(settings, posted, formWordsIn(settings.language).page.problems);
    if (!('filled' in post)) return { kind: 'problems', problems: post };
    const key = `${tenantId} ${form.seq}`;
    // One client's part comes first: what it sends beyond that takes nothing from others.
    perClient(`${clientKey(clientAddress)} ${key}`);
    perForm(key);
    if (settings.proof && post.email !== null) perMailbox(mailboxOf(post.email));
    const id = newId();
    const source = formMail({ id, settings, post, mailbox, now: clock.now() });
    const host = config().service.host;
    // The visitor's own address is that of a home, whose mail each block list calls spam.
    const { isDeferred, ...spam } = await scan({
      sender: mailbox,
      recipients: [mailbox],
      source,
      clientAddress: OWN_ADDRESS,
      clientName: host,
      helo: host,
    });
    if (isDeferred) return { kind: 'closed', reason: 'sending' };
    const posting: Posting = { tenantId, formSeq: form.seq, post, id, source, spam };
    try {
      return settings.proof
        ? await intake.transact(tenantId, (db, accept) => store(db, accept, posting))
        : await storage.tenants.write(tenantId, (db) => store(db, null, posting));
    } catch (error) {
      if (error instanceof Refused) return { kind: 'closed', reason: error.reason };
      throw error;
    }
  };
};
