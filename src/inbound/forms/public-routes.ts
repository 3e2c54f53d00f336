// The public side of a form: its page, what is sent by it from there and from any site, and the proof of an address.
import { z } from 'zod';
import { lookOf } from '#src/accounts/pages/store.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { AppError } from '#src/kernel/errors.ts';
import { mailLinkQuery } from '#src/kernel/fields.ts';
import type { Language } from '#src/kernel/language.ts';
import { HTML_TYPE, linkedPage, prefersPage } from '#src/kernel/page.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { SECOND } from '#src/kernel/time.ts';
import { because } from '#src/kernel/validate.ts';
import {
  decodeFormProofToken,
  decodeOpenedMark,
  decodeWebsiteFormToken,
  encodeOpenedMark,
  FORM_PROOF_PATH,
  WEBSITE_FORM_PATH,
} from '#src/mail/copy-links.ts';
import type { ReturnPathTarget } from '#src/mail/verp.ts';
import { OPENED_FIELD, TRAP_FIELD } from './html.ts';
import {
  closedPage,
  type FormView,
  formPage,
  proofPage,
  sentPage,
  unknownFormPage,
  unknownProofPage,
} from './pages.ts';
import { lookAtProof, prove } from './prove.ts';
import { type Posted, type Problem, typedIn } from './read-post.ts';
import { type ClosedReason, FILE_KEYS } from './schema.ts';
import { type FormState, formStateOf } from './state.ts';
import { type FormRow, formStore } from './store.ts';
import { createTake, type TakeDeps, type Taken } from './take.ts';

/** No one fills in a form in less. */
const TOO_FAST_MS = 2 * SECOND;
/** Three files of the largest size that a form may allow are more: the form says so before they are sent. */
const POST_BYTES = 24 * 1_024 * 1_024;
const MAX_KEY = 100;
const MAX_TYPED = 20_000;

const query = z.object({
  f: z
    .string()
    .optional()
    .describe('of the form’s address')
    .meta({ examples: ['AbCdEf'] }),
});

const TEXT_OR_FILE = because(say`must be a text or a file`);

const body = z
  .record(
    z.string().max(MAX_KEY),
    z.union([
      z.string().max(MAX_TYPED),
      z.instanceof(File, { error: TEXT_OR_FILE }).meta({ type: 'string', format: 'binary' }),
    ]),
  )
  .meta({
    id: 'WebsiteFormPost',
    description: 'the fields of the form by their keys',
    examples: [{ name: 'Erika Muster', email: 'erika@example.org', message: 'Guten Tag!' }],
  });

interface Named {
  readonly tenantId: string;
  readonly target: ReturnPathTarget;
  readonly view: FormView;
  readonly form: FormRow;
  readonly state: FormState;
}

