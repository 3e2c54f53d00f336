// Images as the API takes and shows them.
import { z } from 'zod';
import { toIso } from '#src/kernel/time.ts';
import { lineSchema } from '#src/mail/line-schema.ts';
import type { ImageHead } from '#src/messages/image-store.ts';
import { base64 } from '../send-fields.ts';

/** A photo of a telephone has up to 10 MB. */
export const MAX_SOURCE_BYTES = 15_000_000;
const MAX_NAME = 200;
/** Four red points, as PNG. */
const EXAMPLE =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAE0lEQVQImWM4w8BwhgGMzzAwAAAZjgMx8FJdJAAAAABJRU5ErkJggg==';
/** Hexadecimal characters of a SHA-256. */
const ID_LENGTH = 64;

export const uploadBody = z
  .strictObject({
    content: base64.describe('the file in base64: JPEG, PNG, WebP or GIF; at most 15 MB'),
    name: lineSchema(MAX_NAME).optional().describe('of the file'),
  })
  .meta({ examples: [{ content: EXAMPLE, name: 'logo.png' }] });

export const imageIdSchema = z
  .string()
  .max(ID_LENGTH)
  .toLowerCase()
  .describe('SHA-256 of what is stored, in hex')
  .meta({ examples: ['0'.repeat(ID_LENGTH)] });

export const imageSchema = z
  .strictObject({
    id: z.string().describe('SHA-256 of what is stored, in hex; a document names the image by it'),
    content_type: z.enum(['image/jpeg', 'image/png', 'image/gif']),
    width: z.int().describe('pixels, at most 1,200'),
    height: z.int(),
    bytes: z.int(),
    name: z.string().nullable().describe('of the file that was uploaded first'),
    url: z.string().describe('where mail programs load it, without any credential'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Image' });

export const presentImage = (
  { id, content_type, width, height, bytes, name, created_at }: ImageHead,
  url: string,
) => ({ id, content_type, width, height, bytes, name, url, created_at: toIso(created_at) });
