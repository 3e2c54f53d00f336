// Makes an uploaded image again for mail: the pixels are decoded and written anew, upright, in sRGB and at most twice as wide as
// mails are shown, so nothing else of the file is kept: no place where a photo was taken, no script behind the pixels, no form that
// only few mail programs know. One at a time, on one thread beside the event loop, so that sending is not slowed.

import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import type { ImageType } from '#src/messages/image-types.ts';
import { MAX_SOURCE_BYTES } from './schema.ts';
import { formatOf, refuseImage, type SourceFormat } from './source-format.ts';

/** Mails are 600 px wide, and screens show two pixels for one. */
const MAX_WIDTH = 1_200;
const MAX_HEIGHT = 6_000;
/** Frames together. JPEG is made smaller while it is read; the others are decoded whole, 4 bytes a pixel. */
const MAX_PIXELS: Readonly<Record<SourceFormat, number>> = {
  jpeg: 60_000_000,
  png: 25_000_000,
  webp: 25_000_000,
  gif: 25_000_000,
};
const MAX_FRAMES = 200;
const MAX_SECONDS = 10;
/** Mailboxes on telephones load no more than that without being asked. */
const MAX_STORED_BYTES = 4_000_000;
/** What has no transparent part and is larger than this as PNG is a photo. */
const LARGE_PNG_BYTES = 300_000;
const JPEG = { quality: 82, mozjpeg: true } as const;
const PNG = { compressionLevel: 9 } as const;

export interface RemadeImage {
  readonly content: Buffer;
  readonly contentType: ImageType;
  readonly width: number;
  readonly height: number;
}

type Sharp = typeof import('sharp').default;

/** The readers of the forms that are taken; all others, among them those of documents and drawings, stay closed. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((form) => `VipsForeignLoad${form}Buffer`);

/** Loaded with the first image: a library of 20 MB that most starts do not need. */
const load = async (): Promise<Sharp> => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: READERS });
  return sharp;
};

const tooLarge = (): AppError =>
  refuseImage(
    say`has too many pixels or frames`,
    say`Make it smaller: 1,200 pixels are enough for the width of a mail, and 200 frames for an animation.`,
  );

/** What the library says of a file that it cannot read; its words are for the log. */
const refusalOf = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  const { message } = error as Error;
  if (/pixel limit|timeout/i.test(message)) return tooLarge();
  return refuseImage(
    say`cannot be read: the file is damaged or not whole`,
    say`Open it in a program for images, save it again, and upload that.`,
  );
};

const make = async (sharp: Sharp, bytes: Buffer, format: SourceFormat): Promise<RemadeImage> => {
  const options = { limitInputPixels: MAX_PIXELS[format], failOn: 'error' } as const;
  const { width, height, pages = 1 } = await sharp(bytes, options).metadata();
  const isAnimated = pages > 1;
  if (pages > MAX_FRAMES || width * height * pages > MAX_PIXELS[format]) throw tooLarge();
  const open = () =>
    sharp(bytes, { ...options, animated: isAnimated })
      .timeout({ seconds: MAX_SECONDS })
      .autoOrient()
      .resize({ width: MAX_WIDTH, height: MAX_HEIGHT, fit: 'inside', withoutEnlargement: true });
  const written = async (contentType: ImageType, pipeline: ReturnType<typeof open>): Promise<RemadeImage> => {
    const { data, info } = await pipeline.toBuffer({ resolveWithObject: true });
    return { content: data, contentType, width: info.width, height: info.pageHeight ?? info.height };
  };
  if (isAnimated) return written('image/gif', open().gif());
  if (format === 'jpeg') return written('image/jpeg', open().jpeg(JPEG));
  const png = await written('image/png', open().png(PNG));
  const isSolid = async (): Promise<boolean> => (await sharp(png.content).stats()).isOpaque;
  if (png.content.length <= LARGE_PNG_BYTES || !(await isSolid())) return png;
  const jpeg = await written('image/jpeg', open().jpeg(JPEG));
  return jpeg.content.length < png.content.length ? jpeg : png;
};

export type Remake = (bytes: Buffer) => Promise<RemadeImage>;

/** Rejects with `invalid_request` and what to do for a file that is not taken. The same bytes become the same bytes. */
export const createRemake = (): Remake => {
  const oneAtATime = limitConcurrency(1);
  let library: Promise<Sharp> | null = null;
  return async (bytes) => {
    if (bytes.length > MAX_SOURCE_BYTES)
      throw refuseImage(
        say`has more than ${MAX_SOURCE_BYTES / 1_000_000} MB`,
        say`Make it smaller, and upload it again.`,
      );
    const format = formatOf(bytes);
    library ??= load();
    const sharp = await library;
    const made = await oneAtATime(() => make(sharp, bytes, format)).catch((error) => {
      throw refusalOf(error);
    });
    if (made.content.length > MAX_STORED_BYTES)
      throw refuseImage(
        say`has ${Math.ceil(made.content.length / 1_000_000)} MB when it is made for mail, at most ${MAX_STORED_BYTES / 1_000_000} are taken`,
        say`Shorten the animation, or make the image smaller.`,
      );
    return made;
  };
};
