// What an uploaded file is by its first bytes, whatever its name says, and which files are not taken and why. Pure.
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';

/** What is taken. */
export type SourceFormat = 'jpeg' | 'png' | 'gif' | 'webp';

const at = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', from, to);

/** Where files are searched for the markup of SVG: a declaration and comments come before it. */
const HEAD_BYTES = 1_024;
const BRANDS_HEIF = /^(?:hei[cfmsx]|hev[cmsx]|mif[12]|msf1|avi[fs])/;

/** Throws `invalid_request`. `hint`: what to do instead. */
export const refuseImage = (message: Text, hint: Text): AppError =>
  new AppError('invalid_request', say`The image ${message}.`, {
    hint,
    extra: { fields: [{ path: 'body.content', message }] },
  });

const SAVE_AS = say`Save it as JPEG or PNG, and upload that.`;

/** Throws `invalid_request` with what to do for files that are not taken. */
export const formatOf = (bytes: Uint8Array): SourceFormat => {
  const start = at(bytes, 0, 12);
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (/^GIF8[79]a/.test(start)) return 'gif';
  if (/^RIFF....WEBP/s.test(start)) return 'webp';
  if (start.slice(4, 8) === 'ftyp' && BRANDS_HEIF.test(start.slice(8)))
    throw refuseImage(say`is a HEIC or AVIF file, which few mail programs show`, SAVE_AS);
  if (start.startsWith('%PDF-'))
    throw refuseImage(say`is a PDF`, say`Attach the PDF to the message, or save its page as PNG.`);
  if (/<svg[\s>]|<!DOCTYPE svg/i.test(at(bytes, 0, HEAD_BYTES)))
    throw refuseImage(say`is an SVG drawing, which mail programs do not show`, SAVE_AS);
  throw refuseImage(say`is no JPEG, PNG, WebP or GIF file`, SAVE_AS);
};
