// One content for up to 10,000 recipients, each of whom gets a message of their own with their own values in it. The
// content is kept once; of each message its values. Rules look at every message, scanners at the first: they are all of
// one making.
import { hash } from 'node:crypto';
import { type Assessment, assessAlike } from '#src/intake/content/assessment.ts';
import type { Caller } from '#src/kernel/access.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { AddressError, addressKey, parseAddress, withoutInvisibles } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { messageStore } from '#src/messages/store.ts';
import { type AcceptDeps, accept, consider, scan } from './accept.ts';
import { type BulkContent, bulkContent, type Wanted, wantedOf } from './bulk-content.ts';
import type { BulkBody, BulkRecipient } from './bulk-schema.ts';
import { type Draft, frameOf } from './draft.ts';
import { createSlices, type Outcome, outcomeOf, statusOf, workThrough } from './many.ts';
import { type Answered, answerWhole, keyOfPart, type WholeAnswer } from './whole-request.ts';

export interface BulkRequest {
  readonly tenantId: string;
  readonly projects: Caller['projects'];
  readonly body: BulkBody;
  readonly key: string | null;
  readonly log: Log;
}

/** Refusals that no recipient can change: said once, for the whole. */
const CONCERNS_ALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'kind_not_allowed_on_route',
  'from_not_allowed',
  'dkim_not_verified',
  'tenant_paused',
  'header_not_allowed',
  'impressum_incomplete',
  'warmup_not_ready',
  'invalid_request',
]);

/** A recipient with what their message is made of, or with why they get none. */
interface Addressed extends Wanted {
  readonly to: Mailbox | AppError;
  /** Place of the same recipient with the same values before. */
  readonly duplicateOf: number | null;
}

/** All that their messages have in common. */
interface Common {
  readonly written: BulkContent;
  readonly frame: Omit<Draft, 'to' | 'subject' | 'text' | 'html'>;
}

const mailboxOf = ({ email, name }: BulkRecipient): Mailbox | AppError => {
  try {
    const mailbox = parseAddress(email);
    const shown = withoutInvisibles(name ?? '').trim();
    return mailbox.name !== undefined || shown === '' ? mailbox : { ...mailbox, name: shown };
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return new AppError('invalid_recipient', `email: ${error.message}`, {
      extra: { recipients: [email.slice(0, 254)] },
    });
  }
};

/** A family shares an address: only where the values are the same, too, it is the same message. */
const identityOf = ({ compiled }: BulkContent, { address }: Mailbox, data: MergeData): string =>
  [addressKey(address), ...compiled.fields.map((name) => data[name] ?? '')].join('\0');

const addressAll = async (written: BulkContent, wanted: readonly Wanted[]): Promise<Addressed[]> => {
  const seen = new Map<string, number>();
  const pause = createSlices();
  const all: Addressed[] = [];
  for (const [index, { given, data }] of wanted.entries()) {
    await pause();
    const to = mailboxOf(given);
    const identity = to instanceof AppError ? null : identityOf(written, to, data);
    const duplicateOf = identity === null ? null : (seen.get(identity) ?? null);
    if (identity !== null && duplicateOf === null) seen.set(identity, index);
    all.push({ given, data, to, duplicateOf });
  }
  return all;
};

const commonOf = (body: BulkBody, written: BulkContent): Common => {
  const { from, reply_to, tag, tags, metadata, headers, scheduled_at } = body;
  const frame = frameOf({ to: [], from, reply_to, tag, tags, metadata, headers, scheduled_at });
  return {
    written,
    frame: { ...frame, kind: written.kind, route: written.route, settings: written.settings },
  };
};

const draftFor = (
  { written, frame }: Common,
  to: Mailbox,
  data: MergeData,
  sharedId: number | null,
): Draft => ({
  ...frame,
  to: [to],
  ...written.compiled.render(data),
  shared: sharedId === null ? null : { id: sharedId, data: written.compiled.dataOfBody(data) },
});

