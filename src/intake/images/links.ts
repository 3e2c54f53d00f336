// The address of an image, by which mail programs load it, and which images an HTML shows by such addresses. Pure.
import { IMAGE_PATH } from '#src/mail/copy-links.ts';
import { extensionOf, type ImageType } from './image-types.ts';

export const fileOf = (id: string, type: ImageType): string => `${id}.${extensionOf[type]}`;

const FILE = /^([0-9a-f]{64})\.(?:jpg|png|gif)$/;

/** The id in the name of a file; null for any other name. */
export const idOfFile = (file: string): string | null => FILE.exec(file)?.[1] ?? null;

/** The address may be behind any host: a template keeps its own when the practice moves to another one. */
const ADDRESS = new RegExp(
  `https?://[^\\s"'<>/]{1,255}${IMAGE_PATH}/[A-Za-z0-9_-]{36}/([0-9a-f]{64})\\.(?:jpg|png|gif)`,
  'g',
);

/** Most mails have less; more are not looked at. */
const MAX_IMAGES = 200;

export interface ShownImage {
  readonly url: string;
  readonly id: string;
}

/** Each address once, in the order of the HTML. */
export const imagesIn = (html: string | null): ShownImage[] => {
  if (!html?.includes(`${IMAGE_PATH}/`)) return [];
  const found = new Map<string, ShownImage>();
  for (const [url, id = ''] of html.matchAll(ADDRESS)) {
    if (found.size >= MAX_IMAGES) break;
    found.set(url, { url, id });
  }
  return [...found.values()];
};
