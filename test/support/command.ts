// The command line as an operator uses it, in the test's process, with the configuration of a test's daemon.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';

export interface Ran {
  readonly exitCode: number;
  /** What was printed, errors too. */
  readonly printed: string;
}

/** `home` is that of the daemon. */
export const commandIn =
  (home: string) =>
  async (...args: string[]): Promise<Ran> => {
    let printed = '';
    const print = (text: string): void => {
      printed += text;
    };
    const exitCode = await runCommandLine([...args, '--config', path.join(home, 'service.yaml')], {
      environment: {},
      signals: { onEnd: () => {}, onReload: () => {} },
      print,
      printAll: async () => {},
      printError: print,
      isTerminal: false,
    });
    return { exitCode, printed };
  };

/** What `sendwerk restore --tenant` leaves for a running daemon to take: here a copy of the practice as it is. */
export const prepareRestore = async (home: string, practiceId: string): Promise<void> => {
  const data = path.join(home, 'data');
  const staged = path.join(data, 'restoring', practiceId);
  await mkdir(staged, { recursive: true });
  await copyDatabase(path.join(data, 'tenants', practiceId, 'tenant.db'), path.join(staged, 'tenant.db'));
};
