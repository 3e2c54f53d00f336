// One content for thousands of recipients: each gets a message of their own with their own values in it. The content
// is stored once, and for each message its values. An entry that cannot be sent is refused in its place of the answer; only a
// fault of the whole, such as a template that cannot be used, refuses the request. Rules look at every message, scanners at
// the first one, because the others are made of the same content.
import { hash } from 'node:crypto';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type Assessment, assessAlike } from '#src/content/assessment.ts';
import { practiceValues } from '#src/intake/templates/practice-values.ts';
import {
  type CompiledContent,
  compileContent,
  type TemplateContent,
  TOO_LONG,
} from '#src/intake/templates/render.ts';
import { loadTemplate, usualRoute } from '#src/intake/templates/resolve.ts';
import { toMergeData } from '#src/intake/templates/schema.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { FieldProblem } from '#src/kernel/error-table.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { createSlices, workThrough } from '#src/kernel/slices.ts';
import { check, unfit } from '#src/kernel/validate.ts';
import { AddressError, addressKey, parseAddress } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';
import type { Kind } from '#src/messages/kinds.ts';
import { messageStore } from '#src/messages/store.ts';
import { accept } from './accept.ts';
import { type BulkBody, type BulkRecipient, bulkRecipient, MAX_EMAIL } from './bulk-schema.ts';
import { type Draft, type DraftAttachment, frameOf } from './draft.ts';
import { type Candidate, evaluate, scan } from './evaluate.ts';
import type { GateKind } from './gate.ts';
import type { ImageLinks } from './images/image-links.ts';
import { inlined } from './images/inline.ts';
import type { IntakeContext } from './intake-context.ts';
import {
  type Answered,
  answerWhole,
  keyOfPart,
  type ManyRequest,
  type Outcome,
  outcomeOf,
  statusOf,
  type WholeAnswer,
} from './many.ts';
import { keepImages } from './store-message.ts';

export interface BulkRequest extends ManyRequest {
  readonly body: BulkBody;
}

/** What they look at is the same for every recipient: their refusal is answered once, for the whole request. */
export const CONCERNS_ALL = ['sender', 'request', 'time'] as const;

const entryPath = (index: number): string => `body.recipients[${index}]`;

/** UTF-16 code units of the values that all messages store. */
const MAX_KEPT = 100_000_000;
/** The bound for one entry: the first problems show the mistake, and there may be thousands of entries. */
const ENOUGH_PROBLEMS = 5;

export interface BulkContent {
  readonly content: TemplateContent;
  /** Values for all, of the practice and of the request; a recipient's own win. */
  readonly data: MergeData;
  readonly compiled: CompiledContent;
  readonly kind: Kind;
  readonly route: string | null;
  readonly settings: Draft['settings'];
  /** The stored template's. */
  readonly replyTo?: readonly Mailbox[] | undefined;
  readonly templateId?: string | undefined;
  /** Images that each mail carries. */
  readonly attachments?: readonly DraftAttachment[];
}

const contentOf = (db: TenantDb, { template, template_version }: BulkBody) => {
  if (typeof template === 'string') return loadTemplate(db, template, template_version);
  if (template_version !== undefined)
    throw unfit([
      { path: 'body.template_version', message: say`belongs to a stored template, and none is named` },
    ]);
  const { subject, text = null, html = null } = template;
  return {
    subject,
    text,
    html,
    kind: 'newsletter',
    replyTo: [],
    settings: {},
    templateId: undefined,
    images: 'linked',
  } as const;
};

/** Throws `not_found` for a stored template, `invalid_request` for one that cannot be used. */
export const bulkContent = (
  db: TenantDb,
  body: BulkBody,
  links?: Pick<ImageLinks, 'renewed'>,
): BulkContent => {
  const {
    kind: usualKind,
    replyTo,
    settings,
    templateId,
    images,
    subject,
    text,
    html: given,
  } = contentOf(db, body);
  const { html, attachments } = inlined(db, given, images, links);
  const content = { subject, text, html };
  const compiled = compileContent(content);
  if (compiled.problems.length > 0)
    throw unfit(compiled.problems.map(({ path, message }) => ({ path: `body.template.${path}`, message })));
  const data = { ...practiceValues(tenantStore(db).practice()), ...toMergeData(body.data ?? {}) };
  if (compiled.isTooLong(data)) throw unfit([{ path: 'body.data', message: TOO_LONG }]);
  const kind = body.message_kind ?? usualKind;
  return {
    content,
    data,
    compiled,
    kind,
    route: body.route ?? usualRoute(kind),
    settings: { ...settings, ...body.settings },
    replyTo,
    templateId,
    attachments,
  };
};

