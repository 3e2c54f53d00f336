// The one way in. Everything that asks for a message to be sent ends here: facts are read and gates passed inside the
// transaction that stores message, recipients, queue rows and event, so that no state can change in between; one sync
// of the disk, shared with whoever commits at the same moment, and only then the answer.
//
// Scanners take their time, and a transaction has none. Where one is configured, the gates are passed twice: first
// without the scanners' word, so that nothing is scanned that is refused anyway or was answered before; then, once they
// have spoken, in the transaction that stores.
import { hash } from 'node:crypto';
import { type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { Assessment } from '#src/intake/content/assessment.ts';
import type { ContentCheck } from '#src/intake/content/check-content.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { Lane } from '#src/kernel/stream.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import { composeUnsigned } from '#src/messages/compose/prepare.ts';
import { answerOf, blockedError } from './answer.ts';
import type { Draft } from './draft.ts';
import { type FactsDeps, readFacts } from './facts.ts';
import { countedMails, type Facts, kindOf, recipientsOf } from './gate.ts';
import { type Passage, passGates } from './gates.ts';
import { previewOf } from './preview.ts';
import type { Repeats } from './repeats.ts';
import type { SendAnswer } from './schema.ts';
import { idempotencyStore } from './store.ts';
import { storeMessage } from './store-message.ts';
import { trackingOf } from './tracking.ts';
import { reachedShare } from './usage-rules.ts';

/** How long a key answers with what was answered first. */
export const IDEMPOTENCY_PERIOD = DAY;

export interface AcceptDeps extends FactsDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly content: ContentCheck;
  readonly repeats: Repeats;
  /** Seals the content of the service's own mails; 32 bytes. */
  readonly contentKey: Buffer;
  /** Resolves when a restart could not forget that the tenant may have mail due; the result ends the hold on that. */
  readonly holdDue: (tenantId: string, dueAt: number) => Promise<() => void>;
  /** Tells that something of the tenant is due. */
  readonly wake: (tenantId: string, lane: Lane, dueAt: number) => void;
  /** A share of the plan's cap has been reached that the owners have not been told of. */
  readonly tellUsage: (tenantId: string) => void;
}

/** The service's own mail bears header fields that no sender may set, and its content is kept sealed. */
type Origin =
  | { readonly source: 'api' | 'batch' | 'bulk' | 'smtp' }
  | { readonly source: 'system'; readonly ownHeaders: Draft['headers'] };

export type Submission = Origin & {
  readonly tenantId: string;
  /** Ids of the projects the credential is limited to; null: all. */
  readonly projects: ReadonlySet<string> | null;
  /** The one that was asked for. */
  readonly projectId: string | null;
  /** Or how to make it from what the tenant's file holds: a stored template. */
  readonly draft: Draft | ((db: TenantDb) => Draft);
  /** Of content that the scanners need not be asked about: they were, for the many that are alike. */
  readonly assess?: (draft: Draft) => Assessment;
  /** With what identifies the request's content. */
  readonly idempotency: { readonly key: string; readonly request: unknown } | null;
};

export type Accepted =
  | { readonly kind: 'accepted'; readonly answer: SendAnswer; readonly replayed: boolean }
  /** Kept as failed. */
  | { readonly kind: 'blocked'; readonly error: AppError; readonly replayed: boolean };

/** What an idempotency key answers with. */
interface Kept {
  readonly status: number;
  readonly body: unknown;
}

/** A message before the gates, with all they ask. */
export interface Considered {
  readonly draft: Draft;
  readonly projectId: string;
  readonly route: RouteRow;
  readonly facts: Facts;
  readonly passage: Passage;
}

const routeOf = (db: TenantDb, draft: Draft, projectId: string): RouteRow => {
  const store = tenantStore(db);
  const route = draft.route === null ? store.defaultRoute() : store.route(draft.route);
  if (!route || (route.project_id !== null && route.project_id !== projectId)) {
    throw new AppError('not_found', `There is no route ${JSON.stringify(draft.route)} in this project.`);
  }
  return route;
};

/** What was asked for, else the default one, else the only one that may be used. */
const chooseProject = (
  { projects, projectId }: Pick<Submission, 'projects' | 'projectId'>,
  defaultId: string,
): string => {
  if (projectId !== null) {
    if (projects === null || projects.has(projectId)) return projectId;
    throw new AppError('not_found', 'There is no such project.');
  }
  if (projects === null || projects.has(defaultId)) return defaultId;
  const [only, ...others] = projects;
  if (only !== undefined && others.length === 0) return only;
  throw new AppError('invalid_request', 'The request does not say which project it is for.', {
    extra: { fields: [{ path: 'body.project_id', message: 'is required from members of several projects' }] },
  });
};

