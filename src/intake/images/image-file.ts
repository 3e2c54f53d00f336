// The name under which an image is served. Pure.
import { extensionOf, type ImageType } from '#src/messages/image-types.ts';

export const fileOf = (id: string, type: ImageType): string => `${id}.${extensionOf[type]}`;

const FILE = /^([0-9a-f]{64})\.(?:jpg|png|gif)$/;

/** The id in the name of a file; null for any other name. */
export const idOfFile = (file: string): string | null => FILE.exec(file)?.[1] ?? null;
