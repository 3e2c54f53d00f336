// Imports as work: which are due, what each needs next, and how their files and reports are removed. What reads files is loaded
// with the first import: most practices have none.
import type { AudienceContext } from '#src/audience/context.ts';
import type { Due, Task } from '#src/audience/work.ts';
import { overwriting } from '#src/kernel/db/sqlite.ts';
import { importStore } from './store.ts';

const REMOVED_AT_ONCE = 500;

/** Removes all in small transactions. True once nothing is left. */
const removeAll = async (
  { files }: AudienceContext,
  tenantId: string,
  what: 'content' | 'faults',
  seq: number,
  signal: AbortSignal,
): Promise<boolean> => {
  while (!signal.aborted)
    if (
      !(await files.write(tenantId, (db) =>
        overwriting(db, () => importStore(db).removeSome(what, seq, REMOVED_AT_ONCE)),
      ))
    )
      return true;
  return false;
};

export const openImportTask = (context: AudienceContext): Task => {
  const { files } = context;
  return {
    name: 'import',
    due: (db, _, now): Due => {
      const rows = importStore(db).due();
      const items = rows.filter(({ due_at }) => due_at <= now).map(({ seq }) => seq);
      return { items, next: rows.find(({ due_at }) => due_at > now)?.due_at ?? null };
    },
    isNeeded: (db) => importStore(db).due().length > 0,
    run: async (tenantId, seq, signal) => {
      const row = await files.read(tenantId, (db) => importStore(db).bySeq(seq));
      if (row === undefined || row.due_at === null) return;
      if (row.status === 'pending' || row.status === 'running') {
        const { checkImport, takeTurn } = await import('./run.ts');
        const work = row.status === 'pending' ? checkImport : takeTurn;
        return work(context, tenantId, row, signal);
      }
      if (!(await removeAll(context, tenantId, 'content', seq, signal))) return;
      await files.write(tenantId, (db) => {
        // Its file never came as a whole.
        if (row.status === 'receiving') importStore(db).remove(seq);
        else importStore(db).update({ ...row, due_at: null });
      });
    },
  };
};

/** Removes those that ended before that time, ms, with what was reported of their rows. */
export const removeEndedImports = async (
  context: AudienceContext,
  tenantId: string,
  before: number,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const seq = await context.files.read(tenantId, (db) => importStore(db).endedBefore(before));
    if (seq === undefined) return;
    if (!(await removeAll(context, tenantId, 'faults', seq, signal))) return;
    await context.files.write(tenantId, (db) => importStore(db).remove(seq));
  }
};
