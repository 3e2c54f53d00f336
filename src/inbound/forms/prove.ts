// The link by which the one who filled in a form proves the address: what was held arrives then, once, and a receipt may follow.
import { lookOf } from '#src/accounts/pages/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AcceptHere } from '#src/intake/accept.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { writtenMailboxes } from '#src/mail/address-field.ts';
import { isFormProofFor } from '#src/mail/copy-links.ts';
import { parseEmail } from '#src/mail/email.ts';
import { headFieldsOf } from '#src/mail/field-block.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { ASKED_FOR } from '#src/messages/suppression-rules.ts';
import { release } from '../mailbox/change.ts';
import { mailboxFor } from '../recipient-rules.ts';
import { inboundSettingsStore } from '../settings-store.ts';
import { type InboundRow, inboundStore } from '../store.ts';
import { PROOF_WITHIN_MS, receiptMail } from './mails.ts';
import type { FormView } from './pages.ts';
import { type FormRow, formStore, type PostRow, postStore } from './store.ts';
import { UNPROVED } from './take.ts';

export interface ProofLink {
  readonly token: string;
  readonly inboundSeq: number;
}

interface Found {
  readonly mail: InboundRow;
  readonly post: PostRow;
  readonly form: FormRow;
}

const find = (db: TenantDb, linkKey: TokenKeys, { token, inboundSeq }: ProofLink): Found | null => {
  const mail = inboundStore(db).bySeq(inboundSeq);
  const post = postStore(db).ofMail(inboundSeq);
  const form = post && formStore(db).bySeq(post.form_seq);
  return mail && form && isFormProofFor(linkKey, token, mail.id) ? { mail, post, form } : null;
};

export type ProofView = Omit<FormView, 'serviceName'> & { readonly state: 'asked' | 'done' };

const viewOf = (db: TenantDb, { mail, post, form }: Found, now: number): ProofView | null => {
  const isDone = post.proved_at !== null;
  const waits = mail.state_reason === UNPROVED && mail.received_at + PROOF_WITHIN_MS > now;
  if (!isDone && !waits) return null;
  return {
    practice: tenantStore(db).practice(),
    look: lookOf(db),
    settings: form.settings,
    state: isDone ? 'done' : 'asked',
  };
};

/** Null where the link leads to nothing, or came too late. */
export const lookAtProof = (
  db: TenantDb,
  linkKey: TokenKeys,
  link: ProofLink,
  now: number,
): ProofView | null => {
  const found = find(db, linkKey, link);
  return found && viewOf(db, found, now);
};

const sendReceipt = (db: TenantDb, accept: AcceptHere, { mail, form }: Found, log: Log): void => {
  const { receipt } = form.settings;
  const source = inboundStore(db).piece(mail.seq, 0);
  const [writer] = source ? writtenMailboxes(headFieldsOf(source), 'reply-to') : [];
  const address = parseEmail(writer?.address ?? '')?.email;
  if (receipt === null || address === undefined) return;
  const practice = tenantStore(db).practice();
  const accepted = accept({
    source: ASKED_FOR,
    tenantId: practice.id,
    projects: null,
    projectId: null,
    draft: receiptMail({ practice, settings: form.settings, address: address as Address }, receipt),
    idempotency: null,
  });
  // What was sent has arrived all the same.
  if (accepted instanceof AppError)
    log.warn({ tenant: practice.id, code: accepted.code }, 'a receipt was refused');
};

/** Within `intake.transact`. Called again, it changes nothing. */
export const prove = (
  db: TenantDb,
  accept: AcceptHere,
  { linkKey, log }: { readonly linkKey: TokenKeys; readonly log: Log },
  link: ProofLink,
  now: number,
): ProofView | null => {
  const found = find(db, linkKey, link);
  const view = found && viewOf(db, found, now);
  if (!found || view?.state !== 'asked') return view;
  const { mail, post } = found;
  postStore(db).setProved(post.seq, now);
  const [mailbox = ''] = JSON.parse(mail.recipients_json) as string[];
  const { options } = inboundSettingsStore(db).current();
  if (mailboxFor(options, mailbox.slice(0, mailbox.lastIndexOf('@'))).mode === 'hold')
    inboundStore(db).setReason(mail.seq, 'mode');
  else release(db, mail, now);
  sendReceipt(db, accept, found, log);
  return { ...view, state: 'done' };
};

const unproved = (db: TenantDb, now: number): number[] =>
  inboundStore(db).waitingSince(UNPROVED, now - PROOF_WITHIN_MS);

/** Whether there is something that no one has proved in time. */
export const hasUnproved = (db: TenantDb, now: number): boolean => unproved(db, now).length > 0;

/** Removes some of it; its pieces are left to `removePieces`. */
export const removeUnproved = (db: TenantDb, now: number): void => inboundStore(db).remove(unproved(db, now));