const refuseArchived = (db: TenantDb, projectId: string): void => {
  const project = tenantStore(db).project(projectId);
  if (!project) throw new AppError('not_found', 'There is no such project.');
  if (project.archived_at !== null) {
    throw new AppError('conflict', 'The project is archived and does not send.');
  }
};

const draftIn = (db: TenantDb, { draft }: Pick<Submission, 'draft'>): Draft =>
  typeof draft === 'function' ? draft(db) : draft;

/** What the message leaves open, its route decides. */
const withSettingsOf = (route: RouteRow, draft: Draft, source: string): Draft => {
  const plain_text_fallback = draft.settings.plain_text_fallback ?? route.plain_text_fallback === 1;
  const tracking = trackingOf(draft.settings, kindOf(draft, { route }), route, source);
  return { ...draft, settings: { plain_text_fallback, ...tracking } };
};

/** The message as the gates see it. `dry`: past refusals too. Throws where it has no project or route to go by. */
export const consider = (
  db: TenantDb,
  submission: Pick<Submission, 'source' | 'projects' | 'projectId' | 'draft'>,
  assess: (draft: Draft) => Assessment | null,
  deps: FactsDeps,
  now: number,
  dry = false,
): Considered => {
  const projectId = chooseProject(submission, tenantStore(db).defaultProject().id);
  refuseArchived(db, projectId);
  const given = draftIn(db, submission);
  const route = routeOf(db, given, projectId);
  const draft = withSettingsOf(route, given, submission.source);
  const question = { source: submission.source, projectId, route, content: assess(draft), now };
  const facts = readFacts(db, draft, deps, question);
  return { draft, projectId, route, facts, passage: passGates(draft, facts, { dry }) };
};

/** What was answered to this key before; null where it is new. Throws `idempotency_conflict`. */
const repeatedAnswer = (
  db: TenantDb,
  projectId: string,
  { key, requestHash }: Repeatable,
  now: number,
): Accepted | null => {
  const kept = idempotencyStore(db).get(projectId, key, now - IDEMPOTENCY_PERIOD);
  if (!kept) return null;
  if (!kept.request_hash.equals(requestHash)) {
    throw new AppError('idempotency_conflict', 'This idempotency key was used for another request.');
  }
  const body = JSON.parse(kept.response_json);
  if (kept.status === 202) return { kind: 'accepted', answer: body, replayed: true };
  const { error, code: _, ...details } = body;
  const blocked = new AppError('content_blocked', error, { extra: details });
  return { kind: 'blocked', error: blocked, replayed: true };
};

/** The key with the digest of what it was first used for. */
interface Repeatable {
  readonly key: string;
  readonly requestHash: Buffer;
}

export const requestHash = (request: unknown): Buffer => hash('sha256', JSON.stringify(request), 'buffer');

const keptOf = (accepted: Accepted): Kept =>
  accepted.kind === 'accepted'
    ? { status: 202, body: accepted.answer }
    : { status: accepted.error.status, body: accepted.error.toJSON() };

/** What the scanners say of it, beside the rules. */
export const scan = (
  { content }: Pick<AcceptDeps, 'content'>,
  tenantId: string,
  { draft, facts }: Pick<Considered, 'draft' | 'facts'>,
): Promise<Assessment> =>
  content.scan({
    subject: draft.subject,
    text: draft.text,
    html: draft.html,
    attachments: draft.attachments,
    settings: draft.settings,
    sender: facts.from.address,
    recipients: recipientsOf(draft).map(({ address }) => address),
    tenantId,
    composed: () => composeUnsigned(previewOf(draft, facts)),
  });

/** A message, and how it is to be assessed. */
interface Ready {
  readonly draft: Submission['draft'];
  readonly assess: (draft: Draft) => Assessment | null;
}

