// What is held of a person, over HTTP: in one answer, and as a whole to hand over.
import { requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { changeAs } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { decodeCursor, encodeCursor } from '#src/kernel/list.ts';
import { HTML_TYPE } from '#src/kernel/page.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { exportPerson } from './export.ts';
import { isPaged, notShown, type Part, partsOf } from './parts.ts';
import { personOf } from './person.ts';
import { exportQuery, personQueryOf, personSchemaOf, practiceParams } from './schema.ts';

/** Each export reads all mail of the person. */
const EXPORTS_PER_MINUTE = 60;
const WHAT = say`What is held of a person`;
const shared = { tag: 'People', method: 'get', stability: 'stable', params: practiceParams } as const;

export const personRoutes = (context: AudienceContext): Route[] => {
  const { files, suppressionKey, clock, personalData } = context;
  const parts = partsOf(personalData);
  const limitExports = createRateCheck(
    clock,
    () => perMinute(EXPORTS_PER_MINUTE),
    say`People are exported ${EXPORTS_PER_MINUTE} times a minute at most for a practice.`,
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
      query: personQueryOf(parts),
      responses: { 200: { description: 'Also where nothing is held.', body: personSchemaOf(parts) } },
      handle: async ({ params: { id }, query }, { caller }) => {
        requireAllProjects(caller, 'lists.manage', WHAT);
        const person = personOf(suppressionKey, id, query.address.email as Address);
        const not_shown = notShown(parts, caller);
        const shownOf = (db: TenantDb, part: Part) => {
          if (!isPaged(part)) return part.all(db, person);
          const after = decodeCursor((query as Readonly<Record<string, unknown>>)[part.cursor] as string);
          const { rows, before } = part.find(db, person, after, query.limit);
          return {
            data: rows.map((row) => part.present(db, row)),
            next_cursor: before === null ? null : encodeCursor(before),
          };
        };
        const held = await files.read(id, (db) =>
          parts.map(([name, part]) => [name, not_shown.includes(name) ? null : shownOf(db, part)]),
        );
        const body = { address: person.address, ...Object.fromEntries(held), not_shown };
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
