// What a host says of which practices it has, and by what a request for each is known: `sendwerk fleet` gathers it from all hosts and
// makes of it what a proxy in front of them needs. Only the registry is read, and no tenant's file is opened.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { idSchema } from '#src/kernel/fields.ts';
import type { KnownBy, ReadKnownBy } from '#src/kernel/known-by.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { tenantFile } from './manifest.ts';

const entrySchema = z
  .strictObject({
    id: idSchema,
    slug: z.string(),
    bytes: z.int().describe('of its database; 0 where the file is missing'),
    tokens: z.array(z.hash('sha256')).describe('SHA-256 of each API token that is not revoked'),
    hooks: z.array(z.string()).describe('ids of its inbound hooks'),
    hosts: z.array(z.string()).describe('that it sends from'),
  })
  .meta({ id: 'DirectoryEntry' });
export type DirectoryEntry = z.infer<typeof entrySchema>;

interface Row {
  readonly number: number;
  readonly id: string;
  readonly slug: string;
}

const all = (parts: readonly Partial<KnownBy>[], name: keyof KnownBy): string[] =>
  parts.flatMap((part) => part[name] ?? []);

export const directoryRoute = (
  { storage: { platform }, config }: Pick<Base, 'storage' | 'config'>,
  /** Practices at work, in the order of their numbers. */
  practicesAfter: (db: PlatformDb, number: number, limit: number) => readonly Row[],
  rooms: readonly ReadKnownBy[],
): Route =>
  defineRoute({
    method: 'get',
    path: '/api/admin/directory',
    tag: 'Platform administration',
    id: 'getDirectory',
    summary: 'The practices that work on this host, with what requests for them are known by',
    description:
      'For `sendwerk fleet`, which makes the maps of a proxy of it. Those that have moved or are arriving are not in it.',
    access: 'operator',
    stability: 'stable',
    query: z.strictObject(listQuery),
    responses: { 200: { description: 'In the order of their creation.', body: listOf(entrySchema) } },
    handle: async ({ query: { limit, cursor } }) => {
      const found = await platform.read((db) =>
        practicesAfter(db, decodeCursor(cursor) ?? 0, limit + 1).map((row) => {
          const parts = rooms.map((read) => read(db, row.id));
          return {
            ...row,
            tokens: all(parts, 'tokens'),
            hooks: all(parts, 'hooks'),
            hosts: all(parts, 'hosts'),
          };
        }),
      );
      const { data, next_cursor } = toPage(
        found,
        limit,
        ({ number }) => number,
        ({ number: _, ...entry }) => entry,
      );
      const sized = data.map(async ({ id, slug, ...known }): Promise<DirectoryEntry> => {
        const file = await stat(join(config().data_dir, tenantFile(id))).catch(() => null);
        return { id, slug, bytes: file?.size ?? 0, ...known };
      });
      return { status: 200, body: { data: await Promise.all(sized), next_cursor } };
    },
  });
