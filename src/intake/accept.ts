// The one way in. Everything that asks for a message to be sent ends here: facts are read and gates passed inside the
// transaction that stores message, recipients, queue rows and event, so that no state can change in between; one sync
// of the disk, shared with whoever commits at the same moment, and only then the answer.
import { hash } from 'node:crypto';
import { utcDay } from '#src/counters/rules.ts';
import { counterStore } from '#src/counters/store.ts';
import type { TenantDb } from '#src/db/sqlite.ts';
import type { TenantFiles } from '#src/db/tenant-files.ts';
import { eventStore } from '#src/events/store.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { type Lane, laneOf } from '#src/kernel/stream.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import { addressDomain, parseAddress } from '#src/mail/address.ts';
import { kinds } from '#src/messages/kinds.ts';
import { sealContent } from '#src/messages/sealed-content.ts';
import { type BodyRow, messageStore } from '#src/messages/store.ts';
import { queueStore } from '#src/queue/store.ts';
import { defaultFrom } from '#src/tenants/present.ts';
import { type PracticeRow, type RouteRow, tenantStore } from '#src/tenants/store.ts';
import type { Draft } from './draft.ts';
import { type Facts, kindOf, passGates, type Verdict } from './gates.ts';
import type { SendAnswer } from './schema.ts';
import { idempotencyStore } from './store.ts';

/** How long a key answers with what was answered first. */
const IDEMPOTENCY_PERIOD = DAY;

export interface AcceptDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly serviceHost: string;
  readonly safeMode: () => { readonly allowed: readonly string[] };
  /** Seals the content of the service's own mails; 32 bytes. */
  readonly contentKey: Buffer;
  /** Resolves when a restart could not forget that the tenant may have mail due; the result ends the hold on that. */
  readonly holdDue: (tenantId: string, dueAt: number) => Promise<() => void>;
  /** Tells that something of the tenant is due. */
  readonly wake: (tenantId: string, lane: Lane, dueAt: number) => void;
}

/** The service's own mail bears header fields that no sender may set, and its content is kept sealed. */
type Origin =
  | { readonly source: 'api' }
  | { readonly source: 'system'; readonly ownHeaders: Draft['headers'] };

export type Submission = Origin & {
  readonly tenantId: string;
  /** Ids of the projects the credential is limited to; null: all. */
  readonly projects: ReadonlySet<string> | null;
  /** The one that was asked for. */
  readonly projectId: string | null;
  readonly draft: Draft;
  /** With what identifies the request's content. */
  readonly idempotency: { readonly key: string; readonly request: unknown } | null;
};

export interface Accepted {
  readonly status: number;
  readonly answer: SendAnswer;
  readonly replayed: boolean;
}

/** The key with the digest of what it was first used for. */
interface Repeatable {
  readonly key: string;
  readonly requestHash: Buffer;
}

const factsOf = (draft: Draft, practice: PracticeRow, route: RouteRow, deps: AcceptDeps): Facts => ({
  pause: practice.paused_at === null ? null : { reason: practice.pause_reason ?? '', at: practice.paused_at },
  safeMode: practice.safe_mode === 1,
  safeModeAllowed: deps.safeMode().allowed,
  simulatorDomain: `simulator.${deps.serviceHost}`,
  sendingHosts:
    practice.custom_domain === null
      ? [practice.managed_host]
      : [practice.custom_domain, practice.managed_host],
  pendingDomain: practice.pending_domain,
  from: draft.from ?? { ...parseAddress(defaultFrom(practice)), name: practice.name },
  route: { slug: route.slug, type: route.type },
});

const routeOf = (db: TenantDb, draft: Draft, projectId: string): RouteRow => {
  const store = tenantStore(db);
  const route = draft.route === null ? store.defaultRoute() : store.route(draft.route);
  if (!route || (route.project_id !== null && route.project_id !== projectId)) {
    throw new AppError('not_found', `There is no route ${JSON.stringify(draft.route)} in this project.`);
  }
  return route;
};

