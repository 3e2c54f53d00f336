// One content for thousands of recipients: each gets a message of their own with their own values in it. The content
// is stored once, and for each message its values. All of it is checked before anything is sent. Rules look at every message,
// scanners at the first one, because the others are made of the same content.
import { hash } from 'node:crypto';
import { type Assessment, assessAlike } from '#src/intake/content/assessment.ts';
import { type CompiledContent, compileContent, type TemplateContent } from '#src/intake/templates/render.ts';
import { loadTemplate, usualRoute } from '#src/intake/templates/resolve.ts';
import { toMergeData } from '#src/intake/templates/schema.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError, type FieldProblem } from '#src/kernel/errors.ts';
import { check, unfit } from '#src/kernel/validate.ts';
import { AddressError, addressKey, parseAddress, withoutInvisibles } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import type { Kind } from '#src/messages/kinds.ts';
import { messageStore } from '#src/messages/store.ts';
import { accept } from './accept.ts';
import { type BulkBody, type BulkRecipient, bulkRecipient } from './bulk-schema.ts';
import { type Draft, frameOf } from './draft.ts';
import { evaluate, scan } from './evaluate.ts';
import type { IntakeContext } from './intake-context.ts';
import {
  type Answered,
  answerWhole,
  createSlices,
  keyOfPart,
  type ManyRequest,
  type Outcome,
  outcomeOf,
  statusOf,
  type WholeAnswer,
  workThrough,
} from './many.ts';

export interface BulkRequest extends ManyRequest {
  readonly body: BulkBody;
}

/** What they look at is the same for every recipient: their refusal is answered once, for the whole request. */
export const CONCERNS_ALL = ['sender', 'request', 'time'] as const;

/** UTF-16 code units of the values that all messages store; values for all recipients are stored with each of them. */
const MAX_KEPT = 100_000_000;
/** The first ones show the mistake. */
const ENOUGH_PROBLEMS = 20;

export interface BulkContent {
  readonly content: TemplateContent;
  readonly compiled: CompiledContent;
  readonly kind: Kind;
  readonly route: string | null;
  readonly settings: Draft['settings'];
}

const contentOf = (db: TenantDb, { template, template_version }: BulkBody) => {
  if (typeof template === 'string') return loadTemplate(db, template, template_version);
  if (template_version !== undefined)
    throw unfit([
      { path: 'body.template_version', message: 'belongs to a stored template, and none is named' },
    ]);
  const { subject, text = null, html = null } = template;
  return { subject, text, html, kind: 'newsletter', settings: {} } as const;
};

/** Throws `not_found` for a stored template, `invalid_request` for one that cannot be used. */
export const bulkContent = (db: TenantDb, body: BulkBody): BulkContent => {
  const { kind: usualKind, settings, subject, text, html } = contentOf(db, body);
  const content = { subject, text, html };
  const compiled = compileContent(content);
  if (compiled.problems.length > 0)
    throw unfit(compiled.problems.map(({ path, message }) => ({ path: `body.template.${path}`, message })));
  const kind = body.message_kind ?? usualKind;
  return {
    content,
    compiled,
    kind,
    route: body.route ?? usualRoute(kind),
    settings: { ...settings, ...body.settings },
  };
};

export interface Wanted {
  readonly given: BulkRecipient;
  readonly data: MergeData;
}

/**
 * The recipients with values for each, in their order. Throws `invalid_request` where any is malformed or lacks what
 * the template needs.
 */
export const wantedOf = async (
  { compiled }: Pick<BulkContent, 'compiled'>,
  { recipients, data = {} }: BulkBody,
): Promise<Wanted[]> => {
  const problems: FieldProblem[] = [];
  const all: Wanted[] = [];
  const pause = createSlices();
  let kept = 0;
  for (const [index, item] of recipients.entries()) {
    await pause();
    const root = `body.recipients[${index}]`;
    const checked = check(bulkRecipient, item, root);
    if (checked.problems === null) {
      const given = checked.value;
      const values = toMergeData({ ...data, ...given.data });
      problems.push(...compiled.problemsOf(values, `${root}.data`));
      for (const value of Object.values(compiled.dataOfBody(values))) kept += value.length;
      if (kept > MAX_KEPT)
        throw unfit([{ path: 'body.data', message: 'is too long for this number of recipients' }]);
      all.push({ given, data: values });
    } else problems.push(...checked.problems);
    if (problems.length >= ENOUGH_PROBLEMS) break;
  }
  if (problems.length > 0) throw unfit(problems);
  return all;
};

/** A recipient with the values of their message, or with the reason why they get none. */
interface Addressed extends Wanted {
  readonly to: Mailbox | AppError;
  /** Index of an earlier recipient with the same address and values. */
  readonly duplicateOf: number | null;
}

/** The part that all messages share. */
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

/** A family may share one address: the message is the same only where the values are the same too. */
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

/** Runs the gates that concern all for the first message, and throws their refusal; else says how to assess each one. */
const tryFirst = async (
  intake: IntakeContext,
  { tenantId, projects, body }: BulkRequest,
  draft: Draft,
): Promise<Assess> => {
  const { content, files, clock } = intake;
  const candidate = { source: 'bulk', projects, projectId: body.project_id ?? null, draft } as const;
  const found = await files.read(tenantId, (db) =>
    evaluate(db, intake, candidate, content.rate, { now: clock.now(), kinds: CONCERNS_ALL }),
  );
  if (found.result.refusal !== null) throw found.result.refusal;
  if (!content.scans()) return content.rate;
  const { scanner } = await scan(intake, tenantId, found);
  return scanner === null ? content.rate : (one) => assessAlike(content.rate(one), scanner);
};

const sendAll = async (
  intake: IntakeContext,
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
      ? await tryFirst(intake, request, draftFor(common, first.to, first.data, null))
      : intake.content.rate;
  const sharedId = await intake.files.write(tenantId, (db) =>
    messageStore(db).insertShared(content, intake.clock.now()),
  );
  const sendOne = ({ to, data, duplicateOf }: Addressed, index: number): Promise<Outcome | null> => {
    if (duplicateOf !== null) return Promise.resolve(null);
    return outcomeOf(`body.recipients[${index}]`, log, async () => {
      if (to instanceof AppError) throw to;
      return accept(intake, {
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
  // A refusal or an earlier answer leaves it unused; should this fail, retention removes it.
  await intake.files
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
export const sendBulk = (intake: IntakeContext, request: BulkRequest): Promise<Answered> => {
  const { tenantId, body } = request;
  const { idempotency_key: _, ...asked } = body;
  const digest = hash('sha256', `bulk\n${JSON.stringify(asked)}`, 'buffer');
  const whole = { ...request, projectId: body.project_id ?? null, digest };
  return answerWhole(intake, whole, async (): Promise<WholeAnswer> => {
    const written = await intake.files.read(tenantId, (db) => bulkContent(db, body));
    const common = commonOf(body, written);
    const addressed = await addressAll(written, await wantedOf(written, body));
    const outcomes = await sendAll(intake, request, common, addressed, digest);
    const results = addressed.map((one, index) => resultOf(one, outcomes[index] as Outcome));
    return { status: statusOf(outcomes), body: { results }, outcomes };
  });
};
