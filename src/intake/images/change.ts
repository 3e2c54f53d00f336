// Stores and removes images, each in the transaction that also writes the audit.
import { hash } from 'node:crypto';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { type ImageHead, type ImageRow, imageStore, type UsedBy } from '#src/messages/image-store.ts';
import type { RemadeImage } from './remake.ts';

/** Lists of images are looked through by people. */
const MAX_IMAGES = 2_000;
const MIB = 1024 * 1024;

const orNotFound = <Row extends ImageHead>(image: Row | undefined): Row => {
  if (!image) throw new AppError('not_found', say`There is no such image.`);
  return image;
};

/** Throws `not_found`. */
export const imageOf = (db: TenantDb, id: string): ImageHead => orNotFound(imageStore(db).head(id));

/** With its content. Throws `not_found`. */
export const wholeImage = (db: TenantDb, id: string): ImageRow => orNotFound(imageStore(db).whole(id));

const shownBy: Readonly<Record<UsedBy, Text>> = {
  template: say`A template shows the image.`,
  campaign: say`A campaign shows the image.`,
  letterhead: say`The letterhead shows the image.`,
};
const STOP_SHOWING = say`Delete what shows it first: a template shows the images of all its versions, a campaign keeps what it sent.`;

const summary = ({ name, content_type, width, height, bytes }: Omit<ImageHead, 'seq'>) => ({
  name,
  content_type,
  width,
  height,
  bytes,
});

export interface StoredImage {
  readonly image: ImageHead;
  readonly isNew: boolean;
}

const refuseWithoutRoom = (db: TenantDb, bytes: number, mib: number): void => {
  const { count, bytes: present } = imageStore(db).totals();
  if (count < MAX_IMAGES && present + bytes <= mib * MIB) return;
  throw new AppError('conflict', say`A practice keeps at most ${MAX_IMAGES} images and ${mib} MiB of them.`, {
    hint: say`Delete images that nothing uses any more.`,
  });
};

/** The same image again changes nothing but how long it is kept. Throws `conflict` where there is no room. */
export const storeImage = (
  db: TenantDb,
  { content, contentType, width, height }: RemadeImage,
  { name, mib, change, now }: { name: string | null; mib: number; change: Change; now: number },
): StoredImage => {
  const store = imageStore(db);
  const id = hash('sha256', content);
  const known = store.head(id);
  if (known) {
    store.touch(id, now);
    const same = summary(known);
    auditStore(db).record(change, { target: { type: 'image', id }, before: same, after: same }, now);
    return { image: known, isNew: false };
  }
  refuseWithoutRoom(db, content.length, mib);
  const row = { id, name, content_type: contentType, width, height, bytes: content.length, created_at: now };
  store.insert({ ...row, content });
  auditStore(db).record(change, { target: { type: 'image', id }, before: null, after: summary(row) }, now);
  return { image: imageOf(db, id), isNew: true };
};

/** Throws `not_found`, and `conflict` while something shows it. */
export const removeImage = (db: TenantDb, id: string, change: Change, now: number): void => {
  const image = imageOf(db, id);
  const [user] = imageStore(db).users(image.seq);
  if (user) throw new AppError('conflict', shownBy[user.used_by], { hint: STOP_SHOWING });
  if (imageStore(db).isCarried(image.seq))
    throw new AppError('conflict', say`Mails that were sent carry the image.`, {
      hint: say`It can be deleted once their attachments are removed, as the retention of the practice says.`,
    });
  imageStore(db).remove(id);
  auditStore(db).record(change, { target: { type: 'image', id }, before: summary(image), after: null }, now);
};
