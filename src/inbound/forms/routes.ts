// Forms over HTTP: how a practice makes them, and takes their HTML.
import { z } from 'zod';
import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { type Clock, toIso } from '#src/kernel/time.ts';
import { encodeWebsiteFormToken, WEBSITE_FORM_PATH } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { changeForm, createForm, formOf, MAX_FORMS, removeForm } from './change.ts';
import { formHtml } from './html.ts';
import { presetOf } from './presets.ts';
import { changeFormBody, createFormBody, formSchema } from './schema.ts';
import { formStateOf, hints, sentLastDay } from './state.ts';
import { type FormRow, formStore } from './store.ts';

export interface FormRoutesDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly answering: Pick<Answering, 'usual'>;
  readonly linkKey: TokenKeys;
  /** The origin of the public pages. */
  readonly origin: string;
}

/** The address of a form, below the service's origin. */
export const formPathOf = (linkKey: TokenKeys, tenantNumber: number, { seq }: Pick<FormRow, 'seq'>): string =>
  `${WEBSITE_FORM_PATH}?f=${encodeWebsiteFormToken(linkKey, { tenantNumber, recipientId: seq })}`;

const PATH = '/api/practices/{id}/website-forms';
const ONE = `${PATH}/{formID}`;
const formParams = z.strictObject({ ...tenantParams.shape, formID: idSchema });

export const formRoutes = (deps: FormRoutesDeps): Route[] => {
  const { files, clock, answering, linkKey, origin } = deps;

  const present = (db: TenantDb, row: FormRow): z.infer<typeof formSchema> => {
    const { number, legal_privacy_url } = tenantStore(db).practice();
    const now = clock.now();
    const url = `${origin}${formPathOf(linkKey, number, row)}`;
    const { settings } = row;
    const state = formStateOf(db, row, answering, now);
    const reason = state.state === 'closed' ? state.reason : null;
    return {
      id: row.id,
      ...settings,
      url,
      html: formHtml({ settings, action: url, privacyUrl: legal_privacy_url, opened: null }),
      state: state.state,
      reason,
      hint: reason && hints[reason],
      sent_last_day: sentLastDay(db, row, now),
      created_at: toIso(row.created_at),
      updated_at: toIso(row.updated_at),
    };
  };

  const shared = { tag: 'Website forms', access: 'inbound.manage', stability: 'stable' } as const;
  const one = (description: string) => ({ description, body: formSchema });
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: PATH,
      id: 'listWebsiteForms',
      summary: 'Forms by which people write to the practice',
      access: 'inbound.view',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'All, in the order they were made.', body: listOf(formSchema) } },
      handle: async ({ params: { id }, query }) => ({
        status: 200,
        body: await files.read(id, (db) => pageOf(formStore(db).list(), query, (row) => present(db, row))),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: PATH,
      id: 'createWebsiteForm',
      summary: 'Create a form for a website',
      description:
        'What is sent by it arrives in the inbox as a mail whose Reply-To is the address that was typed, with the event `inbound.received`; ' +
        `its recipient is the practice's mailbox, whatever is typed. The HTML needs no script, and \`url\` is a page with the form. At most ${MAX_FORMS} a practice.`,
      audit: 'website_form.create',
      params: tenantParams,
      body: createFormBody,
      responses: { 201: one('The form.') },
      errors: ['conflict'],
      handle: async ({ params: { id }, body: { preset, ...given } }, { change, language }) => {
        const settings = { ...presetOf(preset, given.language ?? language), ...given };
        const body = await files.write(id, (db) =>
          present(db, createForm(db, settings, { change, now: clock.now() })),
        );
        return { status: 201, body };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: ONE,
      id: 'getWebsiteForm',
      summary: 'One form',
      access: 'inbound.view',
      params: formParams,
      responses: { 200: one('The form.') },
      handle: async ({ params: { id, formID } }) => ({
        status: 200,
        body: await files.read(id, (db) => present(db, formOf(db, formID))),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      path: ONE,
      id: 'updateWebsiteForm',
      summary: 'Change a form',
      description:
        'HTML on a site is to be taken again for new fields and texts; until then what it sends is judged by the form as it is now.',
      audit: 'website_form.update',
      params: formParams,
      body: changeFormBody,
      responses: { 200: one('The form as it is now.') },
      handle: async ({ params: { id, formID }, body }, { change }) => ({
        status: 200,
        body: await files.write(id, (db) =>
          present(db, changeForm(db, formID, body, { change, now: clock.now() })),
        ),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: ONE,
      id: 'deleteWebsiteForm',
      summary: 'Delete a form',
      description:
        'What was sent by it stays. What waits for a proof of its address is not asked for any more.',
      audit: 'website_form.delete',
      params: formParams,
      responses: { 204: { description: 'Nothing is taken by it any more.' } },
      handle: async ({ params: { id, formID } }, { change }) => {
        await files.write(id, (db) => removeForm(db, formID, { change, now: clock.now() }));
        return { status: 204 };
      },
    }),
  ];
};
