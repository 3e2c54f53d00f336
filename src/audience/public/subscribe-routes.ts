// The public form of a list: its page, what it sends, and its HTML for the practice's site. Strangers learn nothing: the answer is
// the same, and comes at the same time, whether an address is on the list, was asked already, or gets a mail.
import { z } from 'zod';
import { lookOf } from '#src/accounts/pages/store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { namedList } from '#src/audience/lists/change.ts';
import { listParams } from '#src/audience/lists/schema.ts';
import { listStore } from '#src/audience/lists/store.ts';
import { sendableFor } from '#src/audience/sendable.ts';
import { subscriberData } from '#src/audience/subscribers/schema.ts';
import { trackingText } from '#src/audience/subscribers/tracking.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { asItComes } from '#src/kernel/fields.ts';
import { type Language, languages } from '#src/kernel/language.ts';
import { HTML_TYPE, prefersPage } from '#src/kernel/page.ts';
import { clientKey, createRateCheck, type RateLimit, shareOf } from '#src/kernel/rate-limit.ts';
import { defineRoute, type RequestContext, type Route, type RouteResult } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { ANSWER_STEP_MS, atWholeSteps } from '#src/kernel/whole-steps.ts';
import { addressDomain, mailboxOf } from '#src/mail/address.ts';
import { decodeFormToken, SUBSCRIBE_PATH } from '#src/mail/copy-links.ts';
import { emailSchema, parseEmail } from '#src/mail/email.ts';
import { nameSchema } from '#src/mail/line-schema.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { type FormFields, formHtml, readMark, TRAP_FIELD } from './form.ts';
import { SLOWED_TO } from './form-health.ts';
import { formHealthStore } from './form-health-store.ts';
import {
  type ClosedReason,
  type FormState,
  formClosed,
  listFormSchema,
  presentFormState,
} from './form-state.ts';
import { formStateNow, formUrl, type RequestResult, requestSubscription } from './request.ts';
import {
  askedPage,
  closedPage,
  type FormView,
  formPage,
  formProblem,
  unknownListPage,
} from './subscribe-pages.ts';
import { namedBy, visitorOf } from './visitor.ts';

const MAX_TYPED = 1_000;
const MAX_FORM_ADDRESS = 2_000;

const query = z.object({
  l: z
    .string()
    .optional()
    .describe('of the form’s address')
    .meta({ examples: ['AbCdEf'] }),
});

const body = z
  .strictObject({
    list: z.string().max(MAX_TYPED).describe('`l` of the form’s address'),
    // Judged later: people get their form again, with what is wrong.
    email: asItComes(emailSchema),
    name: nameSchema.optional(),
    data: subscriberData.optional(),
    tracking: z
      .literal('yes')
      .optional()
      .describe(
        'they ticked the box by which opens and clicks may be recorded; counts where `tracking_consent` of the list is `asked`',
      ),
    language: z.enum(languages).optional().describe('of the confirmation mail'),
    form: z.string().max(MAX_TYPED).optional().describe('which form it is; set by the form'),
    [TRAP_FIELD]: z.string().max(MAX_TYPED).optional().describe('empty: only programs fill it in'),
  })
  .meta({
    id: 'Subscribe',
    examples: [{ list: 'AbCdEf', email: 'erika@example.org', name: 'Erika Muster' }],
  });
type Body = z.output<typeof body>;

/** The list that a token names. */
interface NamedList {
  readonly tenantId: string;
  readonly tenantNumber: number;
  readonly view: FormView;
  readonly form: FormState;
  /** So many of its confirmation mails come back that it takes few requests. */
  readonly isSlowed: boolean;
}

interface Asked {
  readonly form: FormState;
  /** Null: the form is closed. */
  readonly made: RequestResult | null;
}

const viewOf = (db: TenantDb, listSeq: number): FormView | null => {
  const list = listStore(db).bySeq(listSeq);
  return list ? { practice: tenantStore(db).practice(), look: lookOf(db), list } : null;
};

/** The page that the form was on, without what its address may say of a person; null where the browser does not say. */
const refererOf = ({ header }: RequestContext): string | null => {
  const referer = URL.parse(header('referer') ?? '');
  return referer && /^https?:$/.test(referer.protocol)
    ? `${referer.origin}${referer.pathname}`.slice(0, MAX_FORM_ADDRESS)
    : null;
};

