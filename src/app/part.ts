// What a part of the daemon hands to the composition root. Part of the composition root.
import type { Job } from '#src/kernel/job.ts';
import type { Route } from '#src/kernel/route.ts';

export interface Part {
  readonly routes: readonly Route[];
  readonly jobs: readonly Job[];
  /** Resolves when what is under way has ended and what it holds is written down; files are open until then. */
  stop(): Promise<void>;
}
