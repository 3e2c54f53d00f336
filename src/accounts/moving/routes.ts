// What `sendwerk tenant move` asks of the two hosts: of the old one to freeze the tenant and to give it up, of the new one to take its
// file and to begin.
import { z } from 'zod';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { refuseSystemTenant } from '#src/accounts/tenants/system-tenant.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Base } from '#src/kernel/base.ts';
import type { Change } from '#src/kernel/change.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { SECOND, toIso } from '#src/kernel/time.ts';
import type { Arrive } from './arrive.ts';
import type { Leave } from './leave.ts';
import { BLOCK_BYTES } from './leaving-file.ts';

const TAG = 'Platform administration';
const MAX_BLOCKS = 64;
/** In base64, where nothing can be compressed. */
const BLOCKS_BODY_BYTES = 2 * MAX_BLOCKS * BLOCK_BYTES;
const GIB = 2 ** 30;
const MAX_FILE_BYTES = 256 * GIB;
/** Hashes of the blocks of such a file would be larger than any body: a digest of them says the same. */
const key = z.base64().length(44).describe('32 bytes, under which the copy is sealed');

const newHostSchema = z
  .strictObject({
    origin: z.url({ protocol: /^https?$/ }).max(300),
    host: z.string().min(1).max(253).describe('its service host'),
    mail: z.strictObject({ host: z.string().min(1).max(253), port: z.int().min(1).max(65_535) }),
  })
  .meta({ id: 'NewHost' });

const movedSchema = z
  .strictObject({
    id: idSchema,
    slug: z.string(),
    new_host: newHostSchema,
    until: z.iso.datetime().describe('so long what comes for it here is handed on'),
  })
  .meta({ id: 'MovedPractice' });

const frozenSchema = z
  .strictObject({
    freeze: z.uuid().describe('names it, to give the practice up'),
    at: z.iso.datetime().describe('since when requests are refused'),
    key,
  })
  .meta({ id: 'FrozenPractice' });

const copySchema = z.strictObject({ key }).meta({ id: 'MovedCopy' });

const arrivalSchema = z
  .strictObject({
    state: z
      .enum(['creating', 'active', 'arriving', 'moved'])
      .nullable()
      .describe('null: it is not known here'),
    freeze: z.uuid().nullable().describe('of the host that it comes from, where it waits for that host'),
    hashes: z.base64().describe(`SHA-256 of each ${BLOCK_BYTES} bytes of the copy that is here`),
  })
  .meta({ id: 'Arrival' });

const releasedSchema = z
  .strictObject({
    proof: z.string().nullable().describe('that the freeze named is over, for the host that waits'),
  })
  .meta({ id: 'ReleasedPractice' });

const takenSchema = z
  .strictObject({
    slug: z.string(),
    managed_host: z.string(),
    host: z.string(),
    mail: z.strictObject({ host: z.string(), port: z.int() }),
    notes: z.array(z.string()).describe('what another practice has, and keeps'),
  })
  .meta({ id: 'TakenPractice' });

const arrivalParams = z.strictObject({ practiceID: idSchema });

const freeze = z.strictObject({
  patience: z
    .int()
    .min(1)
    .max(50)
    .default(40)
    .describe('how many seconds its mail in flight may take to end; nothing is refused meanwhile'),
});

const freezeNamed = z.strictObject({
  freeze: z.uuid().optional().describe('a freeze that is to be proven to be over'),
});

const goesOn = z.strictObject({ freeze: z.uuid().describe('of the answer to the freeze') });

const released = z.strictObject({
  freeze: z.uuid().optional().describe('that it was taken in'),
  proof: z.base64url().max(64).optional().describe('of the host that it comes from: that the freeze is over'),
});

const moved = z.strictObject({
  freeze: z.uuid().describe('of the answer to the freeze'),
  new_host: newHostSchema,
});

const blocks = z.strictObject({
  size: z.int().min(1).max(MAX_FILE_BYTES).describe('of the whole file, in bytes'),
  blocks: z
    .array(
      z.strictObject({
        at: z.int().min(0).describe('number of the block in the file'),
        data: z.base64().describe('compressed by Zstandard'),
      }),
    )
    .max(MAX_BLOCKS),
});

