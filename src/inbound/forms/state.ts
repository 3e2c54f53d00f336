// Whether a form takes anything. This is the only place that decides it: its page, what is sent by it, and what the practice is
// shown ask here.
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import { sendingHost } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { messageStore } from '#src/messages/store.ts';
import type { ClosedReason } from './schema.ts';
import { type FormRow, postStore } from './store.ts';

/**
 * The last mails to addresses that strangers typed: where many of them do not exist, the form is used to send mail to others. It opens
 * by itself when they are old.
 */
const LOOKED_AT = { mails: 40, days: 2 };
const TOO_MANY_FAILED = { from: 8, percent: 25 };

export type FormState =
  | { readonly state: 'open'; readonly mailbox: Address }
  | { readonly state: 'closed'; readonly reason: ClosedReason };

const bounces = (db: TenantDb, { seq }: FormRow, now: number): boolean => {
  const mails = postStore(db).lastMessages(seq, now - LOOKED_AT.days * DAY, LOOKED_AT.mails);
  const failed = mails.filter((message) =>
    messageStore(db)
      .recipients(message)
      .some(({ status }) => status === 'hard_bounced' || status === 'spam_complaint'),
  ).length;
  const { from, percent } = TOO_MANY_FAILED;
  return failed >= from && failed * 100 >= mails.length * percent;
};

export const sentLastDay = (db: TenantDb, { seq }: FormRow, now: number): number =>
  postStore(db).countSince(seq, now - DAY);

export const formStateOf = (
  db: TenantDb,
  form: FormRow,
  answering: Pick<Answering, 'usual'>,
  now: number,
): FormState => {
  const closed = (reason: ClosedReason): FormState => ({ state: 'closed', reason });
  const practice = tenantStore(db).practice();
  if (!form.settings.is_open) return closed('closed');
  if (practice.safe_mode === 1) return closed('safe_mode');
  const mailbox = answering.usual(db, sendingHost(practice));
  if (mailbox === null) return closed('receiving_off');
  if (sentLastDay(db, form, now) >= form.settings.per_day) return closed('per_day');
  if (form.settings.proof && bounces(db, form, now)) return closed('bounces');
  return { state: 'open', mailbox };
};

export const hints: Readonly<Record<ClosedReason, string>> = {
  closed: 'Set `is_open` of the form.',
  safe_mode: 'Safe mode keeps mail from strangers. Go live: the onboarding says what is missing.',
  receiving_off: 'What is sent arrives in the inbox: POST /api/practices/{id}/inbound/enable.',
  sending: 'No mail can be sent that asks for a proof of the address.',
  bounces:
    'Strangers entered many addresses that do not exist. The form opens again by itself, after two days at the latest.',
  per_day: 'As much was sent in 24 hours as `per_day` allows. The form opens again by itself.',
  full: 'The mailbox is full. Delete mail, or keep it for a shorter time.',
};
