// Lists over HTTP. They are the whole practice's: the permission is given to no one who is limited to projects.
import type { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { AudienceContext, Part } from '#src/audience/context.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import type { Change } from '#src/kernel/change.ts';
import { AppError } from '#src/kernel/errors.ts';
import { listOf, pageOf } from '#src/kernel/list.ts';
import { wholeBut } from '#src/kernel/record-version.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import {
  archiveList,
  changeList,
  createList,
  type ListChange,
  listInUse,
  namedList,
  withdrawWaiting,
} from './change.ts';
import {
  createListBody,
  listListsQuery,
  listParams,
  listSchema,
  patchListBody,
  presentList,
} from './schema.ts';
import { listStore } from './store.ts';

export const openLists = (context: AudienceContext): Part => {
  const { files, clock, ledger, hold } = context;
  const shared = { tag: 'Lists', access: 'lists.manage', stability: 'stable' } as const;
  const one = { description: 'The list.', body: listSchema };
  const version = wholeBut<z.output<typeof listSchema>>('counts');
  const by = (change: Change): ListChange => ({ change, ledger, now: clock.now() });
  return {
    routes: [
      defineRoute({
        ...shared,
        method: 'get',
        path: '/api/practices/{id}/lists',
        id: 'listLists',
        summary: 'Lists of subscribers',
        params: tenantParams,
        query: listListsQuery,
        responses: { 200: { description: 'By name.', body: listOf(listSchema) } },
        handle: async ({ params, query }) => {
          const body = await files.read(params.id, (db) => {
            const rows = listStore(db).all();
            const asked = rows.filter(({ archived_at }) => (archived_at !== null) === query.archived);
            return pageOf(asked, query, (row) => presentList(db, context, row));
          });
          return { status: 200, body };
        },
      }),
      defineRoute({
        ...shared,
        method: 'post',
        path: '/api/practices/{id}/lists',
        id: 'createList',
        summary: 'Create a list',
        audit: 'list.create',
        params: tenantParams,
        body: createListBody,
        responses: { 201: one },
        errors: ['conflict'],
        handle: async ({ params, body }, { change }) => {
          const release = await hold(params.id);
          try {
            const list = await files.write(params.id, (db) =>
              presentList(db, context, createList(db, body, by(change))),
            );
            return { status: 201, body: list };
          } finally {
            release();
          }
        },
      }),
      defineRoute({
        ...shared,
        method: 'get',
        path: '/api/practices/{id}/lists/{listID}',
        id: 'getList',
        summary: 'A list',
        version,
        params: listParams,
        responses: { 200: one },
        handle: async ({ params }) => {
          const body = await files.read(params.id, (db) =>
            presentList(db, context, namedList(db, params.listID)),
          );
          return { status: 200, body };
        },
      }),
      defineRoute({
        ...shared,
        method: 'patch',
        path: '/api/practices/{id}/lists/{listID}',
        id: 'updateList',
        summary: 'Change a list',
        version,
        description:
          'Another wording gets the next version number and is kept in the consent ledger; who agreed to an earlier one stays subscribed, and their evidence names that one.',
        audit: 'list.update',
        params: listParams,
        body: patchListBody,
        responses: { 200: one },
        errors: ['conflict'],
        handle: async ({ params, body: wanted }, request) => {
          const body = await files.write(params.id, (db) => {
            const row = listInUse(db, params.listID);
            requireCurrent(db, request, presentList(db, context, row), {
              targetId: row.id,
              actions: ['list.create', 'list.update'],
            });
            return presentList(db, context, changeList(db, row, wanted, by(request.change)));
          });
          return { status: 200, body };
        },
      }),
      defineRoute({
        ...shared,
        method: 'delete',
        path: '/api/practices/{id}/lists/{listID}',
        id: 'archiveList',
        summary: 'Archive a list',
        description:
          'Its form is closed, no one is added, and it is in no campaign from now on. Mails that wait to ask for a confirmation do not leave. Its subscribers and their consent are kept, and its name can be given to another list. It cannot be undone, and is refused while a scheduled, sending or paused campaign goes to it.',
        audit: 'list.archive',
        params: listParams,
        responses: { 204: { description: 'It is archived.' } },
        errors: ['conflict'],
        handle: async ({ params }, { change }) => {
          let hasMore = await files.write(params.id, (db) => {
            const row = namedList(db, params.listID);
            if (row.archived_at !== null) throw new AppError('not_found', say`The list is archived already.`);
            return archiveList(db, row, by(change));
          });
          while (hasMore)
            hasMore = await files.write(params.id, (db) =>
              withdrawWaiting(db, namedList(db, params.listID), context.clock.now()),
            );
          return { status: 204 };
        },
      }),
    ],
  };
};
