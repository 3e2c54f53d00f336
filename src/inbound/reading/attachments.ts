// What of a received mail is a file: its name cleaned for the disk it will be saved to, and its content as a stream, so that a large
// one is never in memory as a whole.
import { isOtherForm, nameFor } from '#src/intake/mime-body.ts';
import { isBody, mediaTypeOf } from '#src/intake/part-head.ts';
import { cleanText } from '#src/mail/decode-text.ts';
import { isMultipart, type MessageSource, MimeError, type PartHead, partsOf } from '#src/mail/mime-parts.ts';
import { withoutInvisibles } from '#src/mail/visible-text.ts';

/** Files beyond that, and all behind them, are only in the source. */
export const MAX_MAIL_PARTS = 1_000;
const MAX_FILENAME = 200;
const MAX_EXTENSION = 20;

/** Separators of paths, and what file systems do not take. */
const UNSAFE = /[\\/:*?"<>|]+/g;

const shorten = (name: string): string => {
  if (name.length <= MAX_FILENAME) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION ? name.slice(dot) : '';
  return name.slice(0, MAX_FILENAME - extension.length).toWellFormed() + extension;
};

/** Null where nothing is left of it. A name with a path keeps what is behind it. */
const safeFilename = (given: string): string | null => {
  const name = cleanText(withoutInvisibles(given))
    .normalize('NFC')
    .replace(/^.*[\\/]/, '')
    .replace(UNSAFE, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return name === '' ? null : shorten(name);
};

export interface FileHead {
  /** The place among the attachments of the mail, from 0. */
  readonly index: number;
  readonly filename: string;
  readonly content_type: string;
}

/** Whether the part is a file, and not a form of the text. */
export const isFile = (part: PartHead, parent: PartHead | null): boolean =>
  !isMultipart(part) && !isBody(part) && !(parent?.type === 'multipart/alternative' && isOtherForm(part));

export const fileHead = (part: PartHead, index: number): FileHead => {
  const content_type = mediaTypeOf(part, 'application/octet-stream');
  const filename = safeFilename((part.filename ?? '').slice(0, 2_000)) ?? nameFor(content_type, index);
  return { index, filename, content_type };
};

export interface OpenAttachment extends FileHead {
  /** Decoded. It has to be read to its end, or closed by `return`. */
  readonly content: AsyncGenerator<Buffer>;
}

/** Null where the mail has no such attachment. */
export const attachmentOf = async (source: MessageSource, index: number): Promise<OpenAttachment | null> => {
  const parts = partsOf(source, MAX_MAIL_PARTS);
  const next = async () => {
    try {
      return await parts.next();
    } catch (error) {
      if (error instanceof MimeError) return { done: true } as const;
      throw error;
    }
  };
  let seen = -1;
  for (let piece = await next(); !piece.done; piece = await next()) {
    const { part, parent, content } = piece.value;
    if (content !== null || !isFile(part, parent)) continue;
    seen += 1;
    if (seen === index) return { ...fileHead(part, index), content: contentOf(part) };
  }
  return null;

  async function* contentOf(wanted: PartHead): AsyncGenerator<Buffer> {
    try {
      for (let piece = await next(); !piece.done; piece = await next()) {
        const { part, content } = piece.value;
        if (part !== wanted) return;
        if (content !== null && content.length > 0) yield content;
      }
    } finally {
      await parts.return(undefined);
    }
  }
};

/**
 * The contents of the attachments that `isWanted`, in their order and up to `maxBytes` in all; null for any other, and for one that
 * does not fit into what those before it have left.
 */
export const contentsOf = async (
  source: MessageSource,
  maxBytes: number,
  isWanted: (index: number) => boolean = () => true,
): Promise<readonly (Buffer | null)[]> => {
  const files: { pieces: Buffer[]; size: number; fits: boolean }[] = [];
  let left = maxBytes;
  let isInFile = false;
  try {
    for await (const { part, parent, content } of partsOf(source, MAX_MAIL_PARTS)) {
      if (content === null) {
        isInFile = isFile(part, parent);
        if (isInFile) files.push({ pieces: [], size: 0, fits: isWanted(files.length) });
        continue;
      }
      const file = isInFile ? files.at(-1) : undefined;
      if (!file?.fits) continue;
      file.fits = content.length <= left;
      if (file.fits) {
        file.pieces.push(content);
        file.size += content.length;
        left -= content.length;
      } else {
        file.pieces = [];
        left += file.size;
      }
    }
  } catch (error) {
    if (!(error instanceof MimeError)) throw error;
  }
  return files.map(({ pieces, fits }) => (fits ? Buffer.concat(pieces) : null));
};
