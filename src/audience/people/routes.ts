// What is held of a person, over HTTP: in one answer, and as a whole to hand over.
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { presentMail } from '#src/inbound/mailbox/present.ts';
import { changeAs } from '#src/kernel/change.ts';
import { decodeCursor, encodeCursor } from '#src/kernel/list.ts';
import { HTML_TYPE } from '#src/kernel/page.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { presentSummary } from '#src/messages/present.ts';
import { exportPerson } from './export.ts';
import { mailOf, messagesTo, notShown, type Page, shortPartsFor } from './held.ts';
import { personOf } from './person.ts';
import { exportQuery, personQuery, personSchema, practiceParams } from './schema.ts';

/** It reads all mail of the person. */
const EXPORTS_PER_MINUTE = 60;
const WHAT = 'What is held of a person';
const shared = { tag: 'People', method: 'get', stability: 'stable', params: practiceParams } as const;

const listed = <Row, Shown>({ rows, before }: Page<Row>, present: (row: Row) => Shown) => ({
  data: rows.map(present),
  next_cursor: before === null ? null : encodeCursor(before),
});

export const personRoutes = (context: AudienceContext): Route[] => {
  const { files, suppressionKey, clock } = context;
  const limitExports = createRateCheck(
    clock,
    () => perMinute(EXPORTS_PER_MINUTE),
    `People are exported ${EXPORTS_PER_MINUTE} times a minute at most for a practice.`,
  );
  return [
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/people',
      id: 'getPerson',
      summary: 'What is held of one address',
      description:
        'Mail, suppressions, lists and consent in one answer. Parts whose permission the caller lacks (`messages.view`, `suppressions.manage`, `inbound.view`) are null and named in `not_shown`. ' +
        'A page of messages or of mail received may be short, even empty, while its `next_cursor` is set.',
      access: 'lists.manage',
      query: personQuery,
      responses: { 200: { description: 'Also where nothing is held.', body: personSchema } },
      handle: async ({ params: { id }, query }, { caller }) => {
        requireAllProjects(caller, 'lists.manage', WHAT);
        const person = personOf(suppressionKey, id, query.address.email as Address);
        const [before, receivedBefore] = [decodeCursor(query.cursor), decodeCursor(query.received_cursor)];
        const not_shown = notShown(caller);
        const body = await files.read(id, (db) => ({
          address: person.address,
          ...shortPartsFor(db, person, caller),
          messages: not_shown.includes('messages')
            ? null
            : listed(messagesTo(db, person, before, query.limit), (row) => presentSummary(db, row)),
          received: not_shown.includes('received')
            ? null
            : listed(mailOf(db, person, receivedBefore, query.limit), (row) => presentMail(db, row)),
          not_shown,
        }));
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/practices/{id}/people/export',
      id: 'exportPerson',
      summary: 'What is held of a person, to hand over (Art. 15, 20 GDPR)',
      description:
        'As `GET …/people`, whole, with the content of messages that is still kept (`messages.view_content`), their events, and the text of mail received. Other recipients of a message are left out. ' +
        '`left_out` names what is not in it: copies of the same, rows of import reports, exclusions of campaigns, soft bounces, and the audit.',
      access: 'lists.manage',
      query: exportQuery,
      responses: {
        200: {
          description: 'A JSON object with an array for each part that the caller may see, or a page.',
          body: 'application/json',
          otherwise: HTML_TYPE,
        },
      },
      handle: async ({ params: { id }, query }, { caller, language, change }) => {
        requireAllProjects(caller, 'lists.manage', WHAT);
        limitExports(id);
        const person = personOf(suppressionKey, id, query.address.email as Address);
        await files.write(id, (db) =>
          auditStore(db).record(
            changeAs(change, 'person.export'),
            { target: { type: 'practice', id }, before: null, after: { person: person.pseudonym } },
            clock.now(),
          ),
        );
        return exportPerson(context, { tenantId: id, person, caller, language }, query.format);
      },
    }),
  ];
};
