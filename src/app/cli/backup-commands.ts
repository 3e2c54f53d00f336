// `sendwerk backup`, `backup list` and `backup verify`.
import { type Command, configOption, defineCommand } from './command.ts';
import type { Terminal } from './terminal.ts';

const json = { about: 'print JSON' } as const;
const directory = {
  value: 'DIR',
  isArgument: true,
  about: 'holds the backups; backup.dir of the configuration where absent',
} as const;

export const backupCommandsOf = (terminal: Terminal): readonly Command[] => [
  defineCommand({
    name: 'backup list',
    summary: 'print the backups in a directory',
    options: { dir: directory, config: configOption, json },
    run: async (values, environment) => {
      const { listBackups } = await import('./backup.ts');
      return listBackups(values, environment);
    },
  }),
  defineCommand({
    name: 'backup verify',
    summary:
      'check a backup: checksums, pages, references, rows and consent ledgers; fails where one is wrong',
    options: {
      dir: directory,
      id: {
        value: 'ID',
        isArgument: true,
        about: 'of the backup, as `backup list` prints it; the newest where absent',
      },
      config: configOption,
      json,
    },
    run: async (values, environment) => {
      const { verify } = await import('./backup.ts');
      return verify(values, environment, terminal);
    },
  }),
  defineCommand({
    name: 'backup',
    summary: 'copy the registry and all tenants, beside a running or a stopped daemon',
    options: {
      dir: directory,
      keep: {
        value: '7d4w12m',
        about:
          'keep the newest of each of the last 7 days, 4 weeks and 12 months, and remove the others; backup.keep of the configuration where absent, else all are kept',
      },
      config: configOption,
      json,
    },
    run: async (values, environment) => {
      const { backup } = await import('./backup.ts');
      return backup(values, environment, terminal);
    },
  }),
];