/** One of the recipients, with the values of their message, or with the reason why they get none. */
interface Entry {
  /** The address as it was given; '' where it is missing. */
  readonly email: string;
  readonly to: Mailbox | AppError;
  /** Their own. */
  readonly data: MergeData;
  /** Index of an earlier entry with the same address and values. */
  readonly duplicateOf: number | null;
}

/** The part that all messages share. */
export interface Common {
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
    return new AppError('invalid_recipient', say`email: ${error.text}`, {
      extra: { recipients: [email.slice(0, 254)] },
    });
  }
};

/** A family may share one address: the message is the same only where the values are the same too. */
const identityOf = ({ compiled }: BulkContent, { address }: Mailbox, data: MergeData): string =>
  [addressKey(address), ...compiled.fields.map((name) => data[name] ?? '')].join('\0');

const emailOf = (item: unknown): string => {
  const { email } = (item ?? {}) as { readonly email?: unknown };
  return typeof email === 'string' ? email.slice(0, MAX_EMAIL) : '';
};

const unfitEntry = (problems: readonly FieldProblem[]): AppError =>
  new AppError('invalid_entry', unfit(problems).text, {
    extra: { fields: problems.slice(0, ENOUGH_PROBLEMS) },
  });

/** Throws `invalid_request` where the own values of all entries together are too long. */
const entriesOf = async (written: BulkContent, { recipients }: BulkBody): Promise<Entry[]> => {
  const { compiled } = written;
  const seen = new Map<string, number>();
  const pause = createSlices();
  let kept = 0;
  const entryOf = (item: unknown, index: number): Entry => {
    const root = entryPath(index);
    const none = { email: emailOf(item), data: {}, duplicateOf: null };
    const checked = check(bulkRecipient, item, root);
    if (checked.problems !== null) return { ...none, to: unfitEntry(checked.problems) };
    const data = toMergeData(checked.value.data ?? {});
    const all = { ...written.data, ...data };
    const problems = compiled.problemsOf(all, `${root}.data`);
    if (problems.length > 0) return { ...none, to: unfitEntry(problems) };
    const to = mailboxOf(checked.value);
    if (to instanceof AppError) return { ...none, to };
    for (const value of Object.values(compiled.dataOfBody(data))) kept += value.length;
    if (kept > MAX_KEPT)
      throw unfit([{ path: 'body.recipients', message: say`have longer values than one request can take` }]);
    const identity = identityOf(written, to, all);
    const duplicateOf = seen.get(identity) ?? null;
    if (duplicateOf === null) seen.set(identity, index);
    return { email: none.email, to, data, duplicateOf };
  };
  const all: Entry[] = [];
  for (const [index, item] of recipients.entries()) {
    await pause();
    all.push(entryOf(item, index));
  }
  return all;
};

/** Throws `invalid_request` for addresses that cannot be understood. */
export const commonOf = (
  body: Pick<BulkBody, 'from' | 'reply_to' | 'tag' | 'tags' | 'metadata' | 'headers' | 'scheduled_at'>,
  written: BulkContent,
): Common => {
  const { from, reply_to, tag, tags, metadata, headers, scheduled_at } = body;
  const frame = frameOf({ to: [], from, reply_to, tag, tags, metadata, headers, scheduled_at });
  return {
    written,
    frame: {
      ...frame,
      kind: written.kind,
      route: written.route,
      settings: written.settings,
      replyTo: frame.replyTo.length > 0 ? frame.replyTo : (written.replyTo ?? []),
      templateId: written.templateId,
      attachments: written.attachments ?? [],
    },
  };
};

/** `data`: the recipient's own values. `sharedId`: of the content and the values for all. */
export const draftFor = (
  { written, frame }: Common,
  to: Mailbox,
  data: MergeData,
  sharedId: number | null,
): Draft => ({
  ...frame,
  to: [to],
  ...written.compiled.render({ ...written.data, ...data }),
  shared: sharedId === null ? null : { id: sharedId, data: written.compiled.dataOfBody(data) },
});

