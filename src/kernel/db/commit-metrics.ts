// How long commits take, and how many writers share one.
import { counted, SHORT_SECONDS, timed } from '#src/kernel/metrics.ts';
import type { FileKind } from './sqlite.ts';

/** One word for one thing, as on the wire. */
export const COMMITTED = {
  platform: { file: 'registry' },
  tenant: { file: 'practice' },
} as const satisfies Record<FileKind, object>;
const labels = { file: Object.values(COMMITTED).map(({ file }) => file) };

/** `note` of both is called for each commit. */
export const createCommitMetrics = () => ({
  duration: timed(
    {
      name: 'sendwerk_commit_duration_seconds',
      help: 'From the beginning of a transaction to the end of its sync; its count is the number of commits.',
      buckets: SHORT_SECONDS,
    },
    labels,
  ),
  writers: counted(
    {
      name: 'sendwerk_commit_writers_total',
      help: 'Writers whose answers waited for a commit: divided by the number of commits, how many shared one.',
    },
    labels,
  ),
});
