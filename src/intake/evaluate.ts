// Evaluates a message before anything is stored: its project, route and settings, the facts, and the gates. The scanners
// assess it here too, outside of any transaction, because they take time.
import { replyAddressOf, replyMailbox } from '#src/accounts/tenants/reply-address.ts';
import { sendingHost } from '#src/accounts/tenants/schema.ts';
import { type RouteRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { Assessment } from '#src/content/assessment.ts';
import { objectionStore } from '#src/feedback/tracking/objection-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { invitationOf } from '#src/messages/compose/invitation.ts';
import type { OutgoingMessage } from '#src/messages/compose/message.ts';
import { composeUnsigned } from '#src/messages/compose/mime.ts';
import { addressHash } from '#src/messages/pseudonym.ts';
import type { Draft } from './draft.ts';
import { readFacts } from './facts.ts';
import { type Facts, type GateKind, gateKinds, kindOf, recipientsOf, trackingOf } from './gate.ts';
import { type GateResult, runGates } from './gates.ts';
import type { IntakeContext } from './intake-context.ts';

/** The forms of other APIs in which mail is sent. */
export type ForeignSource = 'vendor-a' | 'vendor-b' | 'vendor-c' | 'eu';
export type PlainSource =
  | 'api'
  | 'batch'
  | 'bulk'
  | 'smtp'
  | 'hook'
  | 'automatic_reply'
  | 'form'
  | ForeignSource;

/** The service's own mail has header fields that no sender may set, and its content is kept sealed. */
type Origin =
  | { readonly source: PlainSource }
  | { readonly source: 'system'; readonly ownHeaders: Draft['headers'] }
  | { readonly source: 'campaign'; readonly campaign: CampaignSend };

/** A send to a list. */
export interface CampaignSend {
  readonly seq: number;
  /** Id of the entry of the consent ledger that proves the recipient's consent; null: there is none. */
  readonly consentEntry: string | null;
}

export type Submission = Origin & {
  readonly tenantId: string;
  /** The API token by which it comes; null or absent: it comes by none. */
  readonly tokenId?: string | null;
  /** Ids of the projects that the credential is limited to; null: all. */
  readonly projects: ReadonlySet<string> | null;
  /** The project that the request names. */
  readonly projectId: string | null;
  /** Or how to make it from what the tenant's file holds: a stored template. */
  readonly draft: Draft | ((db: TenantDb) => Draft);
  /** Given where the scanners have assessed the content already, because many messages are alike. */
  readonly assess?: (draft: Draft) => Assessment;
  /** `request` is what identifies the request's content. */
  readonly idempotency: { readonly key: string; readonly request: unknown } | null;
};

/** The part of a submission that is evaluated. */
export type Candidate = Pick<Submission, 'source' | 'tokenId' | 'projects' | 'projectId' | 'draft'> & {
  readonly campaign?: Pick<CampaignSend, 'consentEntry'>;
};

/** A message before it is stored, with all that the gates looked at and what they said. */
export interface Evaluation {
  readonly draft: Draft;
  readonly projectId: string;
  readonly route: RouteRow;
  readonly facts: Facts;
  readonly result: GateResult;
  /** Recipients who objected to tracking. */
  readonly untracked: ReadonlySet<Address>;
}

/** Null: the service's own mail, which is not assessed. */
export type Assess = (draft: Draft) => Assessment | null;

type ProjectChoice = Pick<Submission, 'projects' | 'projectId'>;

/**
 * The project that the request names, where a practice's id names its default one; else the default one where it may be used,
 * else null. Throws `not_found`.
 */
export const usualProject = (db: TenantDb, { projects, projectId }: ProjectChoice): string | null => {
  const { practice, defaultProject } = tenantStore(db);
  const isUsual = projectId === null || projectId === practice().id;
  const id = isUsual ? defaultProject().id : projectId;
  if (projects === null || projects.has(id)) return id;
  if (projectId === null) return null;
  throw new AppError('not_found', say`There is no such project.`);
};

/** The usual project, else the only one that may be used. */
export const chooseProject = (db: TenantDb, choice: ProjectChoice): string => {
  const usual = usualProject(db, choice);
  if (usual !== null) return usual;
  const [only, ...others] = choice.projects ?? [];
  if (only !== undefined && others.length === 0) return only;
  throw new AppError('invalid_request', say`The request does not say which project it is for.`, {
    extra: {
      fields: [{ path: 'body.project_id', message: say`is required from members of several projects` }],
    },
  });
};

const refuseArchived = (db: TenantDb, projectId: string): void => {
  const project = tenantStore(db).project(projectId);
  if (!project) throw new AppError('not_found', say`There is no such project.`);
  if (project.archived_at !== null) {
    throw new AppError('conflict', say`The project is archived and does not send.`);
  }
};

const routeOf = (db: TenantDb, draft: Draft, projectId: string): RouteRow => {
  const store = tenantStore(db);
  const route = draft.route === null ? store.defaultRoute() : store.route(draft.route);
  if (!route || (route.project_id !== null && route.project_id !== projectId)) {
    throw new AppError('not_found', say`There is no route ${JSON.stringify(draft.route)} in this project.`);
  }
  return route;
};

/** The route decides the settings that the message does not have. */
const withSettingsOf = (route: RouteRow, draft: Draft, source: string): Draft => {
  const plain_text_fallback = draft.settings.plain_text_fallback ?? route.plain_text_fallback === 1;
  const tracking = trackingOf(draft.settings, kindOf(draft, route), route, source);
  return { ...draft, settings: { plain_text_fallback, ...tracking } };
};

/** What asks for consent has to name who asks. */
const withOwnNames = (db: TenantDb, route: RouteRow, draft: Draft): Draft =>
  kindOf(draft, route) === 'doi'
    ? { ...draft, names: [...(draft.names ?? []), tenantStore(db).practice().name] }
    : draft;

/** Those of the draft's recipients who objected to tracking, where it would track them. */
const untrackedAmong = (
  db: TenantDb,
  { suppressionKey }: Pick<IntakeContext, 'suppressionKey'>,
  draft: Draft,
): ReadonlySet<Address> => {
  const { track_opens, track_clicks } = draft.settings;
  const objections = objectionStore(db);
  if ((track_opens !== true && track_clicks !== true) || objections.isEmpty()) return new Set();
  const { id } = tenantStore(db).practice();
  const all = recipientsOf(draft).map(({ address }) => address);
  return new Set(
    all.filter((address) => objections.entryOf(addressHash(suppressionKey, id, address)) !== null),
  );
};

/** Where no one may be tracked, the message is not. */
const withoutTracking = (draft: Draft, untracked: ReadonlySet<Address>): Draft =>
  untracked.size > 0 && recipientsOf(draft).every(({ address }) => untracked.has(address))
    ? { ...draft, settings: { ...draft.settings, track_opens: false, track_clicks: false } }
    : draft;

/** Answers to what is sent go somewhere, also where the sender does not say where. */
const withReplyAddress = (
  db: TenantDb,
  { answering }: Pick<IntakeContext, 'answering'>,
  draft: Draft,
  {
    source,
    projectId,
    route,
  }: { readonly source: string; readonly projectId: string; readonly route: RouteRow },
): Draft => {
  if (draft.replyTo.length > 0 || source === 'system') return draft;
  const practice = tenantStore(db).practice();
  const host = draft.from === null ? sendingHost(practice) : addressDomain(draft.from.address);
  const address = replyAddressOf(db, answering(), route, projectId, host);
  return address === null ? draft : { ...draft, replyTo: [replyMailbox(practice, address)] };
};

interface EvaluateOptions {
  readonly now: number;
  /** All kinds where absent. */
  readonly kinds?: readonly GateKind[];
  readonly pastRefusals?: boolean;
}

/** Throws where the project, the route or the template does not exist or cannot be used. */
export const evaluate = (
  db: TenantDb,
  intake: IntakeContext,
  candidate: Candidate,
  assess: Assess,
  { now, kinds = gateKinds, pastRefusals = false }: EvaluateOptions,
): Evaluation => {
  const projectId = chooseProject(db, candidate);
  refuseArchived(db, projectId);
  const written = typeof candidate.draft === 'function' ? candidate.draft(db) : candidate.draft;
  // What is shared was stored with them.
  const given =
    written.shared === null && written.html !== null
      ? { ...written, html: intake.images.renewed(db, written.html) }
      : written;
  const route = routeOf(db, given, projectId);
  const { source, tokenId = null, projects, campaign } = candidate;
  const tracked = withOwnNames(db, route, withSettingsOf(route, given, source));
  const untracked = untrackedAmong(db, intake, tracked);
  const draft = withReplyAddress(db, intake, withoutTracking(tracked, untracked), {
    source,
    projectId,
    route,
  });
  const consent = campaign ? { entry: campaign.consentEntry } : null;
  const request = { source, tokenId, projects, projectId, route, content: assess(draft), consent, now };
  const facts = readFacts(db, draft, intake, request);
  return { draft, projectId, route, facts, untracked, result: runGates(kinds, facts, draft, pastRefusals) };
};

/**
 * The message as it would leave, without what each copy has of its own. Its links are the sender's, also where clicks will be
 * tracked: scanners and lists know where a link leads, and links through the service would say only whose they are.
 */
const previewOf = (draft: Draft, { from, now }: Facts): OutgoingMessage => {
  const message: OutgoingMessage = {
    internetMessageId: `<preview@${addressDomain(from.address)}>`,
    date: now,
    from,
    to: (draft.shown ?? draft).to,
    cc: (draft.shown ?? draft).cc,
    replyTo: draft.replyTo,
    subject: draft.subject,
    text: draft.text,
    html: draft.html,
    headers: draft.headers,
    parts: draft.parts ?? null,
    attachments: draft.attachments.map(({ filename, contentType, contentId, content }) => ({
      filename,
      contentType,
      ...(contentId === null ? {} : { contentId }),
      content,
    })),
  };
  const [attendee] = recipientsOf(draft);
  return draft.calendar && attendee
    ? { ...message, calendar: invitationOf(draft.calendar, message, attendee) }
    : message;
};

/** The assessment by rules and scanners. */
export const scan = (
  { content }: IntakeContext,
  tenantId: string,
  { draft, facts }: Pick<Evaluation, 'draft' | 'facts'>,
): Promise<Assessment> =>
  content.scan({
    subject: draft.subject,
    text: draft.text,
    html: draft.html,
    attachments: draft.attachments,
    ...(draft.names && { names: draft.names }),
    settings: draft.settings,
    sender: facts.from.address,
    recipients: recipientsOf(draft).map(({ address }) => address),
    tenantId,
    composed: () => composeUnsigned(previewOf(draft, facts)),
  });
