// `sendwerk restore`.
import { type Command, configOption, defineCommand } from './command.ts';
import type { Terminal } from './terminal.ts';

export const restoreCommandOf = (terminal: Terminal): Command =>
  defineCommand({
    name: 'restore',
    summary: 'put a backup in place: all of it, or one practice, also beside a running daemon',
    options: {
      dir: {
        value: 'DIR',
        isArgument: true,
        about: 'holds the backups, or is one of them, or has bare files; absent only with --rebuild-registry',
      },
      tenant: { value: 'ID|SLUG', about: 'only this practice' },
      at: {
        value: 'TIME',
        about: 'the newest whole backup of that time or before; the newest of all where absent',
      },
      to: { value: 'DIR', about: 'the data directory to restore into; the configured one where absent' },
      replace: { about: 'keep what is there beside, and put the backup in its place' },
      resume: { about: 'send at once what was due, although it may have left since the backup' },
      'rebuild-registry': {
        about:
          'make platform.db from the files of the tenants; without DIR from those in place, with which it agrees then',
      },
      config: configOption,
    },
    run: async (values, environment) => {
      const { restore } = await import('./restore.ts');
      return restore(values, environment, terminal);
    },
  });
