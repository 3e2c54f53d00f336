// Reports of abuse: taken from anyone as JSON or by a form, looked after by the operator.
import { z } from 'zod';
import { idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { HTML_TYPE, prefersPage } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { REPORT_PATH, receivedPage, reportPage } from './page.ts';
import { stages } from './rules.ts';
import {
  MAX_SOURCE,
  patchTicketBody,
  presentSummary,
  presentTicket,
  receivedSchema,
  reportBody,
  ticketSchema,
  ticketSummarySchema,
} from './schema.ts';
import { ticketStore } from './store.ts';
import { getSource, getTicket, openTicket, type TicketDeps, updateTicket } from './tickets.ts';

const LIST_PATH = '/api/admin/abuse-tickets';
/** The longest file and all that a form says beside it; of a text in JSON somewhat less, because line breaks are escaped. */
const REPORT_BYTES = MAX_SOURCE + 256 * 1024;

const operators = { tag: 'Abuse', access: 'operator', stability: 'stable' } as const;
const params = z.strictObject({ ticketID: idSchema });

export const abuseRoutes = (deps: TicketDeps & { readonly serviceName: string }): Route[] => [
  defineRoute({
    method: 'get',
    path: REPORT_PATH,
    tag: 'Abuse',
    id: 'getAbuseForm',
    usedBy: 'who follows the link in X-Report-Abuse',
    summary: 'A page with the form to report abuse',
    access: 'public',
    stability: 'stable',
    responses: { 200: { description: 'In German or English by `Accept-Language`.', body: HTML_TYPE } },
    handle: (_, { language }) => reportPage(language, deps.serviceName),
  }),
  defineRoute({
    method: 'post',
    path: REPORT_PATH,
    tag: 'Abuse',
    id: 'reportAbuse',
    usedBy: 'who reports abuse on its page, and programs that report for others',
    summary: 'Report abuse',
    description: 'The reporter gets a mail now and at each further stage of the report.',
    access: 'public',
    audit: { none: 'a stranger reports; the ticket is the record' },
    rate: 'sign_in',
    form: { files: ['source'] },
    stability: 'stable',
    body: reportBody,
    bodyLimit: REPORT_BYTES,
    responses: {
      200: { description: 'The same for browsers (`Accept: text/html`), as a page.', body: HTML_TYPE },
      202: { description: 'There is a ticket now.', body: receivedSchema },
    },
    handle: async ({ body }, context) => {
      const id = await openTicket(deps, body, context);
      return prefersPage(context)
        ? receivedPage(context.language, deps.serviceName, id)
        : { status: 202, body: { id } };
    },
  }),
  defineRoute({
    ...operators,
    method: 'get',
    path: LIST_PATH,
    id: 'listAbuseTickets',
    summary: 'Reports of abuse',
    query: z.strictObject({ ...listQuery, stage: z.enum(stages).optional() }),
    responses: { 200: { description: 'Newest first.', body: listOf(ticketSummarySchema) } },
    handle: async ({ query }) => {
      const filter = { stage: query.stage ?? null, before: decodeCursor(query.cursor) };
      const rows = await deps.platform.read((db) => ticketStore(db).list(filter, query.limit + 1));
      return { status: 200, body: toPage(rows, query.limit, ({ seq }) => seq, presentSummary) };
    },
  }),
  defineRoute({
    ...operators,
    method: 'get',
    path: `${LIST_PATH}/{ticketID}`,
    id: 'getAbuseTicket',
    summary: 'A report of abuse with its steps',
    params,
    responses: { 200: { description: 'The ticket.', body: ticketSchema } },
    handle: async ({ params: { ticketID } }) => {
      const { row, steps } = await deps.platform.read((db) => getTicket(db, ticketID));
      return { status: 200, body: presentTicket(row, steps) };
    },
  }),
  defineRoute({
    ...operators,
    method: 'get',
    path: `${LIST_PATH}/{ticketID}/source`,
    id: 'getAbuseTicketSource',
    summary: 'The mail that a report of abuse is about, as it was sent with the report',
    params,
    responses: {
      200: { description: 'Its bytes; unproved, like all that strangers send.', body: 'message/rfc822' },
    },
    handle: async ({ params: { ticketID } }) => ({
      status: 200,
      contentType: 'message/rfc822',
      headers: { 'Content-Disposition': 'attachment; filename="reported.eml"' },
      body: await deps.platform.read((db) => getSource(db, ticketID)),
    }),
  }),
  defineRoute({
    ...operators,
    method: 'patch',
    path: `${LIST_PATH}/{ticketID}`,
    id: 'updateAbuseTicket',
    summary: 'Move a report of abuse to its next stage, add a note, name the practice',
    description:
      'The reporter gets a mail at each stage. Naming the stage that the ticket is at already changes nothing.',
    audit: 'abuse_ticket.update',
    params,
    body: patchTicketBody,
    responses: { 200: { description: 'The ticket as it is now.', body: ticketSchema } },
    errors: ['conflict'],
    handle: async ({ params: { ticketID }, body }, { change }) => {
      const { row, steps } = await updateTicket(deps, ticketID, body, change);
      return { status: 200, body: presentTicket(row, steps) };
    },
  }),
];