const take = z.strictObject({
  key,
  digest: z.base64().length(44).describe('SHA-256 of the hashes of all blocks'),
  slug: z.string().min(1).max(63).describe('that it has on the old host'),
  freeze: z
    .uuid()
    .nullable()
    .default(null)
    .describe('of the answer to the freeze; null: no other host has it'),
});

export const moveRoutes = (
  base: Pick<Base, 'storage' | 'clock'>,
  leave: () => Promise<Leave>,
  arrive: () => Promise<Arrive>,
): Route[] => {
  const { storage, clock } = base;
  const record = (change: Change, id: string, after: object | null): Promise<void> =>
    storage.platform.write((db) => {
      const before = after === null ? { id } : null;
      auditStore(db).record(change, { target: { type: 'practice', id }, before, after }, clock.now());
    });
  const shared = { tag: TAG, access: 'operator', stability: 'stable' } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/admin/moves',
      id: 'listMoves',
      summary: 'Practices that have moved to other hosts',
      responses: {
        200: { description: 'All that are handed on.', body: z.strictObject({ data: z.array(movedSchema) }) },
      },
      handle: async () => ({
        status: 200,
        body: {
          data: (await storage.platform.read((db) => registryStore(db).moved())).map(
            ({ id, slug, newHost, until }) => ({
              ...{ id, slug },
              new_host: newHost,
              until: toIso(until),
            }),
          ),
        },
      }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/admin/moves/{practiceID}/copy',
      id: 'copyMoved',
      summary: 'Copy the former file of a practice that has moved',
      description:
        'For `sendwerk tenant move`, which sends it again where the new host has lost the practice before it began. It stays moved.',
      audit: 'practice.copy_moved',
      params: arrivalParams,
      responses: { 200: { description: 'The copy lies in the data directory.', body: copySchema } },
      errors: ['conflict'],
      handle: async ({ params: { practiceID } }, { change }) => {
        const key = await (await leave()).copyMoved(practiceID);
        await record(change, practiceID, { copied: true });
        return { status: 200, body: { key } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/freeze',
      id: 'freezePractice',
      summary: 'Freeze a practice for its move',
      description:
        'Its mail in flight ends first; from then on its requests get 503, until half a minute after the answer unless it is renewed. A copy of its file lies in the data directory then, for `sendwerk tenant move`.',
      audit: 'practice.freeze',
      params: tenantParams,
      body: freeze.meta({ examples: [{}] }),
      responses: { 200: { description: 'It is frozen.', body: frozenSchema } },
      errors: ['conflict'],
      handle: async ({ params: { id }, body: { patience } }, { change }) => {
        await refuseSystemTenant(storage, id);
        await record(change, id, { frozen: true });
        const frozen = await (await leave()).freeze(id, patience * SECOND);
        return { status: 200, body: { ...frozen, at: toIso(frozen.at) } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'put',
      path: '/api/practices/{id}/freeze',
      id: 'renewFreeze',
      summary: 'Keep a practice frozen',
      description: 'For half a minute from now: the command that moves it says that it goes on.',
      audit: { none: 'the freeze itself is in the audit' },
      params: tenantParams,
      body: goesOn.meta({ examples: [{ freeze: 'bd2f1c55-1a52-4d2c-8f37-3b1a2f6f8f10' }] }),
      responses: { 204: { description: 'It stays frozen.' } },
      errors: ['conflict'],
      handle: async ({ params: { id }, body: { freeze } }) => {
        (await leave()).renew(id, freeze);
        return { status: 204 };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: '/api/practices/{id}/freeze',
      id: 'unfreezePractice',
      summary: 'Let a frozen practice work here again',
      audit: 'practice.unfreeze',
      params: tenantParams,
      query: freezeNamed,
      responses: { 200: { description: 'It works here.', body: releasedSchema } },
      errors: ['conflict'],
      handle: async ({ params: { id }, query: { freeze } }, { change }) => {
        const leaving = await leave();
        await leaving.release(id);
        const proof = freeze === undefined ? null : await leaving.released(id, freeze);
        await record(change, id, { frozen: false });
        return { status: 200, body: { proof } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/move',
      id: 'movePractice',
      summary: 'Give a frozen practice up to the host that has taken it',
      audit: 'practice.move',
      params: tenantParams,
      body: moved.meta({
        examples: [
          {
            freeze: 'bd2f1c55-1a52-4d2c-8f37-3b1a2f6f8f10',
            new_host: {
              origin: 'https://mail.neu.example',
              host: 'mail.neu.example',
              mail: { host: 'mail.neu.example', port: 25 },
            },
          },
        ],
      }),
      responses: { 200: { description: 'Nothing is sent from here any more.', body: movedSchema } },
      errors: ['conflict'],
      handle: async ({ params: { id }, body: { freeze, new_host } }, { change }) => {
        const row = await storage.platform.read((db) => registryStore(db).get(id));
        const until = toIso(await (await leave()).moved(id, freeze, new_host));
        const body = { id, slug: row?.slug ?? '', new_host, until };
        await record(change, id, body);
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/admin/arrivals/{practiceID}',
      id: 'getArrival',
      summary: 'What is here of a practice that arrives',
      params: arrivalParams,
      responses: { 200: { description: 'Its blocks.', body: arrivalSchema } },
      handle: async ({ params: { practiceID } }) => {
        const { hashes, ...found } = await (await arrive()).look(practiceID);
        return { status: 200, body: { ...found, hashes: hashes.toString('base64') } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'put',
      path: '/api/admin/arrivals/{practiceID}',
      id: 'putArrival',
      summary: 'Blocks of the file of a practice that arrives',
      audit: { none: 'the file is no record of this host before it is taken' },
      bodyLimit: BLOCKS_BODY_BYTES,
      params: arrivalParams,
      body: blocks.meta({ examples: [{ size: 4, blocks: [{ at: 0, data: 'KLUv/SAEIQAAdGVzdA==' }] }] }),
      responses: { 204: { description: 'The disk has them.' } },
      errors: ['conflict'],
      handle: async ({ params: { practiceID }, body }) => {
        await (await arrive()).put(practiceID, body.size, body.blocks);
        return { status: 204 };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/admin/arrivals/{practiceID}',
      id: 'takeArrival',
      summary: 'Take a practice whose file has arrived',
      description: 'It is complete here then, and waits: nothing is sent before it begins.',
      audit: 'practice.take',
      params: arrivalParams,
      body: take.meta({
        examples: [
          {
            key: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
            digest: 'BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
            slug: 'praxis-am-markt',
            freeze: 'bd2f1c55-1a52-4d2c-8f37-3b1a2f6f8f10',
          },
        ],
      }),
      responses: { 200: { description: 'It waits.', body: takenSchema } },
      errors: ['conflict'],
      handle: async ({ params: { practiceID }, body }, { change }) => {
        const { slug, managedHost, mailHost, notes } = await (await arrive()).take(
          practiceID,
          Buffer.from(body.key, 'base64'),
          Buffer.from(body.digest, 'base64'),
          body.slug,
          body.freeze,
        );
        await record(change, practiceID, { slug, managed_host: managedHost });
        return { status: 200, body: { slug, managed_host: managedHost, ...mailHost, notes: [...notes] } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/admin/arrivals/{practiceID}/begin',
      id: 'beginArrival',
      summary: 'Let a practice that was taken work here',
      description: 'Only after the old host has given it up. Repeated calls are harmless.',
      audit: 'practice.begin',
      params: arrivalParams,
      responses: { 204: { description: 'It works here.' } },
      handle: async ({ params: { practiceID } }, { change }) => {
        await (await arrive()).begin(practiceID);
        await record(change, practiceID, { begun: true });
        return { status: 204 };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: '/api/admin/arrivals/{practiceID}',
      id: 'cancelArrival',
      summary: 'Remove what has arrived of a practice',
      description:
        'Where it was taken and waits, only with the proof of the host that it comes from: `DELETE /api/practices/{id}/freeze` there.',
      audit: 'practice.cancel_arrival',
      params: arrivalParams,
      query: released,
      responses: { 204: { description: 'Nothing of it is here.' } },
      errors: ['conflict'],
      handle: async ({ params: { practiceID }, query: { freeze, proof } }, { change }) => {
        const isProven = freeze !== undefined && proof !== undefined;
        await (await arrive()).cancel(practiceID, isProven ? { freeze, proof } : null);
        await record(change, practiceID, null);
        return { status: 204 };
      },
    }),
  ];
};
