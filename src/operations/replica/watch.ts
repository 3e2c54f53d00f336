// How far the replica is behind, by what Litestream says each minute. A file that was committed to has to be further in the replica at the
// next look; where its position does not move, or Litestream does not answer at all, health, the log and a mail to the operator say so.
//
// A commit costs a look into a map. What is stored in the second before a look counts as being in the replica, as that needs about a second:
// where it is not, the next commit to the file shows it. What a former process stored is not known here.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import { PLATFORM_FILE } from '#src/kernel/db/file-states.ts';
import { healthPart } from '#src/kernel/health.ts';
import type { Job } from '#src/kernel/job.ts';
import { readMetric } from '#src/kernel/metrics.ts';
import { MINUTE, SECOND, systemClock, toIsoOrNull } from '#src/kernel/time.ts';
import { type Commit, type Commits, changedAt, fileOf, LATE_MS } from './positions.ts';
import type { Look, Looked, WatchData } from './watch-worker.ts';

/** The pause between two mails, so that a connection that comes and goes fills no mailbox. */
const PAUSE_MS = 10 * MINUTE;
const MAX_NAMED = 20;

const BEHIND =
  'the replica lacks what was stored minutes ago: the log of Litestream says why (journalctl -u sendwerk-litestream)';
const SILENT =
  'Litestream does not answer, so the replica gets nothing: see systemctl status sendwerk-litestream, and replica.metrics in the configuration';

/** What the operator is told. */
export interface ReplicaReport {
  readonly state: 'ok' | 'behind' | 'silent';
  /** Ids of practices, or `platform`: the first of those that are behind. */
  readonly files: readonly string[];
  /** How many there are. */
  readonly count: number;
  /** Since then the replica lacks something; null where that is nothing. */
  readonly since: number | null;
}

export interface ReplicaWatchDeps {
  /** Slugs; what is no practice stays. */
  readonly namesOf: (ids: readonly string[]) => Promise<readonly string[]>;
  readonly tell: (report: ReplicaReport) => Promise<void>;
}