type Assess = (draft: Draft) => Assessment;

/** Passes the gates with the first message. Throws what concerns all; else says how each is to be assessed. */
const tryFirst = async (
  deps: AcceptDeps,
  { tenantId, projects, body }: BulkRequest,
  draft: Draft,
): Promise<Assess> => {
  const { content } = deps;
  const asked = { source: 'bulk', projects, projectId: body.project_id ?? null, draft } as const;
  const found = await deps.files.read(tenantId, (db) =>
    consider(db, asked, content.rate, deps, deps.clock.now()),
  );
  const { refusal } = found.passage;
  if (refusal !== null && CONCERNS_ALL.has(refusal.code)) throw refusal;
  if (!content.scans()) return content.rate;
  const { scanner } = await scan(deps, tenantId, found);
  return scanner === null ? content.rate : (one) => assessAlike(content.rate(one), scanner);
};

const sendAll = async (
  deps: AcceptDeps,
  request: BulkRequest,
  common: Common,
  addressed: readonly Addressed[],
  digest: Buffer,
): Promise<Outcome[]> => {
  const { tenantId, projects, body, key, log } = request;
  const { content } = common.written;
  const first = addressed.find(({ to }) => !(to instanceof AppError));
  const assess =
    first && !(first.to instanceof AppError)
      ? await tryFirst(deps, request, draftFor(common, first.to, first.data, null))
      : deps.content.rate;
  const sharedId = await deps.files.write(tenantId, (db) =>
    messageStore(db).insertShared(content, deps.clock.now()),
  );
  const sendOne = ({ to, data, duplicateOf }: Addressed, index: number): Promise<Outcome | null> => {
    if (duplicateOf !== null) return Promise.resolve(null);
    return outcomeOf(`body.recipients[${index}]`, log, async () => {
      if (to instanceof AppError) throw to;
      return accept(deps, {
        tenantId,
        projects,
        projectId: body.project_id ?? null,
        source: 'bulk',
        draft: draftFor(common, to, data, sharedId),
        assess,
        idempotency: key === null ? null : { key: keyOfPart(key, index), request: digest.toString('hex') },
      });
    });
  };
  const sent = await workThrough(addressed, sendOne);
  // What a refusal or an earlier answer left unused; should this fail, retention finds it.
  await deps.files
    .write(tenantId, (db) => messageStore(db).removeUnusedShared(sharedId))
    .catch(() => undefined);
  return addressed.map(({ duplicateOf }, index) => sent[duplicateOf ?? index] as Outcome);
};

const resultOf = ({ given: { email }, duplicateOf }: Addressed, outcome: Outcome) => ({
  email,
  ...(outcome.kind === 'accepted' ? outcome.answer : outcome.refusal),
  ...(duplicateOf === null ? {} : { duplicate_of: duplicateOf }),
});

/** One result a recipient, in their order. Rejects with what concerns all of them, and as `answerWhole`. */
export const sendBulk = (deps: AcceptDeps, request: BulkRequest): Promise<Answered> => {
  const { tenantId, projects, body, key } = request;
  const { idempotency_key: _, ...asked } = body;
  const digest = hash('sha256', `bulk\n${JSON.stringify(asked)}`, 'buffer');
  const whole = { tenantId, projects, projectId: body.project_id ?? null, key, digest };
  return answerWhole(deps, whole, async (): Promise<WholeAnswer> => {
    const written = await deps.files.read(tenantId, (db) => bulkContent(db, body));
    const common = commonOf(body, written);
    const addressed = await addressAll(written, await wantedOf(written, body));
    const outcomes = await sendAll(deps, request, common, addressed, digest);
    const results = addressed.map((one, index) => resultOf(one, outcomes[index] as Outcome));
    return { status: statusOf(outcomes), body: { results }, outcomes };
  });
};
