// Whether the public form of a list takes requests. This is the only place that decides it: the page of the form, what it sends, and
// what the practice is shown of it all ask here. A form is closed where a request could not be answered by a mail that asks to confirm
// it: nothing may be promised, and nothing is stored. Where that mail only has to wait, the form is open. Pure.
import { z } from 'zod';
import { missingLegal } from '#src/accounts/tenants/legal.ts';
import type { ListRow } from '#src/audience/lists/store.ts';
import type { Facts } from '#src/intake/gate.ts';
import { planCap } from '#src/intake/gates/content-gates.ts';
import type { GateResult } from '#src/intake/gates.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import type { FormHealth } from './form-health.ts';

/**
 * `archived`, `not_public`: the list. `safe_mode`: strangers cannot be mailed. `legal_incomplete`: the practice does not say who it is.
 * `content`: the confirmation mail would be refused for what the practice wrote. `sending`: it would be refused for another reason.
 * `bounces`: too many of its mails bounced or were complained of; it opens by itself.
 */
export const closedReasons = [
  'archived',
  'not_public',
  'safe_mode',
  'legal_incomplete',
  'content',
  'sending',
  'bounces',
] as const;
export type ClosedReason = (typeof closedReasons)[number];

/** `paused`: until someone resumes the practice. `plan_cap`: until the month ends, or the plan is changed. */
export const waitReasons = ['paused', 'plan_cap'] as const;
export type WaitReason = (typeof waitReasons)[number];

export type FormState =
  | { readonly state: 'open' }
  /**
   * Requests are stored, and their mails wait. `until`: ms; null: it is not known. `heldUntil`: for the plan's cap, which may be reached
   * beside a pause; null: it is not.
   */
  | {
      readonly state: 'waiting';
      readonly reason: WaitReason;
      readonly until: number | null;
      readonly heldUntil: number | null;
    }
  | { readonly state: 'closed'; readonly reason: ClosedReason };

const isHeld = ({ verdicts }: Pick<GateResult, 'verdicts'>, name: string): boolean =>
  verdicts.some(({ gate, verdict }) => gate === name && verdict === 'held');

/** `facts` and `result`: what all gates say of a confirmation mail to someone unknown; `health`: what became of its mails of the last days. */
export const formStateOf = (
  list: Pick<ListRow, 'archived_at' | 'is_public'>,
  facts: Pick<Facts, 'safeMode' | 'legal' | 'pause'>,
  health: FormHealth,
  result: Pick<GateResult, 'refusals' | 'blocked' | 'verdicts' | 'heldUntil'>,
): FormState => {
  const closed = (reason: ClosedReason): FormState => ({ state: 'closed', reason });
  if (list.archived_at !== null) return closed('archived');
  if (list.is_public === 0) return closed('not_public');
  if (facts.safeMode) return closed('safe_mode');
  if (missingLegal(facts).length > 0) return closed('legal_incomplete');
  if (result.blocked || result.refusals.some(({ code }) => code === 'promotional_on_transactional'))
    return closed('content');
  if (result.refusals.length > 0) return closed('sending');
  if (health === 'closed') return closed('bounces');
  const heldUntil = isHeld(result, planCap.name) ? result.heldUntil : null;
  if (facts.pause !== null) return { state: 'waiting', reason: 'paused', until: null, heldUntil };
  if (heldUntil !== null) return { state: 'waiting', reason: 'plan_cap', until: heldUntil, heldUntil };
  return { state: 'open' };
};

/** What a stranger is answered; why it is closed is for the practice, but a program must know whether to try again. */
export const formClosed = (reason: ClosedReason): AppError<'form_closed'> =>
  new AppError('form_closed', say`The form of this list takes no requests.`, { extra: { reason } });

const hints: Readonly<Record<ClosedReason | WaitReason, string>> = {
  archived: 'The list is archived, which cannot be undone. Create another list.',
  not_public: 'Set `is_public` of the list: PATCH /api/practices/{id}/lists/{listID}.',
  safe_mode: 'Safe mode keeps mail from strangers. Go live: the onboarding says what is missing.',
  legal_incomplete:
    'Complete the legal block (street, city, privacy_url): PATCH /api/practices/{id}/compliance.',
  content:
    'The confirmation mail looks like advertising. Change the wording of the list, which is its only text of yours.',
  sending: 'POST /api/practices/{id}/send/score with `message_kind` `doi` says why such a mail is refused.',
  bounces:
    'Strangers entered many addresses that do not exist. The form opens again by itself, after two days at the latest.',
  paused: 'Requests are stored, and their mails leave when the practice is resumed.',
  plan_cap: 'Requests are stored, and their mails leave when the month ends or the plan is changed.',
};

/** The form as the practice sees it. */
export const listFormSchema = z
  .strictObject({
    url: z.url(),
    html: z.string(),
    state: z
      .enum(['open', 'waiting', 'closed'])
      .describe('`waiting`: requests are stored, and their mails leave later. `closed`: nothing is stored'),
    reason: z.enum([...closedReasons, ...waitReasons]).nullable(),
    until: z.iso.datetime().nullable().describe('when waiting mails leave, as far as it is known'),
    hint: z.string().nullable().describe('what to do about it'),
  })
  .meta({ id: 'ListForm' });

export const presentFormState = (form: FormState) => ({
  state: form.state,
  reason: form.state === 'open' ? null : form.reason,
  until: form.state === 'waiting' ? toIsoOrNull(form.until) : null,
  hint: form.state === 'open' ? null : hints[form.reason],
});
