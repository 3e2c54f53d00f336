// `sendwerk litestream-config` and `litestream-restore`.
import { type Command, configOption, defineCommand } from './command.ts';
import type { Terminal } from './terminal.ts';

const LITESTREAM = '/usr/local/bin/litestream';

export const replicaCommandsOf = (terminal: Terminal): readonly Command[] => [
  defineCommand({
    name: 'litestream-config',
    summary: 'print the configuration of Litestream for the registry and all tenants, or run it',
    options: {
      config: configOption,
      out: { value: 'FILE', about: 'write it there' },
      run: {
        value: 'LITESTREAM',
        about: 'with --out: run that program with it, and start it anew where tenants came or went',
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