/** Asks the scanners, where there are any; else the rules alone, and of the service's own mail nobody. */
const makeReady = async (
  deps: AcceptDeps,
  submission: Submission,
  repeatable: Repeatable | null,
): Promise<Accepted | Ready> => {
  if (submission.source === 'system') return { draft: submission.draft, assess: () => null };
  const assess = submission.assess ?? deps.content.rate;
  if (submission.assess || !deps.content.scans()) return { draft: submission.draft, assess };
  const { tenantId } = submission;
  const now = deps.clock.now();
  const found = await deps.files.read(tenantId, (db) => {
    const projectId = chooseProject(submission, tenantStore(db).defaultProject().id);
    const repeated = repeatable && repeatedAnswer(db, projectId, repeatable, now);
    return repeated ?? consider(db, submission, deps.content.rate, deps, now);
  });
  if ('kind' in found) return found;
  const { draft, facts, passage } = found;
  if (passage.refusal !== null) throw refused(deps, tenantId, passage.refusal, facts);
  if (passage.suppressed.size === recipientsOf(draft).length) return { draft, assess };
  const assessment = await scan(deps, tenantId, found);
  // What was scanned is what leaves: the template may have been changed meanwhile.
  return { draft, assess: () => assessment };
};

const refused = (deps: AcceptDeps, tenantId: string, refusal: AppError, { plan }: Facts): AppError => {
  if (plan !== null && reachedShare(plan.used, plan.cap) > plan.told) deps.tellUsage(tenantId);
  return refusal;
};

/**
 * Stores the message durably, or throws an AppError and stores nothing. A repeated key answers with the first answer,
 * whatever has become of project and route since.
 */
export const accept = async (deps: AcceptDeps, submission: Submission): Promise<Accepted> => {
  const { tenantId, idempotency } = submission;
  const repeatable = idempotency && { key: idempotency.key, requestHash: requestHash(idempotency.request) };
  return deps.repeats.inTurn(
    tenantId,
    repeatable && `${submission.projectId ?? ''} ${repeatable.key}`,
    async () => {
      const ready = await makeReady(deps, submission, repeatable);
      return 'kind' in ready
        ? ready
        : store(deps, { ...submission, draft: ready.draft }, repeatable, ready.assess);
    },
  );
};

const store = async (
  deps: AcceptDeps,
  submission: Submission,
  repeatable: Repeatable | null,
  assess: (draft: Draft) => Assessment | null,
): Promise<Accepted> => {
  const { tenantId, source } = submission;
  const now = deps.clock.now();
  let woken: { lane: Lane; dueAt: number } = { lane: 0, dueAt: now };
  let hasReachedShare = false;
  const write = (db: TenantDb): Accepted => {
    const projectId = chooseProject(submission, tenantStore(db).defaultProject().id);
    const repeated = repeatable && repeatedAnswer(db, projectId, repeatable, now);
    if (repeated) return repeated;
    const { draft, route, facts, passage } = consider(db, submission, assess, deps, now);
    if (passage.refusal !== null) throw refused(deps, tenantId, passage.refusal, facts);
    const id = newId();
    const ownHeaders = submission.source === 'system' ? submission.ownHeaders : null;
    const placement = {
      id,
      source,
      ownHeaders,
      projectId,
      route,
      facts,
      passage,
      contentKey: deps.contentKey,
    };
    const stored = storeMessage(db, draft, placement);
    woken = { lane: stored.lane, dueAt: stored.dueAt ?? now };
    const { plan, content } = facts;
    hasReachedShare =
      plan !== null && reachedShare(plan.used + countedMails(draft, facts), plan.cap) > plan.told;
    const accepted: Accepted =
      passage.blocked && content
        ? { kind: 'blocked', error: blockedError(id, content), replayed: false }
        : { kind: 'accepted', answer: answerOf(id, draft, stored.status, passage, content), replayed: false };
    if (repeatable) {
      const { status, body } = keptOf(accepted);
      const kept = { request_hash: repeatable.requestHash, status, response_json: JSON.stringify(body) };
      idempotencyStore(db).put(projectId, repeatable.key, kept, now, now - IDEMPOTENCY_PERIOD);
    }
    return accepted;
  };
  const release = await deps.holdDue(tenantId, now);
  try {
    const accepted = await deps.files.write(tenantId, write);
    // For a repeated answer too: the first request may have ended in a failed sync, and its message wait since.
    deps.wake(tenantId, woken.lane, woken.dueAt);
    if (hasReachedShare) deps.tellUsage(tenantId);
    return accepted;
  } catch (error) {
    // After a failed sync it may stand in the file all the same: a look does no harm, and the registry would forget it.
    if (error instanceof AppError && error.code === 'unavailable') deps.wake(tenantId, 0, now);
    throw error;
  } finally {
    release();
  }
};
