// The addresses of a practice's images. They are made of the practice's number and key, so they need no row of their own.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createImageUrl, withImages } from '#src/mail/copy-links.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { type ImageHead, imageStore } from '#src/messages/image-store.ts';
import { fileOf } from './image-file.ts';

/** What HTML says of an image. */
export interface LinkedImage {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

export interface ImageLinks {
  readonly urlOf: (db: TenantDb, image: Pick<ImageHead, 'id' | 'content_type'>) => string;
  /** Null where the practice has no such image. */
  readonly find: (db: TenantDb, id: string) => LinkedImage | null;
  /** The HTML with the present addresses of its images: those that it was stored with may be of a host that the practice has left. */
  readonly renewed: <Html extends string | null>(db: TenantDb, html: Html) => Html | string;
}

export const createImageLinks = (origin: string, keys: TokenKeys): ImageLinks => {
  const url = createImageUrl(origin, keys);
  const urlOf: ImageLinks['urlOf'] = (db, { id, content_type }) =>
    url(tenantStore(db).practice().number, fileOf(id, content_type));
  const find: ImageLinks['find'] = (db, id) => {
    const image = imageStore(db).head(id);
    return image ? { url: urlOf(db, image), width: image.width, height: image.height } : null;
  };
  return {
    urlOf,
    find,
    renewed: (db, html) =>
      html === null || !imageStore(db).any() ? html : withImages(html, (id) => find(db, id)?.url ?? null),
  };
};
