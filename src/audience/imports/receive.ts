// Takes the file of an import: it is stored in short transactions, and becomes an import with the last one. After a crash in
// between its pieces are removed.
import { createHash } from 'node:crypto';
import type { AudienceContext } from '#src/audience/context.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { HOUR } from '#src/kernel/time.ts';
import type { OpenedFile } from './forms/open-file.ts';
import { type AskedOfSubscribers, type AskedOfSuppressions, noCounts } from './job.ts';
import { inPieces } from './read-rows.ts';
import { presentImport } from './schema.ts';
import { type ImportKind, type ImportRow, importStore } from './store.ts';

/** Pieces in a transaction. */
const PIECES_AT_ONCE = 16;
/** Octets that are hashed before others have a turn. */
const HASHED_AT_ONCE = 1_048_576;
const LONGEST_RECEIPT_MS = HOUR;

export interface NewImport {
  readonly kind: ImportKind;
  readonly bytes: Uint8Array;
  readonly opened: OpenedFile;
  readonly asked: Omit<AskedOfSubscribers, 'sha256' | 'form'> | Omit<AskedOfSuppressions, 'sha256' | 'form'>;
  /** Again in the transaction that begins it: throws where it must not. */
  readonly require: (db: TenantDb) => void;
  readonly change: Change;
}

const sha256Of = async (bytes: Uint8Array): Promise<string> => {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return hash.digest('hex');
};

/** The record of the new import. */
export const receiveImport = async (
  { files, clock, hold }: Pick<AudienceContext, 'files' | 'clock' | 'hold'>,
  tenantId: string,
  { kind, bytes, opened, asked, require, change }: NewImport,
): Promise<ReturnType<typeof presentImport>> => {
  const request_json = JSON.stringify({ ...asked, form: opened.form, sha256: await sha256Of(bytes) });
  const release = await hold(tenantId);
  try {
    const seq = await files.write(tenantId, (db) => {
      require(db);
      return importStore(db).insert({
        id: newId(),
        kind,
        status: 'receiving',
        request_json,
        size_bytes: bytes.length,
        progress_json: null,
        rows_total: null,
        rows_done: 0,
        counts_json: JSON.stringify(noCounts),
        failure: null,
        due_at: clock.now() + LONGEST_RECEIPT_MS,
        created_at: clock.now(),
        finished_at: null,
      });
    });
    let position = 0;
    let some: Buffer[] = [];
    const store = async (): Promise<void> => {
      const [first, taken] = [position, some];
      await files.write(tenantId, (db) => {
        for (const [index, piece] of taken.entries()) importStore(db).insertPiece(seq, first + index, piece);
      });
      position += taken.length;
      some = [];
    };
    for (const piece of inPieces(opened.parts)) {
      some.push(piece);
      if (some.length === PIECES_AT_ONCE) await store();
    }
    await store();
    return await files.write(tenantId, (db) => {
      require(db);
      const store = importStore(db);
      const received = store.bySeq(seq);
      if (!received) throw new Error('the file of an import was removed while it was received');
      const row: ImportRow = { ...received, status: 'pending', due_at: clock.now() };
      store.update(row);
      const { counts: _, ...after } = presentImport(row);
      auditStore(db).record(
        change,
        { target: { type: 'import', id: row.id }, before: null, after },
        clock.now(),
      );
      return presentImport(row);
    });
  } finally {
    release();
  }
};
