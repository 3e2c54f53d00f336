// A mail received as JSON, for receivers that want all of it: what the API shows of it but for what changes, its header, and the
// content of its attachments within a bound. The same mail is the same JSON each time.
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { headFieldsOf } from '#src/mail/field-block.ts';
import { mailUrl, type PracticeUrl } from '#src/messages/published-event.ts';
import { WHOLE_MAIL_CONTENT_BYTES } from '#src/messages/published-mail.ts';
import { contentsOf } from '../reading/attachments.ts';
import { readMail } from '../reading/read.ts';
import { inboundStore } from '../store.ts';
import { sourcePieces } from './download.ts';
import { presentMail } from './present.ts';

/** Null where the mail is no longer kept. Rejects as a read of the file. */
export const createWholeMail =
  (files: Pick<TenantFiles, 'read'>, practiceUrl: PracticeUrl) =>
  async (tenantId: string, seq: number): Promise<Readonly<Record<string, unknown>> | null> => {
    const found = await files.read(tenantId, (db) => {
      const row = inboundStore(db).bySeq(seq);
      const begin = inboundStore(db).piece(seq, 0);
      return row && begin && { row, begin, shown: presentMail(db, row) };
    });
    if (!found) return null;
    const { row, begin, shown } = found;
    const { state: _, state_reason: __, read: ___, ...mail } = shown;
    const url = mailUrl(practiceUrl(tenantId), row.id);
    const source = () => sourcePieces(files, tenantId, row);
    try {
      const { attachments, ...body } = await readMail(source());
      const contents = attachments.length === 0 ? [] : await contentsOf(source(), WHOLE_MAIL_CONTENT_BYTES);
      return {
        ...mail,
        ...body,
        headers: headFieldsOf(begin),
        attachments: attachments.map((attachment) => ({
          ...attachment,
          url: `${url}/attachments/${attachment.index}`,
          content: contents[attachment.index]?.toString('base64') ?? null,
        })),
      };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  };
