// The addresses by which mail programs load images, the same in all mails: no one can be told by them, and nothing is noted of who
// loads one or when. A wrong address costs an HMAC and opens no tenant's file.
import { z } from 'zod';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Base } from '#src/kernel/base.ts';
import { AppError } from '#src/kernel/errors.ts';
import { ANY_TYPE, defineRoute, type Route, type RouteResult } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { IMAGE_PATH, readImageUrl } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { imageStore } from '#src/messages/image-store.ts';
import { fileOf, idOfFile } from './image-file.ts';

/** The server's answer for an unknown path, so that an address altered anywhere looks the same. */
const nothingHere = (): AppError => new AppError('not_found', say`There is nothing at this path.`);

/** Whether the client has it already (RFC 9110 §13.1.2); the comparison is weak. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim())) ?? false;

export const publicImageRoute = (
  { storage: { platform, tenants: files } }: Pick<Base, 'storage'>,
  keys: TokenKeys,
): Route =>
  defineRoute({
    method: 'get',
    path: `${IMAGE_PATH}/{token}/{file}`,
    tag: 'Images',
    access: 'public',
    stability: 'stable',
    isAnsweredWhileDraining: true,
    id: 'loadImage',
    usedBy: 'mail programs that load the images of a mail',
    summary: 'An image of a mail',
    description:
      'Named by what it shows, so it never changes: it may be kept for a year. Nothing is noted of who loads it. Parameters that others have added to the address are ignored.',
    params: z.strictObject({
      token: z
        .string()
        .describe('of the address in the mail')
        .meta({ examples: ['AbCdEf'] }),
      file: z.string().meta({ examples: [`${'0'.repeat(64)}.png`] }),
    }),
    headers: z.object({ 'If-None-Match': z.string().optional().describe('the ETag of the image at hand') }),
    responses: {
      200: { description: 'The image.', body: ANY_TYPE },
      304: { description: 'The client has it already.' },
      404: {
        description: 'The same for whatever is wrong with the address.',
        body: 'text/html; charset=utf-8',
      },
    },
    handle: async ({ params: { token, file } }, { header }): Promise<RouteResult> => {
      const id = idOfFile(file);
      const number = id === null ? null : readImageUrl(keys, token, file);
      const tenant =
        number === null ? undefined : platform.peek((db) => registryStore(db).anyByNumber(number));
      if (id === null || tenant === undefined) throw nothingHere();
      const etag = `"${id}"`;
      const isSame = isKnown(header('if-none-match'), etag);
      const image = await files.read(tenant.id, (db) =>
        isSame ? imageStore(db).head(id) : imageStore(db).whole(id),
      );
      if (image === undefined || fileOf(id, image.content_type) !== file) throw nothingHere();
      const headers = {
        'Cache-Control': 'public, max-age=31536000, immutable',
        ETag: etag,
        'Cross-Origin-Resource-Policy': 'cross-origin',
      };
      return 'content' in image
        ? { status: 200, contentType: image.content_type, headers, body: image.content }
        : { status: 304, headers };
    },
  });
