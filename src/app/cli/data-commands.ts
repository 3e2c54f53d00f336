// The commands on the data of the whole service: `sendwerk backup`, `backup list`, `backup verify`, `restore`, `litestream-config` and
// `litestream-restore`.
import { type Command, configOption, defineCommand } from './command.ts';
import type { Terminal } from './terminal.ts';

const json = { about: 'print JSON' } as const;
const directory = {
  value: 'DIR',
  isArgument: true,
  about: 'holds the backups; backup.dir of the configuration where absent',
} as const;

const LITESTREAM = '/usr/local/bin/litestream';

export const dataCommandsOf = (terminal: Terminal): readonly Command[] => [
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
    summary: 'copy the registry and all practices, beside a running or a stopped daemon',
    options: {
      dir: directory,
      keep: {
        value: '7d4w12m',
        about:
          'keep all of the last 48 hours and the newest of each of the last 7 days, 4 weeks and 12 months, and remove the others; where absent, backup.keep of the configuration for backup.dir, and all are kept elsewhere',
      },
      whole: { about: 'copy also what did not change, so that nothing is shared with the backups before' },
      config: configOption,
      json,
    },
    run: async (values, environment) => {
      const { backup } = await import('./backup.ts');
      return backup(values, environment, terminal);
    },
  }),
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
          'make platform.db from the files of the practices; without DIR from those in place, with which it agrees then',
      },
      config: configOption,
    },
    run: async (values, environment) => {
      const { restore } = await import('./restore.ts');
      return restore(values, environment, terminal);
    },
  }),
  defineCommand({
    name: 'litestream-config',
    summary: 'print the configuration of Litestream for the registry and all practices, or run it',
    options: {
      config: configOption,
      out: { value: 'FILE', about: 'write it there' },
      run: {
        value: 'LITESTREAM',
        about: 'with --out: run that program with it, and start it anew where practices came or went',
      },
    },
    run: async (values, environment) => {
      const { litestream } = await import('./replica.ts');
      return litestream(values, environment, terminal);
    },
  }),
  defineCommand({
    name: 'litestream-restore',
    summary: 'bring the files of the replica into a new directory, for `sendwerk restore`',
    options: {
      dir: { value: 'DIR', isArgument: true, required: true, about: 'the new directory' },
      at: { value: 'TIME', about: 'as they were then, as 2026-11-24T02:00:00Z; the newest where absent' },
      litestream: { value: 'LITESTREAM', default: LITESTREAM, about: 'the program' },
      config: configOption,
    },
    run: async (values, environment) => {
      const { restoreFromReplica } = await import('./replica.ts');
      return restoreFromReplica(values, environment);
    },
  }),
];
