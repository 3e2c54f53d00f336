// When the last backup was made, which the command notes in the data directory: so the daemon knows it also where it cannot read what
// the backups are on. It shows that in health, and warns where the configuration has a directory for backups and none was made in time.

import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import { formatDuration } from '#src/kernel/expected.ts';
import { healthPart } from '#src/kernel/health.ts';
import type { Job } from '#src/kernel/job.ts';
import { readMetric } from '#src/kernel/metrics.ts';
import { SECOND, toIso, toIsoOrNull } from '#src/kernel/time.ts';

const NAME = 'last-backup.json';
/** So many directories are noted: those that had one last. */
const MAX_DIRECTORIES = 20;
/** So many practices are named. */
const MAX_NAMED = 20;

const made = z.object({
  made_at: z.iso.datetime(),
  /** Slugs of practices whose files could not be read. */
  missing: z.array(z.string()),
});
/** The last backup of each directory, by its absolute path. */
const notes = z.record(z.string(), made);

const readNotes = (dataDirectory: string): z.output<typeof notes> => {
  try {
    return notes.parse(JSON.parse(readFileSync(join(dataDirectory, NAME), 'utf8')));
  } catch {
    return {};
  }
};

/** Rejects with what the disk says. */
export const noteBackup = async (
  dataDirectory: string,
  {
    madeAt,
    directory,
    missing,
  }: { readonly madeAt: number; readonly directory: string; readonly missing: readonly string[] },
): Promise<void> => {
  const [path, next] = [join(dataDirectory, NAME), join(dataDirectory, `${NAME}.new`)];
  const { [resolve(directory)]: _, ...others } = readNotes(dataDirectory);
  const newest = { made_at: toIso(madeAt), missing: missing.slice(0, MAX_NAMED) };
  const kept = Object.entries(others)
    .sort(([, one], [, other]) => (one.made_at < other.made_at ? 1 : -1))
    .slice(0, MAX_DIRECTORIES - 1);
  const text = JSON.stringify(Object.fromEntries([[resolve(directory), newest], ...kept]));
  await rm(next, { force: true });
  await writeFile(next, `${text}\n`, { mode: 0o600 });
  await rename(next, path);
};

export interface LastBackup {
  readonly madeAt: number;
  readonly missing: readonly string[];
}

/** The last one in `directory`, in any where that is undefined. Null: there was none, or the note cannot be read. */
export const readNote = (dataDirectory: string, directory: string | undefined): LastBackup | null => {
  const all = readNotes(dataDirectory);
  const found = directory === undefined ? Object.values(all) : [all[resolve(directory)]];
  const [last] = found.filter((one) => one !== undefined).sort((a, b) => (a.made_at < b.made_at ? 1 : -1));
  return last === undefined ? null : { madeAt: Date.parse(last.made_at), missing: last.missing };
};

const ADVICE =
  'no backups are configured: set backup.dir and enable sendwerk-backup.timer, docs/operate/backup.md says how';

const states = ['ok', 'old', 'partial', 'missing', 'off'] as const;

/** Says that there are no backups where none are configured. */
export const createBackupWatch = ({ config, clock, log }: Pick<Base, 'config' | 'clock' | 'log'>) => {
  const { data_dir } = config();
  const lastOne = () => readNote(data_dir, config().backup.dir);
  let last = lastOne();
  let said = 'ok';
  if (config().backup.dir === undefined && last === null) log.info(ADVICE);

  const stateOf = (): (typeof states)[number] => {
    const { dir, max_age } = config().backup;
    if (dir === undefined) return 'off';
    if (last === null) return 'missing';
    if (clock.now() - last.madeAt > max_age) return 'old';
    return last.missing.length > 0 ? 'partial' : 'ok';
  };

  const job: Job = {
    name: 'look for the last backup',
    schedule: '* * * * *',
    run: async () => {
      last = lastOne();
      const state = stateOf();
      if (state === said) return;
      said = state;
      const facts = {
        last: toIsoOrNull(last?.madeAt ?? null),
        max_age: formatDuration(config().backup.max_age),
        missing: last?.missing ?? [],
      };
      if (state === 'ok') log.info(facts, 'there is a backup again');
      if (state === 'old')
        log.warn(facts, 'the last backup is too old: see systemctl status sendwerk-backup');
      if (state === 'partial')
        log.warn(
          facts,
          'the last backup lacks practices whose files it could not read: sendwerk backup says why',
        );
      if (state === 'missing') log.warn(facts, 'no backup has been made yet: sendwerk backup');
    },
  };

  const health = healthPart({
    schema: z
      .strictObject({
        state: z
          .enum(states)
          .describe(
            'old: older than backup.max_age; partial: it lacks practices; missing: none yet; off: no backup.dir is configured',
          ),
        last_at: z
          .string()
          .nullable()
          .describe('when the last one in backup.dir was begun, in any directory where that is absent'),
        missing: z.array(z.string()).describe(`the first ${MAX_NAMED} practices that it lacks`),
      })
      .describe('the last backup'),
    now: () => ({
      state: stateOf(),
      last_at: toIsoOrNull(last?.madeAt ?? null),
      missing: [...(last?.missing ?? [])],
    }),
    state: ({ state }) => (state === 'ok' || state === 'off' ? 'ok' : 'degraded'),
  });
  const metrics = [
    readMetric({
      kind: 'gauge',
      name: 'sendwerk_backup_timestamp_seconds',
      help: 'When the last backup was begun, as it was noted beside the data; left out where there is none.',
      read: () => (last === null ? [] : [[last.madeAt / SECOND]]),
    }),
    readMetric({
      kind: 'gauge',
      name: 'sendwerk_backup_max_age_seconds',
      help: 'How old the last backup may be (backup.max_age); left out where no backup.dir is configured.',
      read: () => (config().backup.dir === undefined ? [] : [[config().backup.max_age / SECOND]]),
    }),
    readMetric({
      kind: 'gauge',
      name: 'sendwerk_backup_missing_practices',
      help: 'Practices that the last backup lacks because their files could not be read; 20 at most are counted.',
      read: () => (last === null ? [] : [[last.missing.length]]),
    }),
  ];
  return { routes: [], jobs: [job], health: { backup: health }, metrics };
};
