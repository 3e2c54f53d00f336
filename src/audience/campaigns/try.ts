// Tries a campaign before it is sent: what the gates and the rating say of its message, and that message in a few mailboxes of
// the practice's own. The message is the one of the first person who would get it.
import { memberStore } from '#src/accounts/people/member-store.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import type { Draft } from '#src/intake/draft.ts';
import { type ScoreAnswer, score } from '#src/intake/score.ts';
import { MAX_SUBJECT, TOO_LONG } from '#src/intake/templates/render.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Language } from '#src/kernel/language.ts';
import { unfit } from '#src/kernel/validate.ts';
import { AddressError, addressDomain, addressKey, parseAddress } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { campaignOf } from './change.ts';
import { choosingFor, sampleOf } from './preview.ts';
import type { CampaignRow } from './store.ts';

interface Sample {
  readonly row: CampaignRow;
  readonly draft: Draft;
  /** Of the person whose values it has; null: no one would get the campaign. */
  readonly consentEntry: string | null;
}

/** Values that no one has are shown by their names. */
const placeholders = (fields: readonly string[]): MergeData =>
  Object.fromEntries(fields.map((name) => [name, `[${name}]`]));

const sampleDraft = (
  db: TenantDb,
  context: AudienceContext,
  campaignId: string,
  data: MergeData = {},
): Sample => {
  const row = campaignOf(db, campaignId);
  const choosing = choosingFor(db, row, context.clock.now());
  const sample = sampleOf(db, context, row, choosing);
  const { mailing } = choosing;
  const values = { ...placeholders(mailing.fields), ...sample?.values, ...data };
  if (mailing.isTooLong(values)) throw unfit([{ path: 'body.data', message: TOO_LONG }]);
  const subscriber = sample?.subscriber ?? {
    address: `success@${context.intake.context.simulatorDomain}`,
    name: null,
  };
  const entry = sample && consentStore(db).bySeq(sample.subscriber.consent_seq);
  return { row, draft: mailing.draftFor(subscriber, values, null), consentEntry: entry?.id ?? null };
};

/** Throws as `score`, and `not_found`. */
export const scoreCampaign = async (
  context: AudienceContext,
  tenantId: string,
  campaignId: string,
  language: Language,
): Promise<ScoreAnswer> => {
  const { row, draft, consentEntry } = await context.files.read(tenantId, (db) =>
    sampleDraft(db, context, campaignId),
  );
  const candidate = {
    source: 'campaign',
    projects: null,
    projectId: row.project_id,
    draft,
    campaign: { consentEntry },
  } as const;
  return score(context.intake.context, tenantId, candidate, language);
};

const MARK = '[Test] ';

const parsed = (text: string, index: number): Mailbox => {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) throw unfit([{ path: `body.to[${index}]`, message: error.message }]);
    throw error;
  }
};

/**
 * Mailboxes of members, of the operator's testers, and the simulator: a test goes to who has agreed to nothing, so strangers must
 * not get it. Throws `invalid_recipient`.
 */
const requireOwn = (db: TenantDb, { config, intake }: AudienceContext, to: readonly Mailbox[]): void => {
  const { allowlist, placement_testers } = config().safe_mode;
  const allowed = new Set([...allowlist, ...placement_testers]);
  const isOwn = ({ address }: Mailbox): boolean =>
    memberStore(db).byEmail(addressKey(address))?.status === 'active' ||
    allowed.has(addressKey(address)) ||
    allowed.has(`@${addressDomain(address)}`) ||
    addressDomain(address) === intake.context.simulatorDomain;
  const others = to.filter((mailbox) => !isOwn(mailbox)).map(({ address }) => address);
  if (others.length > 0)
    throw new AppError('invalid_recipient', 'Tests of a campaign go to members of the practice only.', {
      hint: "Use addresses of active members, the mailbox simulator's, or one on the operator's allowlist.",
      extra: { recipients: others },
    });
};

export interface TestRequest {
  readonly to: readonly string[];
  readonly data: MergeData;
}

/** One message an address, in their order. Rejects with the first refusal; those before it are sent. */
export const testCampaign = async (
  context: AudienceContext,
  tenantId: string,
  campaignId: string,
  { to, data }: TestRequest,
) => {
  const mailboxes = to.map(parsed);
  const { row, draft } = await context.files.read(tenantId, (db) => {
    const sample = sampleDraft(db, context, campaignId, data);
    requireOwn(db, context, mailboxes);
    return sample;
  });
  const subject = `${MARK}${draft.subject}`.slice(0, MAX_SUBJECT).toWellFormed();
  const messages = [];
  for (const mailbox of mailboxes) {
    const accepted = await context.intake.accept({
      tenantId,
      projects: null,
      projectId: row.project_id,
      source: 'api',
      draft: { ...draft, subject, to: [mailbox] },
      idempotency: null,
    });
    if (accepted.kind === 'blocked') throw accepted.error;
    messages.push({ address: mailbox.address, message: accepted.answer });
  }
  return messages;
};