export const createReplicaWatch = (
  { config, storage, clock, log }: Pick<Base, 'config' | 'storage' | 'clock' | 'log'>,
  { namesOf, tell }: ReplicaWatchDeps,
) => {
  const { replica, data_dir: dataDirectory } = config();
  const timeNow = (): Commit => ({ at: clock.now(), onDisk: systemClock.now() });
  /** The oldest commit to each file that the replica may lack. */
  let missing = new Map<string, Commit>();
  const registry = `${fileOf(dataDirectory, PLATFORM_FILE)}-wal`;
  let registryAt = changedAt(registry);
  let lookedAt = timeNow();
  const begun = lookedAt.at;
  let answeredAt: number | null = null;
  let found: ReplicaReport = { state: 'ok', files: [], count: 0, since: null };
  let named: readonly string[] = [];
  let said: ReplicaReport['state'] = 'ok';
  let told: ReplicaReport['state'] = 'ok';
  let toldAt = Number.NEGATIVE_INFINITY;

  let worker: Worker | undefined;
  const startWorker = (signal: AbortSignal): Worker => {
    const workerData = { dataDirectory, metrics: config().replica?.metrics } as WatchData;
    const started = new Worker(new URL('./watch-worker.ts', import.meta.url), { workerData });
    started.unref();
    started.once('error', () => {
      worker = undefined;
    });
    signal.addEventListener('abort', () => void started.terminate());
    return started;
  };
  /** They are older than what has come meanwhile. */
  const keep = (commits: Commits): void => {
    for (const [id, commit] of commits) missing.set(id, commit);
  };
  /** Rejects where `signal` aborts, or the thread has failed; then the next look begins another. */
  const ask = async (question: Look, signal: AbortSignal): Promise<Looked> => {
    worker ??= startWorker(signal);
    try {
      const answer = once(worker, 'message', { signal });
      worker.postMessage(question);
      return (await answer)[0] as Looked;
    } catch (error) {
      worker = undefined;
      throw error;
    }
  };

  const say = (): void => {
    if (found.state === said) return;
    said = found.state;
    const facts = { behind: found.count, practices: named, since: toIsoOrNull(found.since) };
    const answered = { ...facts, answered_at: toIsoOrNull(answeredAt) };
    if (said === 'ok') log.info('the replica has what is stored again');
    if (said === 'behind') log.warn(facts, BEHIND);
    if (said === 'silent') log.warn(answered, SILENT);
  };

  const tellOperator = async (now: number): Promise<void> => {
    if (found.state === told || now - toldAt < PAUSE_MS) return;
    await tell(found);
    told = found.state;
    toldAt = now;
  };

  const job: Job = {
    name: 'look how far the replica is',
    schedule: '* * * * *',
    run: async (signal) => {
      const registryNow = changedAt(registry);
      if (registryNow !== registryAt && !missing.has(PLATFORM_FILE)) missing.set(PLATFORM_FILE, lookedAt);
      registryAt = registryNow;
      const now = timeNow();
      const commits = missing;
      missing = new Map();
      const looked = await ask({ commits, now }, signal).catch((error: unknown) => {
        keep(commits);
        if (!signal.aborted) throw error;
      });
      if (looked === undefined) return;
      const { left, hasAnswered } = looked;
      if (hasAnswered) answeredAt = now.at;
      lookedAt = now;
      keep(left);
      const late = [...left].filter(([, { at }]) => now.at - at >= LATE_MS);
      const files = late.slice(0, MAX_NAMED).map(([id]) => id);
      named = await namesOf(files);
      const isSilent = now.at - (answeredAt ?? begun) >= LATE_MS;
      const since =
        late.length === 0 ? null : late.reduce((least, [, { at }]) => Math.min(least, at), now.at);
      const state = isSilent ? 'silent' : late.length > 0 ? 'behind' : 'ok';
      found = { state, files, count: late.length, since };
      say();
      await tellOperator(now.at);
    },
  };

  const health = healthPart({
    schema: z
      .strictObject({
        state: z
          .enum(['ok', 'behind', 'silent', 'off'])
          .describe(
            'behind: for two minutes and more it has got nothing of some files that were written; silent: Litestream has not answered for as long; off: no replica is configured',
          ),
        answered_at: z.string().nullable().describe('when Litestream last said how far it is; each minute'),
        behind: z
          .int()
          .describe('files of practices, and the registry, of which it lacks something for so long'),
        practices: z
          .array(z.string())
          .describe(`the first ${MAX_NAMED} of them; \`platform\` is the registry`),
        lag_seconds: z.int().describe('the age of the oldest that it lacks; 0 where none is behind'),
      })
      .describe('the replica that Litestream keeps'),
    now: () => ({
      state: replica === undefined ? ('off' as const) : found.state,
      answered_at: toIsoOrNull(answeredAt),
      behind: found.count,
      practices: [...named],
      lag_seconds: found.since === null ? 0 : Math.round((clock.now() - found.since) / SECOND),
    }),
    state: ({ state }) => (state === 'behind' || state === 'silent' ? 'degraded' : 'ok'),
  });

  if (replica !== undefined)
    storage.tenants.watch((id) => {
      if (!missing.has(id)) missing.set(id, timeNow());
    });
  const metrics = [
    readMetric({
      kind: 'gauge',
      name: 'sendwerk_replica_lag_seconds',
      help: 'The age of the oldest that the replica has lacked for two minutes and more, 0 where nothing is; left out where no replica is configured.',
      read: () =>
        replica === undefined
          ? []
          : [[found.since === null ? 0 : Math.max(0, clock.now() - found.since) / SECOND]],
    }),
    readMetric({
      kind: 'gauge',
      name: 'sendwerk_replica_answered_timestamp_seconds',
      help: 'When Litestream last said how far it is, which it is asked each minute; left out before its first answer.',
      read: () => (answeredAt === null ? [] : [[answeredAt / SECOND]]),
    }),
  ];
  return {
    routes: [],
    jobs: replica === undefined ? [] : [job],
    health: { replica: health },
    metrics,
  };
};
