// The waiting list: anyone may enter themselves, as JSON or by a form; the operator reads and removes entries.
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import { idSchema } from '#src/kernel/fields.ts';
import type { Language } from '#src/kernel/language.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { HTML_TYPE, prefersPage } from '#src/kernel/page.ts';
import type { RateCheck } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { DAY } from '#src/kernel/time.ts';
import { JOIN_PATH, joinedPage, joinFormHtml } from './page.ts';
import { waitedFor, waitlistStore } from './store.ts';
import {
  entrySchema,
  joinBody,
  joinWaitlist,
  notedSchema,
  presentEntry,
  removeFromWaitlist,
  type WaitlistDeps,
  waitlistRetentionJob,
} from './waitlist.ts';

const LIST_PATH = '/api/admin/waitlist';
const TAG = 'Waiting list';

const waitlistRoutes = (deps: WaitlistDeps & { readonly serviceName: string }): Route[] => [
  defineRoute({
    method: 'post',
    path: JOIN_PATH,
    tag: TAG,
    id: 'joinWaitlist',
    summary: 'Wait for a plan',
    access: 'public',
    audit: { none: 'a stranger enters himself; the entry is the record' },
    rate: 'sign_in',
    form: true,
    stability: 'stable',
    body: joinBody,
    responses: {
      200: { description: 'The same for browsers (`Accept: text/html`), as a page.', body: HTML_TYPE },
      202: {
        description: 'The address is on the list. An entry that was there before stays as it was.',
        body: notedSchema,
      },
    },
    errors: ['not_found'],
    handle: async ({ body }, context) => {
      await joinWaitlist(deps, body);
      if (!prefersPage(context)) return { status: 202, body: { status: 'noted' } };
      const { language } = context;
      return joinedPage(language, deps.serviceName);
    },
  }),
  defineRoute({
    method: 'get',
    path: LIST_PATH,
    tag: TAG,
    id: 'listWaitlist',
    summary: 'Who waits for a plan',
    access: 'operator',
    stability: 'stable',
    query: z.strictObject({ ...listQuery, plan: z.enum(waitedFor).optional() }),
    responses: { 200: { description: 'In the order they came.', body: listOf(entrySchema) } },
    handle: async ({ query }) => {
      const after = decodeCursor(query.cursor) ?? 0;
      const rows = await deps.platform.read((db) =>
        waitlistStore(db).list(query.plan ?? null, after, query.limit + 1),
      );
      return { status: 200, body: toPage(rows, query.limit, ({ seq }) => seq, presentEntry) };
    },
  }),
  defineRoute({
    method: 'delete',
    path: `${LIST_PATH}/{entryID}`,
    tag: TAG,
    id: 'deleteWaitlistEntry',
    summary: 'Remove an entry from the waiting list',
    access: 'operator',
    audit: 'waitlist.remove',
    stability: 'stable',
    params: z.strictObject({ entryID: idSchema }),
    responses: { 204: { description: 'It is gone.' } },
    handle: async ({ params: { entryID } }, { change }) => {
      await removeFromWaitlist(deps, entryID, change);
      return { status: 204 };
    },
  }),
];

export const openWaitlist = ({ storage: { platform }, config, clock }: Base, limitEmail: RateCheck) => {
  const { name: serviceName, waiting_list: isOpen } = config().service;
  const keep = () => config().retention.waiting_list;
  return {
    routes: waitlistRoutes({ platform, limitEmail, clock, isOpen, serviceName }),
    job: waitlistRetentionJob(platform, keep, clock),
    /** The form for the page at the origin; null where the operator has no waiting list. */
    joinForm: (language: Language): string | null =>
      isOpen ? joinFormHtml(language, Math.round(keep() / DAY)) : null,
  };
};
