// Which template, campaign or letterhead shows which images, found in what is stored of it: an image that something shows is not
// removed. Each is noted in the transaction that stores what shows it.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { imageStore, type UsedBy } from '#src/messages/image-store.ts';

export interface ImageUser {
  readonly usedBy: UsedBy;
  /** Which template or campaign; '' for the letterhead, of which there is one. */
  readonly id: string;
}

/** It shows these as well as those that it is noted with: a template shows the images of all its versions. */
export const addImageUses = (db: TenantDb, { usedBy, id }: ImageUser, ids: readonly string[]): void => {
  if (ids.length === 0 || !imageStore(db).any()) return;
  for (const image of ids) imageStore(db).addUse(usedBy, id, image);
};

/** It shows these alone; none where it is gone. */
export const setImageUses = (db: TenantDb, user: ImageUser, ids: readonly string[], now: number): void => {
  if (!imageStore(db).any()) return;
  const { usedBy, id } = user;
  const shown = new Set(ids);
  for (const image of imageStore(db).usedIds(usedBy, id)) {
    if (shown.has(image)) continue;
    imageStore(db).endUse(usedBy, id, image);
    imageStore(db).touch(image, now);
  }
  addImageUses(db, user, ids);
};
