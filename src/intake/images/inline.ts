// Images that the mail carries instead of linking to them: the HTML names each by its content id (RFC 2392), and each is a file of the
// mail, whose row refers to the image, so that its bytes are stored once for all mails.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { imagesIn, withImages } from '#src/mail/copy-links.ts';
import { imageStore } from '#src/messages/image-store.ts';
import { extensionOf, type ImageMode } from '#src/messages/image-types.ts';
import type { DraftAttachment } from '../draft.ts';
import type { ImageLinks } from './image-links.ts';

export interface WithFiles {
  readonly html: string | null;
  readonly attachments: readonly DraftAttachment[];
}

/** An image that is no longer there stays a link. `links`: with their present addresses. */
export const inlined = (
  db: TenantDb,
  html: string | null,
  mode: ImageMode,
  links?: Pick<ImageLinks, 'renewed'>,
): WithFiles => {
  if (html === null || mode === 'linked') return { html: links?.renewed(db, html) ?? html, attachments: [] };
  const files = new Map<string, DraftAttachment>();
  for (const [index, id] of imagesIn(html).entries()) {
    const image = imageStore(db).whole(id);
    if (image === undefined) continue;
    files.set(id, {
      filename: `image-${index + 1}.${extensionOf[image.content_type]}`,
      contentType: image.content_type,
      contentId: id,
      content: image.content,
      imageSeq: image.seq,
    });
  }
  const shown = new Set<string>();
  const changed = withImages(html, (id) => {
    if (!files.has(id)) return null;
    shown.add(id);
    return `cid:${id}`;
  });
  return { html: changed, attachments: [...files].flatMap(([id, file]) => (shown.has(id) ? file : [])) };
};