export type Assess = (draft: Draft) => Assessment;

/** Longer values of one recipient are a text of their own. */
const MAX_PLAIN_VALUES = 300;
/** What programs make a link of, with or without its scheme; numbers such as dates are none. */
const HOST = /[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.\p{L}{2,}/gu;

/**
 * Recipients whose messages a scanner rates alike share a name: their values are short and name the same hosts. Null: the values
 * are a text of their own.
 */
const scannedAs = (data: MergeData): string | null => {
  const values = Object.values(data).join('\n');
  if (values.length > MAX_PLAIN_VALUES) return null;
  return [...new Set(values.toLowerCase().match(HOST) ?? [])].toSorted().join(' ');
};

/** Scans the message of one recipient for all that are rated alike. Undefined: each of them is scanned for itself. */
export const createScans = (scanFor: (draft: Draft) => Promise<Assess>) => {
  const scans = new Map<string, Promise<Assess>>();
  return (draft: Draft, data: MergeData): Promise<Assess> | undefined => {
    const name = scannedAs(data);
    if (name === null) return undefined;
    const known = scans.get(name) ?? scanFor(draft);
    scans.set(name, known);
    return known;
  };
};

/** Runs these gates for one message, and throws their refusal; else says how to assess those like it. */
export const tryOne = async (
  intake: IntakeContext,
  tenantId: string,
  candidate: Candidate,
  kinds: readonly GateKind[],
): Promise<Assess> => {
  const { content, files, clock } = intake;
  const found = await files.read(tenantId, (db) =>
    evaluate(db, intake, candidate, content.rate, { now: clock.now(), kinds }),
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
  entries: readonly Entry[],
  digest: Buffer,
): Promise<Outcome[]> => {
  const { tenantId, tokenId = null, projects, body, key } = request;
  const { content, compiled, data: forAll } = common.written;
  const projectId = body.project_id ?? null;
  const scanned = createScans((draft) =>
    tryOne(intake, tenantId, { source: 'bulk', projects, projectId, draft }, CONCERNS_ALL),
  );
  const first = entries.find(({ to }) => !(to instanceof AppError));
  // What concerns all is refused before anything is stored; what its values say does not.
  if (first && !(first.to instanceof AppError)) await scanned(draftFor(common, first.to, {}, null), {});
  const sharedId = await intake.files.write(tenantId, (db) => {
    const now = intake.clock.now();
    keepImages(db, content.html, now);
    return messageStore(db).insertShared({ ...content, data: compiled.dataOfBody(forAll) }, now);
  });
  const sendOne = ({ to, data, duplicateOf }: Entry, index: number): Promise<Outcome | null> => {
    if (duplicateOf !== null) return Promise.resolve(null);
    return outcomeOf(entryPath(index), request, async () => {
      if (to instanceof AppError) throw to;
      const draft = draftFor(common, to, data, sharedId);
      const assess = await scanned(draft, data);
      return accept(intake, {
        tenantId,
        tokenId,
        projects,
        projectId,
        source: 'bulk',
        draft,
        ...(assess ? { assess } : {}),
        idempotency: key === null ? null : { key: keyOfPart(key, index), request: digest.toString('hex') },
      });
    });
  };
  const sent = await workThrough(entries, sendOne);
  // A refusal or an earlier answer leaves it unused; should this fail, retention removes it.
  await intake.files
    .write(tenantId, (db) => messageStore(db).removeUnusedShared(sharedId))
    .catch(() => undefined);
  return entries.map(({ duplicateOf }, index) => sent[duplicateOf ?? index] as Outcome);
};

const resultOf = ({ email, duplicateOf }: Entry, outcome: Outcome) => ({
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
    const written = await intake.files.read(tenantId, (db) => bulkContent(db, body, intake.images));
    const common = commonOf(body, written);
    const entries = await entriesOf(written, body);
    const outcomes = await sendAll(intake, request, common, entries, digest);
    const results = entries.map((one, index) => resultOf(one, outcomes[index] as Outcome));
    return { status: statusOf(outcomes), body: { results }, outcomes };
  });
};
