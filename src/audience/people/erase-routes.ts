// Erasing a person over HTTP: the request, its progress, and the certificate.
import { z } from 'zod';
import { notFound, requireAllProjects } from '#src/accounts/tenants/project-routes.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { HTML_TYPE, prefersPage } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { certificatePage, presentErasure } from './certificate.ts';
import { requestErasure } from './erase.ts';
import { erasureStore } from './erasure-store.ts';
import { eraseBody, erasureParams, erasureSchema, practiceParams } from './schema.ts';

const WHAT = say`The data of a person`;
const shared = { tag: 'People', access: 'practice.manage', stability: 'stable' } as const;

export const eraseRoutes = (context: AudienceContext): Route[] => {
  const { files, clock, hold, wake, personalData } = context;
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/people/erase',
      id: 'erasePerson',
      summary: 'Erase a person (Art. 17 GDPR)',
      description:
        'From now on nothing is sent to the address, also of what is queued or scheduled; what is just being delivered cannot be called back. ' +
        'Then everything about it is removed or replaced by a keyed hash, which stays on the suppression list: an import of the address is still suppressed. ' +
        'It takes seconds, with many messages minutes; scheduled mail to others that names the address leaves as it was written, and an import whose file has the address ends, before the erasure does. ' +
        'The same request again answers the erasure that is in progress.',
      audit: 'person.erase',
      params: practiceParams,
      body: eraseBody,
      responses: { 202: { description: 'It is being erased.', body: erasureSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change, answerLanguage }) => {
        requireAllProjects(caller, 'practice.manage', WHAT);
        const request = { address: body.address.email as Address, reason: body.reason ?? null };
        const release = await hold(params.id);
        try {
          const row = await files.write(params.id, (db) =>
            requestErasure(db, context, request, change, clock.now()),
          );
          return { status: 202, body: presentErasure(row, personalData, answerLanguage) };
        } finally {
          release();
          wake(params.id);
        }
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/people/erasures',
      id: 'listErasures',
      summary: 'Erasures of people',
      params: practiceParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'Newest first.', body: listOf(erasureSchema) } },
      handle: async ({ params, query }, { caller, answerLanguage }) => {
        requireAllProjects(caller, 'practice.manage', WHAT);
        const before = decodeCursor(query.cursor);
        const rows = await files.read(params.id, (db) => erasureStore(db).list(before, query.limit + 1));
        const present = (row: (typeof rows)[number]) => presentErasure(row, personalData, answerLanguage);
        return { status: 200, body: toPage(rows, query.limit, ({ seq }) => seq, present) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/people/erasures/{erasureID}',
      id: 'getErasure',
      summary: 'One erasure, with its certificate',
      params: erasureParams,
      responses: {
        200: {
          description: 'The certificate is there once it is done; as a page where Accept prefers HTML.',
          body: erasureSchema,
          otherwise: HTML_TYPE,
        },
      },
      handle: async ({ params }, context) => {
        requireAllProjects(context.caller, 'practice.manage', WHAT);
        const { row, name } = await files.read(params.id, (db) => ({
          row: erasureStore(db).byId(params.erasureID),
          name: tenantStore(db).practice().name,
        }));
        if (row === undefined) throw notFound('erasure');
        return prefersPage(context)
          ? certificatePage(row, personalData, context.language, name)
          : { status: 200, body: presentErasure(row, personalData, context.answerLanguage) };
      },
    }),
  ];
};
