// Practices: list, create, get.
import { z } from 'zod';
import type { Storage } from '#src/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import type { RequestContext, Route } from '#src/kernel/route.ts';
import { defineRoute } from '#src/kernel/route.ts';
import { domainName } from '#src/mail/address.ts';
import { type CreateTenantDeps, createTenant } from './create.ts';
import { presentPractice } from './present.ts';
import { registryStore, type TenantRow } from './registry-store.ts';
import { createPracticeBody, practiceSchema } from './schema.ts';
import { tenantStore } from './store.ts';

export const tenantParams = z.strictObject({ id: z.uuid().describe('the practice') });

const customDomain = (text: string | undefined, managedSuffix: string): string | null => {
  if (text === undefined) return null;
  const domain = domainName(text);
  if (domain !== null && !`.${domain}`.endsWith(`.${managedSuffix}`)) return domain;
  throw new AppError('invalid_request', 'The domain cannot be used as a sending domain.', {
    extra: {
      fields: [{ path: 'body.domain', message: 'expected a domain of your own, such as example.org' }],
    },
  });
};

const visibleTenants = (
  storage: Storage,
  context: RequestContext,
  after: number,
  limit: number,
): Promise<TenantRow[]> =>
  storage.platform.read((db) => {
    const { tenantId } = context.caller;
    if (tenantId === null) return registryStore(db).list(after, limit);
    const own = registryStore(db).get(tenantId);
    return own && own.number > after ? [own] : [];
  });

export const practiceRoutes = (deps: CreateTenantDeps): Route[] => {
  const { storage } = deps;
  const create = {
    method: 'post',
    tag: 'Practices',
    access: 'operator',
    stability: 'stable',
    body: createPracticeBody,
    responses: {
      201: { description: 'The practice, with its managed host ready to send.', body: practiceSchema },
    },
    errors: [],
    handle: async ({ body }: { body: z.output<typeof createPracticeBody> }) => {
      const practice = await createTenant(deps, {
        name: body.name,
        plan: body.plan ?? 'test',
        customDomain: customDomain(body.domain, deps.managedSuffix),
      });
      return { status: 201, body: presentPractice(practice) };
    },
  } as const;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices',
      tag: 'Practices',
      summary: 'Practices visible to the caller',
      access: 'authenticated',
      stability: 'stable',
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'In the order of their creation.', body: listOf(practiceSchema) } },
      handle: async ({ query }, context) => {
        const rows = await visibleTenants(storage, context, decodeCursor(query.cursor) ?? 0, query.limit + 1);
        const page = toPage(
          rows,
          query.limit,
          (row) => row.number,
          (row) => row.id,
        );
        const data = await Promise.all(
          page.data.map((id) =>
            storage.tenants.read(id, (db) => presentPractice(tenantStore(db).practice())),
          ),
        );
        return { status: 200, body: { data, next_cursor: page.next_cursor } };
      },
    }),
    defineRoute({ ...create, path: '/api/practices', summary: 'Create a practice' }),
    defineRoute({ ...create, path: '/api/projects', summary: 'Create a practice (alias)' }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}',
      tag: 'Practices',
      summary: 'One practice',
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      responses: { 200: { description: 'The practice.', body: practiceSchema } },
      handle: async ({ params }) => ({
        status: 200,
        body: await storage.tenants.read(params.id, (db) => presentPractice(tenantStore(db).practice())),
      }),
    }),
  ];
};
