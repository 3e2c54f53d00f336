// Tries a campaign before it is sent: what the gates and the rating say of its message, and that message in a few mailboxes of
// the practice's own. What is asked of the gates is the message of the first person who would get it; a test that leaves has no
// values of a subscriber.
import { memberStore } from '#src/accounts/entry/member-store.ts';
import { consentStore } from '#src/audience/consent/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { blockedError } from '#src/intake/answer.ts';
import { tryOne } from '#src/intake/bulk.ts';
import type { Draft } from '#src/intake/draft.ts';
import { type SaidTo, type ScoreAnswer, score } from '#src/intake/score.ts';
import { MAX_SUBJECT, TOO_LONG } from '#src/intake/templates/render.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import { AddressError, addressDomain, addressKey, parseAddress } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { campaignOf } from './change.ts';
import type { Chosen } from './choose.ts';
import { type Mailing, mailingIn } from './content.ts';
import { OF_CONTENT, TRIED_FIRST } from './hand-over.ts';
import { noRecipients } from './no-recipients.ts';
import { type Counting, choosingFor, countAudience, sampleOf } from './preview.ts';
import type { CampaignRow } from './store.ts';

/** Counting an audience takes some seconds of the event loop for 100,000 people: `limitCounts` throws `rate_limited`. */
export interface CampaignContext extends AudienceContext {
  readonly limitCounts: (tenantId: string) => void;
}

interface Sample {
  readonly row: CampaignRow;
  readonly draft: Draft;
  /** The entry of the person whose values it has; null: no one would get the campaign. */
  readonly consentEntry: string | null;
}

const draftOf = (
  { intake }: AudienceContext,
  mailing: Mailing,
  sample: Pick<Chosen, 'subscriber'> | null,
  given: MergeData,
): Draft => {
  const values = { ...mailing.placeholders, ...given };
  if (mailing.isTooLong(values)) throw unfit([{ path: 'body.data', message: TOO_LONG }]);
  const subscriber = sample?.subscriber ?? {
    address: `success@${intake.context.simulatorDomain}`,
    name: null,
  };
  return mailing.draftFor(subscriber, values, null);
};

const sampleDraft = (db: TenantDb, context: AudienceContext, campaignId: string): Sample => {
  const row = campaignOf(db, campaignId);
  const choosing = choosingFor(db, row, context.clock.now());
  const sample = sampleOf(db, context, row, choosing);
  const entry = sample && consentStore(db).bySeq(sample.subscriber.consent_seq);
  const draft = draftOf(context, choosing.mailing, sample, sample?.values ?? {});
  return { row, draft, consentEntry: entry?.id ?? null };
};

/** Throws what every message of the campaign would be refused with now, and `no_recipients`. */
export const requireReady = async (
  context: CampaignContext,
  tenantId: string,
  find: Counting['find'],
): Promise<void> => {
  const { files, clock, intake } = context;
  const sample = await files.read(tenantId, (db) => {
    const { row, content } = find(db);
    const choosing = choosingFor(db, row, clock.now(), content);
    const chosen = sampleOf(db, context, row, choosing);
    if (chosen === null) return null;
    const consentEntry = consentStore(db).bySeq(chosen.subscriber.consent_seq)?.id ?? null;
    return { row, mailing: choosing.mailing, chosen, consentEntry };
  });
  if (sample === null) {
    context.limitCounts(tenantId);
    const count = await countAudience(context, tenantId, { find, enough: 1 });
    if (count.willReceive === 0) throw noRecipients(count);
    return;
  }
  const { row, mailing, chosen, consentEntry } = sample;
  // Other refusals of these gates concern that person only.
  const gates = chosen.isHeldBySafeMode ? ([...TRIED_FIRST, 'recipients'] as const) : TRIED_FIRST;
  const tryWith = async (values: MergeData): Promise<void> => {
    const draft = draftOf(context, mailing, chosen, values);
    const candidate = {
      source: 'campaign',
      projects: null,
      projectId: row.project_id,
      draft,
      campaign: { consentEntry },
    } as const;
    const assessment = (await tryOne(intake.context, tenantId, candidate, gates))(draft);
    if (assessment.block !== null) throw blockedError('', assessment);
  };
  try {
    await tryWith(chosen.values);
  } catch (refusal) {
    if (!(refusal instanceof AppError && OF_CONTENT.has(refusal.code))) throw refusal;
    // Their values may be what is refused.
    await tryWith({});
  }
};

/** Throws as `score`, and `not_found`. */
export const scoreCampaign = async (
  context: AudienceContext,
  tenantId: string,
  campaignId: string,
  to: SaidTo,
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
  return score(context.intake.context, tenantId, candidate, to);
};

const MARK = '[Test] ';

const parsed = (text: string, index: number): Mailbox => {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) throw unfit([{ path: `body.to[${index}]`, message: error.text }]);
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
    throw new AppError('invalid_recipient', say`Tests of a campaign go to members of the practice only.`, {
      hint: say`Use addresses of active members, the mailbox simulator's, or one on the operator's allowlist.`,
      extra: { recipients: others },
    });
};

/** One message an address, in their order. Rejects with the first refusal; those before it are sent. */
export const testCampaign = async (
  context: AudienceContext,
  tenantId: string,
  campaignId: string,
  { to, data }: { readonly to: readonly string[]; readonly data: MergeData },
) => {
  const mailboxes = to.map(parsed);
  const { row, draft } = await context.files.read(tenantId, (db) => {
    const found = campaignOf(db, campaignId);
    requireOwn(db, context, mailboxes);
    return { row: found, draft: draftOf(context, mailingIn(db, found), null, data) };
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