export const publicFormRoutes = (deps: TakeDeps): Route[] => {
  const { storage, clock, config, log, answering, intake, linkKey } = deps;
  const { platform, tenants: files } = storage;
  const { name: serviceName } = config().service;
  const take = createTake(deps);

  const tenantOf = (target: ReturnPathTarget | null): string | null =>
    (target && platform.peek((db) => registryStore(db).anyByNumber(target.tenantNumber))?.id) ?? null;

  const find = async (token: string): Promise<Named | null> => {
    const target = decodeWebsiteFormToken(linkKey, token);
    const tenantId = tenantOf(target);
    if (target === null || tenantId === null) return null;
    return files.read(tenantId, (db) => {
      const form = formStore(db).bySeq(target.recipientId);
      if (!form) return null;
      const view = {
        serviceName,
        practice: tenantStore(db).practice(),
        look: lookOf(db),
        settings: form.settings,
      };
      return { tenantId, target, form, view, state: formStateOf(db, form, answering, clock.now()) };
    });
  };

  /** The page may be reached by another name than the public one, so the form on it names none. */
  const shownFor = ({ view, target }: Named, token: string) => ({
    action: `${WEBSITE_FORM_PATH}?f=${token}`,
    privacyUrl: view.practice.legal_privacy_url,
    opened: encodeOpenedMark(linkKey, target, clock.now()),
  });

  /** Filled in by a program: it gets the answer that people get. */
  const isTrapped = ({ target }: Named, sent: Posted): boolean => {
    const mark = sent[OPENED_FIELD];
    if (sent[TRAP_FIELD] !== undefined) return true;
    if (mark === undefined) return false;
    const opened = decodeOpenedMark(linkKey, target, String(mark));
    return opened === null || clock.now() - opened < TOO_FAST_MS;
  };

  const closed = ({ view }: Named, reason: ClosedReason, isPage: boolean): RouteResult => {
    if (isPage) return closedPage(view, reason);
    throw new AppError('form_closed', say`The form takes nothing now.`, { extra: { reason } });
  };

  const invalid = (problems: readonly Problem[]): AppError =>
    new AppError('invalid_request', say`The form is not filled in as it has to be.`, {
      extra: { fields: problems.map(({ key, text }) => ({ path: `body.${key}`, message: say`${text}` })) },
    });

  const answer = (named: Named, token: string, sent: Posted, taken: Taken, isPage: boolean): RouteResult => {
    if (taken.kind === 'closed') return closed(named, taken.reason, isPage);
    if (taken.kind === 'problems') {
      if (!isPage) throw invalid(taken.problems);
      const typed = typedIn(named.form.settings, sent);
      return formPage(named.view, { ...shownFor(named, token), typed }, taken.problems);
    }
    if (!isPage) return { status: 202, body: { status: taken.kind === 'asked' ? 'pending' : 'received' } };
    const { redirect_url } = named.form.settings;
    // The policy of our own page lets its form lead to us alone; there is a link on the page that follows.
    return redirect_url === null || sent[OPENED_FIELD] !== undefined
      ? sentPage(named.view, taken.kind)
      : { status: 303, headers: { Location: redirect_url } };
  };

  const post = async (token: string, sent: Posted, request: RequestContext): Promise<RouteResult> => {
    const isPage = prefersPage(request);
    const named = await find(token);
    if (named === null) {
      if (isPage) return unknownFormPage(request.language, serviceName);
      throw new AppError('not_found', say`There is no such form.`);
    }
    const { state, form, tenantId } = named;
    if (state.state === 'closed') return closed(named, state.reason, isPage);
    const taken: Taken = isTrapped(named, sent)
      ? { kind: form.settings.proof ? 'asked' : 'arrived' }
      : await take(tenantId, form, state.mailbox, sent, request.clientAddress);
    return answer(named, token, sent, taken, isPage);
  };

  const proof = async (t: string, language: Language, presses: boolean): Promise<RouteResult> => {
    const target = decodeFormProofToken(linkKey, t);
    const tenantId = tenantOf(target);
    if (target === null || tenantId === null) return unknownProofPage(language, serviceName);
    const link = { token: t, inboundSeq: target.recipientId };
    const now = clock.now();
    const before = await files.read(tenantId, (db) => lookAtProof(db, linkKey, link, now));
    const view =
      presses && before?.state === 'asked'
        ? await intake.transact(tenantId, (db, accept) => prove(db, accept, { linkKey, log }, link, now))
        : before;
    if (view === null) return unknownProofPage(language, serviceName);
    return proofPage({ ...view, serviceName }, view.state, `${FORM_PROOF_PATH}?t=${t}`);
  };

  const shared = { tag: 'Website forms', access: 'public', stability: 'stable' } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: WEBSITE_FORM_PATH,
      id: 'getWebsiteFormPage',
      usedBy: 'who follows the link to a form',
      summary: 'The page with a form',
      query,
      responses: {
        200: { description: 'A page, in the language of the form.', body: HTML_TYPE },
        404: { description: 'There is no such form.', body: HTML_TYPE },
        409: { description: 'The form takes nothing now; the page says so.', body: HTML_TYPE },
      },
      handle: async ({ query: { f = '' } }, request) => {
        const named = await find(f);
        if (named === null) return unknownFormPage(request.language, serviceName);
        if (named.state.state === 'closed') return closedPage(named.view, named.state.reason);
        return formPage(named.view, shownFor(named, f));
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: WEBSITE_FORM_PATH,
      id: 'postWebsiteForm',
      usedBy: 'who fills in a form, on its page and on the websites of practices',
      summary: 'Send what was filled in',
      description:
        'By the form from any site, or as JSON from a server. Where the form asks for a proof, the address that was typed gets a mail with a link, and only then what was sent arrives.',
      audit: { none: 'a stranger writes; the mail is the record' },
      rate: 'sign_in',
      form: { files: FILE_KEYS },
      bodyLimit: POST_BYTES,
      query,
      body,
      responses: {
        200: { description: 'For browsers (`Accept: text/html`): a page that says so.', body: HTML_TYPE },
        202: {
          description: 'It has arrived, or waits for the proof.',
          body: z.strictObject({ status: z.enum(['received', 'pending']) }),
        },
        303: { description: 'For browsers, where the form names a page of the practice’s own site.' },
        400: { description: 'Browsers get their form again, with what is wrong.', body: HTML_TYPE },
        404: { description: 'There is no such form.', body: HTML_TYPE },
        409: {
          description: 'The form takes nothing now. Browsers get a page that says so.',
          body: HTML_TYPE,
        },
      },
      errors: ['not_found', 'form_closed'],
      handle: ({ query: { f = '' }, body: sent }, request) => post(f, sent, request),
    }),
    defineRoute({
      ...linkedPage,
      method: 'get',
      path: FORM_PROOF_PATH,
      tag: 'Website forms',
      id: 'getFormProof',
      usedBy: 'who follows the link of the mail that asks for a proof',
      summary: 'The page on which one proves the address that was typed into a form',
      description: 'Changes nothing: machines follow links too.',
      query: mailLinkQuery,
      handle: ({ query: { t = '' } }, { language }) => proof(t, language, false),
    }),
    defineRoute({
      ...linkedPage,
      method: 'post',
      path: FORM_PROOF_PATH,
      tag: 'Website forms',
      id: 'proveFormAddress',
      usedBy: 'who follows the link of the mail that asks for a proof',
      summary: 'Prove the address: what was filled in arrives',
      description: 'The button of the page. Whatever the body is, the link alone counts.',
      audit: { none: 'the person concerned decides; the mail is the record' },
      query: mailLinkQuery,
      handle: ({ query: { t = '' } }, { language }) => proof(t, language, true),
    }),
  ];
};
