// Practices: list, create, get, rename, and their legal block (Impressum).

import { z } from 'zod';
import { accountStore } from '#src/accounts/people/account-store.ts';
import { findMember, projectsOf } from '#src/accounts/people/enter.ts';
import type { Caller } from '#src/kernel/access.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { decodeCursor, encodeCursor, listOf, listQuery } from '#src/kernel/list.ts';
import type { Log } from '#src/kernel/log.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { changePractice } from './change-practice.ts';
import { createPractice, type PracticeDeps } from './create-practice.ts';
import { readEach } from './read-each.ts';
import { registryStore } from './registry-store.ts';
import {
  complianceBody,
  createPracticeBody,
  patchPracticeBody,
  practiceSchema,
  presentPractice,
  tenantParams,
} from './schema.ts';
import { type PracticeSettings, tenantStore } from './store.ts';

/** A page of the caller's practices, without those whose file cannot be read or does not have the caller as a member. */
const visiblePractices = async (
  { storage, clock }: PracticeDeps,
  { account }: Caller,
  after: number,
  limit: number,
  log: Log,
) => {
  const rows = await storage.platform.read((db) =>
    account === null
      ? registryStore(db).list(after, limit + 1)
      : accountStore(db)
          .memberships(account.id, after, limit + 1)
          .map(({ number, tenant_id }) => ({ number, id: tenant_id })),
  );
  const looked = rows.slice(0, limit);
  const found = await readEach(
    storage.tenants,
    looked,
    (db) => {
      const member = account === null ? null : findMember(db, account.emailKey);
      if (member !== null && member?.row.status !== 'active') return undefined;
      const projects = member === null ? null : projectsOf(member.row);
      return presentPractice(tenantStore(db).practice(), clock.now(), projects);
    },
    (error, { id }) => log.warn({ err: error, practice_id: id }, 'a practice is left out of a list'),
  );
  const last = looked.at(-1);
  return {
    data: found.filter((practice) => practice !== undefined),
    next_cursor: rows.length > limit && last ? encodeCursor(last.number) : null,
  };
};

export const practiceRoutes = (given: Omit<PracticeDeps, 'queue'>): Route[] => {
  const deps: PracticeDeps = { ...given, queue: createKeyedQueue() };
  const { storage, clock } = deps;
  const practiceOf = (id: string, { projects }: Caller) =>
    storage.tenants.read(id, (db) => presentPractice(tenantStore(db).practice(), clock.now(), projects));
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
        const after = decodeCursor(query.cursor);
        if (caller.tenantId !== null) {
          const data = after === null ? [await practiceOf(caller.tenantId, caller)] : [];
          return { status: 200, body: { data, next_cursor: null } };
        }
        return {
          status: 200,
          body: await visiblePractices(deps, caller, after ?? 0, query.limit, log),
        };
      },
    }),
    defineRoute({ ...create, path: '/api/practices', id: 'createPractice', summary: 'Create a practice' }),
    defineRoute({
      ...create,
      path: '/api/projects',
      id: 'createPracticeAsProject',
      summary: 'Create a practice (alias)',
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}',
      tag: 'Practices',
      id: 'getPractice',
      summary: 'One practice',
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      handle: async ({ params }, { caller }) => ({ status: 200, body: await practiceOf(params.id, caller) }),
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}',
      tag: 'Practices',
      id: 'updatePractice',
      summary: 'Rename a practice',
      description: 'Slug and managed host stay as they are.',
      access: 'practice.manage',
      audit: 'practice.update',
      stability: 'stable',
      params: tenantParams,
      body: patchPracticeBody,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      handle: async ({ params, body }, { change }) => ({
        status: 200,
        body: await changePractice(deps, params.id, { name: body.name }, change),
      }),
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}/compliance',
      tag: 'Practices',
      id: 'setLegalBlock',
      summary: 'Set the legal block',
      description: 'What is absent stays as it is; null clears it. Marketing mail needs all of it.',
      access: 'practice.manage',
      audit: 'practice.compliance',
      stability: 'stable',
      params: tenantParams,
      body: complianceBody,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      handle: async ({ params, body: { street, city, privacy_url } }, { change }) => {
        const fields: Partial<PracticeSettings> = {
          ...(street === undefined ? {} : { legal_street: street }),
          ...(city === undefined ? {} : { legal_city: city }),
          ...(privacy_url === undefined ? {} : { legal_privacy_url: privacy_url }),
        };
        return { status: 200, body: await changePractice(deps, params.id, fields, change) };
      },
    }),
  ];
};
