// Projects of a practice. A caller limited to projects sees and changes these; the others answer as if they did not
// exist.

import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import { type Caller, mayUseProject, type Permission } from '#src/kernel/access.ts';
import type { Base } from '#src/kernel/base.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { newId } from '#src/kernel/id.ts';
import { listOf, listQuery, pageOf } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { registryStore } from './registry-store.ts';
import { type Answering, requireArriving } from './reply-address.ts';
import { slugify } from './rules.ts';
import {
  createProjectBody,
  patchProjectBody,
  presentProject,
  projectSchema,
  tenantParams,
} from './schema.ts';
import { type ProjectRow, tenantStore } from './store.ts';

const projectParams = z.strictObject({ ...tenantParams.shape, projectID: idSchema });

export const notFound = (what: string): AppError => new AppError('not_found', `There is no such ${what}.`);

/** Throws `forbidden` for a caller limited to projects, because the change concerns all projects. */
export const requireAllProjects = (
  caller: Pick<Caller, 'projects'>,
  permission: Permission,
  what: string,
): void => {
  if (caller.projects === null) return;
  throw new AppError('forbidden', `${what} concerns all projects, and this access is limited to some.`, {
    hint: 'Ask a member who has access to all projects.',
    extra: { permission },
  });
};

/** Lists of them are read at once, and no practice needs this many. */
const MAX_OF_EACH = 1_000;

export const requireRoom = (present: readonly unknown[], what: string): void => {
  if (present.length < MAX_OF_EACH) return;
  throw new AppError('conflict', `A practice has at most ${MAX_OF_EACH} ${what}.`, {
    hint: 'Change one that is there already.',
  });
};

export const freeSlug = (
  wanted: string | undefined,
  name: string,
  isTaken: (slug: string) => boolean,
): string => {
  const slug = wanted ?? slugify(name);
  if (slug === '') {
    throw new AppError('invalid_request', 'No slug can be made from the name.', {
      extra: { fields: [{ path: 'body.slug', message: 'expected a slug, because the name yields none' }] },
    });
  }
  if (isTaken(slug)) throw new AppError('conflict', `The slug ${slug} is taken.`);
  return slug;
};

export const projectRoutes = (
  { storage, clock }: Pick<Base, 'storage' | 'clock'>,
  answering: () => Answering,
): Route[] => {
  const files = storage.tenants;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/projects',
      tag: 'Projects and routes',
      id: 'listProjects',
      summary: 'Projects',
      access: 'authenticated',
      stability: 'stable',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: {
        200: {
          description: 'All; who is limited to projects (a project token, a member) sees those.',
          body: listOf(projectSchema),
        },
      },
      handle: async ({ params, query }, { caller }) => {
        const rows = await files.read(params.id, (db) => tenantStore(db).projects());
        const visible = rows.filter((row) => mayUseProject(caller, row.id));
        return { status: 200, body: pageOf(visible, query, presentProject) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/practices/{id}/projects',
      tag: 'Projects and routes',
      id: 'createProject',
      summary: 'Create a project',
      access: 'projects.manage',
      audit: 'project.create',
      stability: 'stable',
      params: tenantParams,
      body: createProjectBody,
      responses: { 201: { description: 'The project.', body: projectSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change }) => {
        requireAllProjects(caller, 'projects.manage', 'A new project');
        const id = newId();
        // Before the project is made: a row without one leads to a practice that has no such project.
        await storage.platform.write((db) => registryStore(db).addProject(id, params.id));
        const created = await files.write(params.id, (db) => {
          const store = tenantStore(db);
          requireRoom(store.projects(), 'projects');
          requireArriving(db, answering(), body.reply_address);
          const slug = freeSlug(body.slug, body.name, (taken) => store.projectBySlug(taken) !== undefined);
          const row: ProjectRow = {
            id,
            name: body.name,
            slug,
            is_default: 0,
            archived_at: null,
            reply_address: body.reply_address ?? null,
            created_at: clock.now(),
          };
          store.insertProject(row);
          const target = { type: 'project', id: row.id };
          const after = presentProject(row);
          auditStore(db).record(change, { target, before: null, after }, row.created_at);
          return after;
        });
        return { status: 201, body: created };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/practices/{id}/projects/{projectID}',
      tag: 'Projects and routes',
      id: 'updateProject',
      summary: 'Change or archive a project',
      access: 'projects.manage',
      audit: 'project.update',
      stability: 'stable',
      params: projectParams,
      body: patchProjectBody,
      responses: { 200: { description: 'The project.', body: projectSchema } },
      errors: ['conflict'],
      handle: async ({ params, body }, { caller, change }) => {
        const changed = await files.write(params.id, (db) => {
          const row = tenantStore(db).project(params.projectID);
          if (!row || !mayUseProject(caller, row.id)) throw notFound('project');
          if (body.archived && row.is_default === 1) {
            throw new AppError('conflict', 'The default project cannot be archived.');
          }
          requireArriving(db, answering(), body.reply_address);
          const now = clock.now();
          const next: ProjectRow = { ...row, name: body.name ?? row.name };
          if (body.reply_address !== undefined) next.reply_address = body.reply_address;
          if (body.archived !== undefined) next.archived_at = body.archived ? (row.archived_at ?? now) : null;
          tenantStore(db).updateProject(next);
          const target = { type: 'project', id: row.id };
          const after = presentProject(next);
          auditStore(db).record(change, { target, before: presentProject(row), after }, now);
          return after;
        });
        return { status: 200, body: changed };
      },
    }),
  ];
};
