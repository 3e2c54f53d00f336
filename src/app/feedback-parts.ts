// What comes back of mails but by SMTP, and how long it is all kept: part of the composition root.
import type { Config } from '#src/kernel/config/config.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { Visitor } from '#src/messages/retention/nightly-job.ts';
import type { Part } from './part.ts';
import { reportParts } from './report-parts.ts';
import { retentionParts } from './retention-parts.ts';
import type { SendingParts } from './sending-parts.ts';
import { trackingParts } from './tracking-parts.ts';

export interface FeedbackPartsDeps {
  /** As it is now. */
  readonly config: () => Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly sending: Pick<SendingParts, 'keys' | 'received' | 'indexer'>;
  readonly simulatorDomain: string;
  /** What others have to do in the nightly round. */
  readonly visitors: readonly Visitor[];
}

export const feedbackParts = (deps: FeedbackPartsDeps): Part => {
  const parts = [trackingParts(deps), reportParts(deps), retentionParts(deps)];
  return {
    routes: parts.flatMap(({ routes }) => routes),
    jobs: parts.flatMap(({ jobs }) => jobs),
    stop: async () => {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
};