export const subscribeRoutes = (context: AudienceContext): Route[] => {
  const { files, clock, linkKey, config, limits, intake, log } = context;
  const { name: serviceName, public_origin: origin } = config().service;
  /** One client's part comes first: what it asks for beyond that takes nothing from others. */
  const limit = (rate: () => RateLimit, part: number, whose: Text) => {
    const refusal = say`Too many requests to subscribe ${whose}.`;
    const perClient = createRateCheck(clock, () => shareOf(rate(), part), refusal);
    const together = createRateCheck(clock, rate, refusal);
    return (client: string, key: string): void => {
      perClient(`${client} ${key}`);
      together(key);
    };
  };
  const perMailbox = limit(() => limits().subscribePerMailbox, 1 / 2, say`this e-mail address`);
  const perDomain = limit(() => limits().subscribePerDomain, 1 / 5, say`addresses of this domain`);
  const perList = limit(() => limits().subscribePerList, 1 / 5, say`to this list`);
  /** The rate of a form whose mails come back. */
  const perSlowedList = limit(() => shareOf(limits().subscribePerList, SLOWED_TO), 1 / 2, say`to this list`);

  const findList = async (token: string): Promise<NamedList | null> => {
    const named = namedBy(context, decodeFormToken(linkKey, token));
    if (named === null) return null;
    return files.read(named.tenantId, (db) => {
      const view = viewOf(db, named.row);
      if (view === null) return null;
      const isSlowed = formHealthStore(db).healthOf(view.list.seq, clock.now()) !== 'good';
      return { ...named, view, form: formStateNow(db, context, view.list), isSlowed };
    });
  };

  const fieldsOf = (
    { list, practice }: Pick<FormView, 'list' | 'practice'>,
    language: Language,
    place: FormFields['place'],
    token: string,
  ): FormFields => ({
    list,
    language,
    place,
    // The page may be reached by another name than the public one.
    action: place === 'page' ? SUBSCRIBE_PATH : `${origin}${SUBSCRIBE_PATH}`,
    token,
    privacyUrl: practice.legal_privacy_url,
    practice: practice.name,
  });

  /** Uses the form as it is when the request is stored: it may have been closed since it was shown. */
  const ask = async (
    { tenantId, tenantNumber, view, form: shown }: NamedList,
    address: Address,
    sent: Body,
    language: Language,
    request: RequestContext,
  ): Promise<FormState> => {
    const visitor = visitorOf(request);
    const mark = readMark(sent.form ?? '');
    let isCounted = false;
    const { form, made } = await intake
      .transact<Asked>(tenantId, (db, accept) => {
        const list = listStore(db).bySeq(view.list.seq) ?? view.list;
        const form = formStateNow(db, context, list);
        if (form.state === 'closed') return { form, made: null };
        // Each request writes something: else one that changes nothing would be answered where the disk takes no other.
        formHealthStore(db).countRequest(list.seq, clock.now());
        const isAsShown = mark?.wordingVersion === list.wording_version;
        const made = requestSubscription(
          db,
          context,
          accept,
          {
            list,
            address,
            name: sent.name ?? null,
            data: sent.data ?? {},
            way: 'form',
            heldUntil: form.state === 'waiting' ? form.heldUntil : null,
            language,
            personal: {
              ip: visitor.ip,
              user_agent: visitor.userAgent,
              form_address:
                mark?.place === 'page' ? formUrl(context, tenantNumber, list) : refererOf(request),
            },
            shownVersion: mark?.wordingVersion,
            ...(mark && isAsShown
              ? {
                  form: formHtml(
                    fieldsOf({ ...view, list }, sent.language ?? language, mark.place, sent.list),
                  ),
                }
              : {}),
            details: { machine: visitor.machine, shown_wording_version: mark?.wordingVersion ?? null },
            tracking:
              list.tracking_consent === 'asked' && sent.tracking === 'yes'
                ? { wording: trackingText(db, sent.language ?? language) }
                : null,
          },
          clock.now(),
        );
        // Mails are counted, not requests: what sends none must not keep the mailbox from other lists.
        if (made.kind === 'asked' && !isCounted) perMailbox(clientKey(visitor.ip), mailboxOf(address));
        isCounted ||= made.kind === 'asked';
        return { form, made };
      })
      .catch((error: unknown): Asked => {
        // The answer must not say of an address that it was asked too often.
        if (error instanceof AppError && error.code === 'rate_limited')
          return { form: shown, made: { kind: 'refused', error } };
        throw error;
      });
    // The stranger must not learn it, and the practice would wonder.
    if (made?.kind === 'refused')
      log.warn(
        { tenant: tenantId, list: view.list.id, code: made.error.code },
        'a confirmation mail was refused',
      );
    return form;
  };

  const invalid = (problem: Text): AppError =>
    new AppError('invalid_request', say`\`body.email\`: ${problem}`, {
      extra: { fields: [{ path: 'body.email', message: problem }] },
    });

  const mayBeSent = async (tenantId: string, address: Address): Promise<boolean> => {
    const sendable = sendableFor(context, tenantId);
    await sendable.learn([address]);
    return sendable.takes(address);
  };

  const subscribe = async (sent: Body, request: RequestContext): Promise<RouteResult> => {
    const isPage = prefersPage(request);
    const found = await findList(sent.list);
    if (found === null) throw new AppError('not_found', say`There is no such list.`);
    const { view, tenantId } = found;
    const language = sent.language ?? request.namedLanguage ?? view.list.language;
    const refused = (reason: ClosedReason): RouteResult => {
      if (!isPage) throw formClosed(reason);
      return closedPage(language, serviceName, view, reason);
    };
    if (found.form.state === 'closed') return refused(found.form.reason);
    const typed = typeof sent.email === 'string' ? sent.email.slice(0, MAX_TYPED) : '';
    const parsed = parseEmail(typed);
    if (parsed === null || !(await mayBeSent(tenantId, parsed.email as Address))) {
      const problem = formProblem(isPage ? language : request.answerLanguage);
      if (!isPage) throw invalid(say`${problem}`);
      const again = {
        email: typed,
        name: sent.name ?? '',
        agreesToTracking: sent.tracking === 'yes',
        problem,
      };
      return formPage(serviceName, view, fieldsOf(view, language, 'page', sent.list), again);
    }
    const address = parsed.email as Address;
    const isTrapped = Boolean(sent[TRAP_FIELD]);
    const client = clientKey(request.clientAddress);
    if (!isTrapped) {
      perDomain(client, `${tenantId} ${addressDomain(address)}`);
      perList(client, `${tenantId} ${view.list.seq}`);
      if (found.isSlowed) perSlowedList(client, `${tenantId} ${view.list.seq}`);
    }
    const form = await atWholeSteps(ANSWER_STEP_MS, async () =>
      isTrapped ? found.form : ask(found, address, sent, language, request),
    );
    if (form.state === 'closed') return refused(form.reason);
    return isPage
      ? askedPage(language, serviceName, view, form.state)
      : { status: 202, body: { status: 'pending' as const } };
  };

  const shared = { path: SUBSCRIBE_PATH, tag: 'Lists', access: 'public', stability: 'stable' } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      id: 'getSubscribeForm',
      usedBy: 'who follows the link to a form, and pages that embed it',
      summary: 'The page with the form of a list',
      query,
      responses: {
        200: { description: 'A page, in the language that `Accept-Language` asks for.', body: HTML_TYPE },
        404: { description: 'There is no such list.', body: HTML_TYPE },
        409: { description: 'The form takes no requests now; the page says so.', body: HTML_TYPE },
      },
      handle: async ({ query: { l = '' } }, request) => {
        const found = await findList(l);
        if (found === null) return unknownListPage(request.language, serviceName);
        const { view, form } = found;
        const language = request.namedLanguage ?? view.list.language;
        if (form.state === 'closed') return closedPage(language, serviceName, view, form.reason);
        return formPage(serviceName, view, fieldsOf(view, language, 'page', l), null);
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      id: 'requestSubscription',
      usedBy: 'who fills in a form, and the websites of practices',
      summary: 'Ask to be put on a list',
      description:
        'By a form from any site, or as JSON from a server: browsers send JSON only to their own origin, and no other is allowed here. The address gets a mail with a link to confirm, at most one a day for a list, and only a confirmed one is on the list. The answer is the same whatever is known of the address, also where it is on the list. While the practice is paused or its plan is used up the mail waits, and its link is valid from when it leaves.',
      audit: { none: 'a stranger asks; the consent ledger is the record' },
      rate: 'sign_in',
      form: true,
      body,
      responses: {
        200: { description: 'The same for browsers (`Accept: text/html`), as a page.', body: HTML_TYPE },
        202: {
          description: 'The address gets a mail if there is something to confirm.',
          body: z.strictObject({ status: z.literal('pending') }),
        },
        400: { description: 'Browsers get their form again, with what is wrong.', body: HTML_TYPE },
        409: {
          description: 'The form takes no requests now. Browsers get a page that says so.',
          body: HTML_TYPE,
        },
      },
      errors: ['not_found', 'form_closed'],
      handle: ({ body: sent }, request) => subscribe(sent, request),
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/lists/{listID}/form',
      tag: 'Lists',
      id: 'getListForm',
      summary: 'The form of a list as HTML for a site, and the address of its page',
      description:
        'It needs no script. Take it again after a change of the wording. `state` says whether it takes requests now, and `hint` what to do where it does not.',
      access: 'lists.manage',
      stability: 'stable',
      params: listParams,
      query: z.strictObject({ language: z.enum(languages).optional().describe('the list’s where absent') }),
      responses: {
        200: { description: 'The form.', body: listFormSchema },
      },
      errors: ['not_found'],
      handle: async ({ params: { id, listID }, query: { language } }) => {
        const { list, practice, form } = await files.read(id, (db) => {
          const named = namedList(db, listID);
          return {
            list: named,
            practice: tenantStore(db).practice(),
            form: formStateNow(db, context, named),
          };
        });
        const url = formUrl(context, practice.number, list);
        const token = new URL(url).searchParams.get('l') ?? '';
        const fields = fieldsOf({ list, practice }, language ?? list.language, 'site', token);
        return { status: 200, body: { url, html: formHtml(fields), ...presentFormState(form) } };
      },
    }),
  ];
};