/** What was asked for, else the default one, else the only one that may be used. */
const chooseProject = ({ projects, projectId }: Submission, defaultId: string): string => {
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

/** Octets of what the sender gave: the measure for the queue's memory, not the size on the wire. */
const sizeOf = ({ text, html, attachments }: Draft): number =>
  Buffer.byteLength(text ?? '') +
  Buffer.byteLength(html ?? '') +
  attachments.reduce((sum, { content }) => sum + content.length, 0);

const bodyOf = (submission: Submission, messageId: string, contentKey: Buffer): BodyRow => {
  const { text, html, headers } = submission.draft;
  if (submission.source === 'api') return { text, html, sealed: null, headers_json: JSON.stringify(headers) };
  const headers_json = JSON.stringify([...headers, ...submission.ownHeaders]);
  return { ...sealContent(contentKey, messageId, { text, html }), headers_json };
};

interface Placement {
  readonly projectId: string;
  readonly route: RouteRow;
  readonly facts: Facts;
  readonly verdicts: readonly Verdict[];
}

const storeMessage = (
  db: TenantDb,
  submission: Submission,
  { projectId, route, facts, verdicts }: Placement,
  contentKey: Buffer,
  now: number,
): { id: string; lane: Lane } => {
  const { draft, source } = submission;
  const id = newId();
  const kind = kindOf(draft, facts);
  const lane = laneOf[kinds[kind].stream];
  const size = sizeOf(draft);
  const messages = messageStore(db);
  const seq = messages.insert(
    {
      id,
      internet_message_id: `<${id}@${addressDomain(facts.from.address)}>`,
      project_id: projectId,
      route_id: route.id,
      message_kind: kind,
      channel: kinds[kind].channel,
      source,
      from_json: JSON.stringify(facts.from),
      to_json: JSON.stringify(draft.to),
      cc_json: JSON.stringify(draft.cc),
      bcc_json: JSON.stringify(draft.bcc),
      reply_to_json: JSON.stringify(draft.replyTo),
      subject: draft.subject,
      tag: draft.tags[0] ?? null,
      tags_json: JSON.stringify(draft.tags),
      metadata_json: JSON.stringify(draft.metadata),
      settings_json: JSON.stringify({
        plain_text_fallback: route.plain_text_fallback === 1,
        ...draft.settings,
      }),
      decisions_json: JSON.stringify(verdicts),
      status: 'queued',
      score: null,
      size_bytes: size,
      scheduled_at: null,
      created_at: now,
      updated_at: now,
    },
    bodyOf(submission, id, contentKey),
  );
  for (const [position, { filename, contentType, contentId, content }] of draft.attachments.entries()) {
    messages.insertAttachment(seq, position, {
      filename,
      content_type: contentType,
      content_id: contentId,
      size_bytes: content.length,
      content,
    });
  }
  let mails = 0;
  for (const field of ['to', 'cc', 'bcc'] as const) {
    for (const { address } of draft[field]) {
      if (addressDomain(address) !== facts.simulatorDomain) mails += 1;
      const recipientId = messages.insertRecipient(seq, address, field, 'queued', now);
      queueStore(db).enqueue({ recipientId, messageSeq: seq, lane, dueAt: now, size, now });
    }
  }
  if (mails > 0) {
    counterStore(db).addAccepted(utcDay(now), route.id, mails);
    counterStore(db).addToChannel(utcDay(now), projectId, kinds[kind].channel, mails);
  }
  eventStore(db).append({ type: 'message.created', messageSeq: seq, recipientId: null, at: now });
  return { id, lane };
};

/** What was answered to this key before; null where it is new. Throws `idempotency_conflict`. */
const repeatedAnswer = (
  db: TenantDb,
  projectId: string,
  repeatable: Repeatable,
  now: number,
): Accepted | null => {
  const kept = idempotencyStore(db).get(projectId, repeatable.key, now - IDEMPOTENCY_PERIOD);
  if (!kept) return null;
  if (!kept.request_hash.equals(repeatable.requestHash)) {
    throw new AppError('idempotency_conflict', 'This idempotency key was used for another request.');
  }
  return { status: kept.status, answer: JSON.parse(kept.response_json), replayed: true };
};

/**
 * Stores the message durably, or throws an AppError and stores nothing. A repeated key answers with the first answer,
 * whatever has become of project and route since.
 */
export const accept = async (deps: AcceptDeps, submission: Submission): Promise<Accepted> => {
  const { tenantId, draft, idempotency } = submission;
  const repeatable = idempotency && {
    key: idempotency.key,
    requestHash: hash('sha256', JSON.stringify(idempotency.request), 'buffer'),
  };
  const now = deps.clock.now();
  let lane: Lane | null = null;
  const store = (db: TenantDb): Accepted => {
    const projectId = chooseProject(submission, tenantStore(db).defaultProject().id);
    const repeated = repeatable && repeatedAnswer(db, projectId, repeatable, now);
    if (repeated) return repeated;
    refuseArchived(db, projectId);
    const route = routeOf(db, draft, projectId);
    const facts = factsOf(draft, tenantStore(db).practice(), route, deps);
    const { verdicts, refusal } = passGates(draft, facts);
    if (refusal !== null) throw refusal;
    const stored = storeMessage(db, submission, { projectId, route, facts, verdicts }, deps.contentKey, now);
    lane = stored.lane;
    const answer: SendAnswer = { id: stored.id, message_id: stored.id, status: 'queued' };
    if (repeatable) {
      const kept = {
        request_hash: repeatable.requestHash,
        status: 202,
        response_json: JSON.stringify(answer),
      };
      idempotencyStore(db).put(projectId, repeatable.key, kept, now, now - IDEMPOTENCY_PERIOD);
    }
    return { status: 202, answer, replayed: false };
  };
  const release = await deps.holdDue(tenantId, now);
  try {
    const accepted = await deps.files.write(tenantId, store);
    // For a repeated answer too: the first request may have ended in a failed sync, and its message wait since.
    deps.wake(tenantId, lane ?? 0, now);
    return accepted;
  } catch (error) {
    // After a failed sync it may stand in the file all the same: a look does no harm, and the registry would forget it.
    if (error instanceof AppError && error.code === 'unavailable') deps.wake(tenantId, 0, now);
    throw error;
  } finally {
    release();
  }
};
