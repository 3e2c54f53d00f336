// The thread that reads what Litestream says, which takes a tenth of a second for 10,000 files, and keeps their positions.
import { parentPort, workerData } from 'node:worker_threads';
import type { ListenAddress } from '#src/kernel/config/values.ts';
import { readMetrics } from './metrics.ts';
import { type Commit, type Commits, createPositions } from './positions.ts';

export interface Look {
  readonly commits: Commits;
  readonly now: Commit;
}
export interface Looked {
  readonly left: Commits;
  readonly hasAnswered: boolean;
}
export interface WatchData {
  readonly dataDirectory: string;
  readonly metrics: ListenAddress;
}

const { dataDirectory, metrics } = workerData as WatchData;
const compare = createPositions(dataDirectory);

parentPort?.on('message', async ({ commits, now }: Look) => {
  const text = await readMetrics(metrics).catch(() => null);
  const left = compare(commits, text, now);
  parentPort?.postMessage({ left, hasAnswered: text !== null } satisfies Looked);
});
