// Practices: list, create, get, rename, and their legal block (Impressum).

import { z } from 'zod';
import { requireCurrent } from '#src/events/require-current.ts';
import { type Caller, permissions } from '#src/kernel/access.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { permissionSchema } from '#src/kernel/fields.ts';
import { listOf, listQuery } from '#src/kernel/list.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { writePractice } from './change-practice.ts';
import { createPractice, type PracticeDeps } from './create-practice.ts';
import { legalFields } from './legal.ts';
import { callersPage } from './practice-pages.ts';
import { type Answering, requireArriving } from './reply-address.ts';
import {
  complianceBody,
  createPracticeBody,
  patchPracticeBody,
  practiceSchema,
  presentPractice,
  tenantParams,
} from './schema.ts';
import { type PracticeSettings, tenantStore } from './store.ts';

const callerKinds = ['operator', 'member', 'team_token', 'project_token'] as const;

const ownPracticeSchema = practiceSchema
  .extend({
    caller: z
      .strictObject({
        kind: z
          .enum(callerKinds)
          .describe(
            '`operator`: the admin token, or an operator who is signed in and no member of the practice',
          ),
        permissions: z.array(permissionSchema).describe('what the caller may do in the practice'),
      })
      .describe('who asks'),
  })
  .meta({ id: 'PracticeOfCaller' });

/** What members write of it; plan, warm-up and pause are changed by others. */
const version = ({ name, reply_address, add_reply_to, legal }: z.output<typeof practiceSchema>): unknown => [
  ...[name, reply_address, add_reply_to, legal],
];

export const practiceRoutes = (given: Omit<PracticeDeps, 'queue'>, answering: () => Answering): Route[] => {
  const deps: PracticeDeps = { ...given, queue: createKeyedQueue() };
  const { storage, clock } = deps;
  const practiceOf = (id: string, { projects }: Caller) =>
    storage.tenants.read(id, (db) => presentPractice(tenantStore(db).practice(), clock.now(), projects));
  const requireSame = (db: TenantDb, request: RequestContext): void => {
    const row = tenantStore(db).practice();
    requireCurrent(db, request, presentPractice(row, clock.now()), {
      targetId: row.id,
      actions: ['practice.update', 'practice.compliance'],
    });
  };
  const create = {
    method: 'post',
    tag: 'Practices',
    description:
      'The operator names the owner, or adds one later. A member becomes the owner himself and chooses no plan.',
    access: 'practice_creator',
    audit: 'practice.create',
    stability: 'stable',
    body: createPracticeBody,
    responses: {
      201: { description: 'The practice, with its managed host ready to send.', body: practiceSchema },
    },
    errors: ['conflict'],
    handle: async ({ body }: { body: z.output<typeof createPracticeBody> }, context: RequestContext) => ({
      status: 201,
      body: await createPractice(deps, context.caller, body, context),
    }),
  } as const;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices',
      tag: 'Practices',
      id: 'listPractices',
      summary: 'Practices visible to the caller',
      access: 'authenticated',
      stability: 'stable',
      query: z.strictObject(listQuery),
      responses: {
        200: {
          description:
            'In the order of their creation. A page may hold fewer than `limit` while `next_cursor` is set.',
          body: listOf(practiceSchema),
        },
      },
      handle: async ({ query }, { caller, log }) => {
        const page = { query, isFiltered: false, log };
        const read = (db: TenantDb, { projects }: Caller) =>
          presentPractice(tenantStore(db).practice(), clock.now(), projects);
        return { status: 200, body: await callersPage(storage, caller, { ...page, read }) };
      },
    }),
    defineRoute({ ...create, path: '/api/practices', id: 'createPractice', summary: 'Create a practice' }),
    defineRoute({
      ...create,
      path: '/api/projects',
      id: 'createPracticeAsProject',
      usedBy: 'programs written for services that call a practice a project',
      summary: 'Create a practice (alias)',
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}',
      tag: 'Practices',
      id: 'getPractice',
      summary: 'One practice',
      version,
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: 'The practice.', body: ownPracticeSchema } },
      handle: async ({ params }, { caller }) => {
        const who = {
          kind: callerKinds.find((kind) => kind === caller.kind),
          permissions: permissions.filter((permission) => caller.permissions.has(permission)),
        };
        return { status: 200, body: { ...(await practiceOf(params.id, caller)), caller: who } };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}',
      tag: 'Practices',
      id: 'updatePractice',
      summary: 'Change a practice',
      version,
      description: 'What is absent stays as it is, and so do slug and managed host.',
      access: 'practice.manage',
      audit: 'practice.update',
      stability: 'stable',
      params: tenantParams,
      body: patchPracticeBody,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      handle: async ({ params, body }, request) => ({
        status: 200,
        body: await storage.tenants.write(params.id, (db) => {
          requireSame(db, request);
          const { name, reply_address, add_reply_to } = body;
          requireArriving(db, answering(), reply_address);
          const fields: Partial<PracticeSettings> = {
            ...(name === undefined ? {} : { name }),
            ...(reply_address === undefined ? {} : { reply_address }),
            ...(add_reply_to === undefined ? {} : { adds_reply_to: add_reply_to ? 1 : 0 }),
          };
          return writePractice(db, fields, request.change, clock.now());
        }),
      }),
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}/compliance',
      tag: 'Practices',
      id: 'setLegalBlock',
      summary: 'Set the legal block',
      version,
      description:
        'What is absent stays as it is; null clears it. Marketing mail and public lists need `street`, `city` and `privacy_url`; the law asks for more, depending on who sends. Public pages show all of it; marketing shows in short what is not on the page at `imprint_url`.',
      access: 'practice.manage',
      audit: 'practice.compliance',
      stability: 'stable',
      params: tenantParams,
      body: complianceBody,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      handle: async ({ params, body }, request) => {
        const fields: Partial<PracticeSettings> = Object.fromEntries(
          legalFields.flatMap((field) =>
            body[field] === undefined ? [] : [[`legal_${field}`, body[field]]],
          ),
        );
        const changed = await storage.tenants.write(params.id, (db) => {
          requireSame(db, request);
          return writePractice(db, fields, request.change, clock.now());
        });
        return { status: 200, body: changed };
      },
    }),
  ];
};
