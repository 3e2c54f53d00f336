// When the last backup was made, which the command notes in the data directory: so the daemon knows it also where it cannot read what
// the backups are on. It shows that in health, and warns where the configuration has a directory for backups and none was made in time.

import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import { formatDuration } from '#src/kernel/expected.ts';
import { healthPart } from '#src/kernel/health.ts';
import type { Job } from '#src/kernel/job.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';

const NAME = 'last-backup.json';
const note = z.object({ made_at: z.iso.datetime(), directory: z.string() });

/** Rejects with what the disk says. */
export const noteBackup = async (
  dataDirectory: string,
  { madeAt, directory }: { readonly madeAt: number; readonly directory: string },
): Promise<void> => {
  const [path, next] = [join(dataDirectory, NAME), join(dataDirectory, `${NAME}.new`)];
  await rm(next, { force: true });
  await writeFile(next, `${JSON.stringify({ made_at: toIso(madeAt), directory })}\n`, { mode: 0o600 });
  await rename(next, path);
};

/** Null: there was none, or the note cannot be read. */
export const readNote = (dataDirectory: string): number | null => {
  try {
    return Date.parse(note.parse(JSON.parse(readFileSync(join(dataDirectory, NAME), 'utf8'))).made_at);
  } catch {
    return null;
  }
};

const ADVICE =
  'no backups are configured: set backup.dir and enable sendwerk-backup.timer, docs/operate/backup.md says how';

/** Says that there are no backups where none are configured. */
export const createBackupWatch = ({ config, clock, log }: Pick<Base, 'config' | 'clock' | 'log'>) => {
  const { data_dir } = config();
  let madeAt = readNote(data_dir);
  let said = 'ok';
  if (config().backup.dir === undefined && madeAt === null) log.info(ADVICE);

  const stateOf = (): 'ok' | 'old' | 'missing' | 'off' => {
    const { dir, max_age } = config().backup;
    if (dir === undefined) return 'off';
    if (madeAt === null) return 'missing';
    return clock.now() - madeAt > max_age ? 'old' : 'ok';
  };

  const job: Job = {
    name: 'look for the last backup',
    schedule: '* * * * *',
    run: async () => {
      madeAt = readNote(data_dir);
      const state = stateOf();
      if (state === said) return;
      said = state;
      const facts = { last: toIsoOrNull(madeAt), max_age: formatDuration(config().backup.max_age) };
      if (state === 'ok') log.info(facts, 'there is a backup again');
      if (state === 'old')
        log.warn(facts, 'the last backup is too old: see systemctl status sendwerk-backup');
      if (state === 'missing') log.warn(facts, 'no backup has been made yet: sendwerk backup');
    },
  };

  const health = healthPart({
    schema: z
      .strictObject({
        state: z
          .enum(['ok', 'old', 'missing', 'off'])
          .describe('old: older than backup.max_age; missing: none yet; off: no backup.dir is configured'),
        last_at: z.string().nullable().describe('when the last one was begun'),
      })
      .describe('the last backup'),
    now: () => ({ state: stateOf(), last_at: toIsoOrNull(madeAt) }),
    state: ({ state }) => (state === 'old' || state === 'missing' ? 'degraded' : 'ok'),
  });
  return { routes: [], jobs: [job], health: { backup: health } };
};
