// The images of a practice over HTTP. They belong to the whole practice: everyone who sends may upload and use them.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { Base } from '#src/kernel/base.ts';
import { limitKeyedConcurrency } from '#src/kernel/concurrency.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { ANY_TYPE, defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { imageStore } from '#src/messages/image-store.ts';
import { imageOf, removeImage, storeImage, wholeImage } from './change.ts';
import type { ImageLinks } from './image-links.ts';
import type { Remake } from './remake.ts';
import { imageIdSchema, imageSchema, MAX_SOURCE_BYTES, presentImage, uploadBody } from './schema.ts';

/** Base64 of the largest file, and the fields around it. */
const BODY_LIMIT_BYTES = Math.ceil(MAX_SOURCE_BYTES / 3) * 4 + 64 * 1024;
/** Images of one practice that wait to be made; a person drops some at once. */
const MAX_WAITING = 20;

const imageParams = z.strictObject({ ...tenantParams.shape, imageID: imageIdSchema });

export const imageRoutes = (
  { storage: { tenants: files }, clock, limits }: Pick<Base, 'storage' | 'clock' | 'limits'>,
  links: ImageLinks,
): Route[] => {
  let loaded: Promise<Remake> | null = null;
  /** Loaded with the first image. */
  const remake: Remake = async (bytes) => {
    loaded ??= import('./remake.ts').then(({ createRemake }) => createRemake());
    return (await loaded)(bytes);
  };
  const waiting = limitKeyedConcurrency(
    MAX_WAITING,
    say`The practice has too many images that wait to be made.`,
  );
  const shared = { tag: 'Images', access: 'messages.send', stability: 'beta' } as const;
  const one = { description: 'The image.', body: imageSchema };
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/images',
      id: 'listImages',
      usedBy: 'programs that write mail for a practice',
      summary: 'Images',
      params: tenantParams,
      query: z.strictObject(listQuery),
      responses: { 200: { description: 'Newest first.', body: listOf(imageSchema) } },
      handle: async ({ params, query: { limit, cursor } }) => {
        const before = decodeCursor(cursor) ?? Number.MAX_SAFE_INTEGER;
        const body = await files.read(params.id, (db) =>
          toPage(
            imageStore(db).page(before, limit + 1),
            limit,
            ({ seq }) => seq,
            (image) => presentImage(image, links.urlOf(db, image)),
          ),
        );
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/images',
      id: 'uploadImage',
      usedBy: 'programs that write mail for a practice',
      summary: 'Upload an image for mails',
      description:
        'It is made again for mail: upright, in sRGB, at most 1,200 pixels wide, as JPEG or PNG, an animation as GIF, without ' +
        'anything else that the file holds, such as the place where a photo was taken. Who knows its address can load it.',
      audit: 'image.create',
      params: tenantParams,
      body: uploadBody,
      bodyLimit: BODY_LIMIT_BYTES,
      responses: { 200: { ...one, description: 'It is there already.' }, 201: one },
      errors: ['conflict', 'rate_limited'],
      handle: async ({ params: { id }, body: { content, name = null } }, { change }) => {
        const remade = await waiting(id, () => remake(Buffer.from(content, 'base64')));
        const { status, body } = await files.write(id, (db) => {
          const by = { name, mib: limits().image_mib, change, now: clock.now() };
          const { image, isNew } = storeImage(db, remade, by);
          return { status: isNew ? 201 : 200, body: presentImage(image, links.urlOf(db, image)) };
        });
        return { status, body };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/images/{imageID}',
      id: 'getImage',
      usedBy: 'programs that write mail for a practice',
      summary: 'An image',
      params: imageParams,
      responses: { 200: one },
      handle: async ({ params: { id, imageID } }) => {
        const body = await files.read(id, (db) => {
          const image = imageOf(db, imageID);
          return presentImage(image, links.urlOf(db, image));
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/images/{imageID}/content',
      id: 'getImageContent',
      usedBy: 'programs that write mail for a practice',
      summary: 'The bytes of an image',
      params: imageParams,
      responses: { 200: { description: 'As mail programs load it.', body: ANY_TYPE } },
      handle: async ({ params: { id, imageID } }) => {
        const { content, content_type } = await files.read(id, (db) => wholeImage(db, imageID));
        return { status: 200, contentType: content_type, body: content };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: '/api/practices/{id}/images/{imageID}',
      id: 'deleteImage',
      usedBy: 'programs that write mail for a practice',
      summary: 'Delete an image that nothing uses',
      description:
        'Templates in all versions that are kept, campaigns and the letterhead use images. Mails that link to it show an empty place then.',
      audit: 'image.delete',
      params: imageParams,
      responses: { 204: { description: 'It is gone, also for mails that link to it.' } },
      errors: ['conflict'],
      handle: async ({ params: { id, imageID } }, { change }) => {
        await files.write(id, (db) => removeImage(db, imageID, change, clock.now()));
        return { status: 204 };
      },
    }),
  ];
};
