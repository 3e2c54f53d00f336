// What of a mail received is downloaded. A browser saves it and never shows it: it was written by a stranger, and is answered from
// the service's own origin.

import { z } from 'zod';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { type InboundRow, inboundStore } from '../store.ts';

export const SOURCE_TYPE = 'message/rfc822';
/** A file is sent as octets: there is only its sender's word for its type, which its record says. */
export const OCTETS = 'application/octet-stream';

/** Characters. */
const MAX_INDEX = 36;
export const attachmentIndex = z
  .string()
  .max(MAX_INDEX)
  .describe('of the attachment')
  .meta({ examples: ['0'] });
/** -1 where it is no number: no attachment has it. */
export const positionOf = (index: string): number => (/^\d{1,4}$/.test(index) ? Number(index) : -1);

/** RFC 6266 §4.3, RFC 8187. Programs that do not know `filename*` get a name in ASCII. */
const contentDisposition = (filename: string): string => {
  const plain = filename.replace(/[^ -~]|["%\\]/g, '_');
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
};

export const download = (
  body: Buffer | AsyncIterable<Uint8Array>,
  filename: string,
  contentType: typeof SOURCE_TYPE | typeof OCTETS,
): RouteResult => ({
  status: 200,
  body,
  contentType,
  headers: {
    'Content-Disposition': contentDisposition(filename),
    'Content-Security-Policy': "default-src 'none'; sandbox",
  },
});

/** Throws `not_found` where the mail is removed meanwhile. */
export async function* sourcePieces(
  files: Pick<TenantFiles, 'read'>,
  tenantId: string,
  { seq, size_bytes }: Pick<InboundRow, 'seq' | 'size_bytes'>,
): AsyncGenerator<Buffer> {
  for (let position = 0, sent = 0; sent < size_bytes; position += 1) {
    const piece = await files.read(tenantId, (db) => inboundStore(db).piece(seq, position));
    if (!piece) throw new AppError('not_found', say`The mail has been removed.`);
    sent += piece.length;
    yield piece;
  }
}

const MIB = 1_024 * 1_024;
/** Finding the parts of the largest mail takes a second of the event loop, in pieces of some milliseconds. */
const MIB_PER_MINUTE = 300;

/** Gives the source of a mail whose parts are to be found, so much of large mails a minute for a practice. Throws `rate_limited`. */
export const createMailSources = (files: Pick<TenantFiles, 'read'>, clock: Clock) => {
  const take = createRateCheck(
    clock,
    () => perMinute(MIB_PER_MINUTE),
    say`Of large mails ${MIB_PER_MINUTE} MiB are read in a minute at most for a practice.`,
  );
  return (tenantId: string, row: InboundRow): AsyncGenerator<Buffer> => {
    if (row.size_bytes > MIB) take(tenantId, Math.ceil(row.size_bytes / MIB));
    return sourcePieces(files, tenantId, row);
  };
};

export type MailSources = ReturnType<typeof createMailSources>;
