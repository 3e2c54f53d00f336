// `sendwerk setup`: from a machine with the program on it to a running service. It gathers the answers, makes what its plan says,
// starts the service, lets `sendwerk doctor` look at it, and says what is left to do elsewhere. It can be run again at any time.
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import { createWriter } from '../setup/apply.ts';
import { type Key, keys, optionOf } from '../setup/asked.ts';
import { carryOut, type Place, printPlan } from '../setup/carry-out.ts';
import { runCommand } from '../setup/command.ts';
import { CONFIG_FILE } from '../setup/configuration.ts';
import { type Gathered, gather } from '../setup/gather.ts';
import { delegationFile, whatIsLeft } from '../setup/left-to-do.ts';
import { installedCommand, lookAtInstallation } from '../setup/machine.ts';
import { NOTE_FILE, readNote } from '../setup/note.ts';
import { planOf } from '../setup/plan.ts';
import { createPrompter } from '../setup/prompter.ts';
import { writeWhole } from '../setup/write-file.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';
import type { Terminal } from './terminal.ts';

export interface SetupValues {
  /** The options of the questions, and others. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly from: string | undefined;
  readonly 'relay-password-file': string | undefined;
  readonly 'zone-file': string | undefined;
  readonly root: string;
  readonly 'dry-run': boolean;
  readonly anew: boolean;
}

const HERE = '/';

const optionsOf = ({ answers }: SetupValues): Partial<Record<Key, string>> =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const given = answers[optionOf(key)];
      return typeof given === 'string' ? [[key, given]] : [];
    }),
  );

const gatherAll = async (values: SetupValues, isForReal: boolean, terminal: Terminal): Promise<Gathered> => {
  const { input } = terminal;
  const prompter = input?.isTTY === true ? createPrompter(input, terminal.printError) : null;
  const { from, 'relay-password-file': passwordFile, root, anew } = values;
  const wishes = { options: optionsOf(values), from, passwordFile, root, isAnew: anew, isForReal };
  try {
    return await gather(wishes, prompter, terminal.printError);
  } finally {
    prompter?.close();
  }
};

const saidOfKept = (kept: readonly string[]): string =>
  kept.length === 0
    ? ''
    : `\nLeft as they are, because they were changed or are not of setup:\n${kept
        .map((path) => `  ${path}   what setup proposes: diff ${path} ${path}.proposed\n`)
        .join('')}`;

/** The installed command, by which the service's own user looks at what the service reads. */
const requireInstalled = (): string => {
  const command = installedCommand();
  if (command !== null) return command;
  throw new CommandError(
    'this program is not the one at /opt/sendwerk/current, which the service runs: install it (docs/operate/install.md) and run its setup, or look at the plan with --dry-run',
  );
};

const writeZone = async (
  values: SetupValues,
  { answers }: Gathered,
  command: string | null,
): Promise<void> => {
  if (values['zone-file'] === undefined) return;
  let text = '';
  if (answers.dns === 'builtin') text = delegationFile(answers);
  else if (command !== null) {
    const exitCode = await runCommand([command, 'dns', 'zone'], (piece) => {
      text += piece;
    });
    if (exitCode !== 0) throw new CommandError(`the zones cannot be written yet: ${text.trim()}`);
  }
  writeWhole(resolve(values['zone-file']), text, { mode: 0o644, owner: null });
};

/** On this machine: checks the configuration, starts the service, and lets the doctor look. */
const startHere = async (command: string, start: () => Promise<void>): Promise<void> => {
  let said = '';
  const exitCode = await runCommand([command, 'config', 'check'], (piece) => {
    said += piece;
  });
  if (exitCode !== 0)
    throw new CommandError(`${said}${CONFIG_FILE} is not in order: mend it and run \`sendwerk setup\` again`);
  await start();
};

/** A link that signs in, where the service runs and gives one; the page that does so by a mailed code. */
const signInLink = async (
  { operator, host }: Gathered['answers'],
  command: string | null,
): Promise<string> => {
  let said = '';
  const exitCode =
    command === null
      ? 1
      : await runCommand([command, 'admin', 'sign-in-link', '--email', operator], (piece) => {
          said += piece;
        });
  return exitCode === 0
    ? said.trim().replace('\n\n', '\n  ')
    : dashboardLink(`https://${host}`, 'app/sign-in');
};

export const setup = async (given: SetupValues, terminal: Terminal): Promise<CommandResult> => {
  const values = { ...given, root: resolve(given.root) };
  const { root, 'dry-run': dryRun } = values;
  const isHere = root === HERE;
  const isRoot = userInfo().uid === 0;
  if (isHere && !isRoot && !dryRun)
    throw new CommandError(
      'setup makes a user, directories and units, so it needs root: `sudo sendwerk setup`. With --dry-run anyone sees what it would do',
    );
  const command = isHere && !dryRun ? requireInstalled() : null;
  const gathered = await gatherAll(values, isHere && !dryRun, terminal);
  const installation = lookAtInstallation(root);
  const plan = planOf(gathered.answers, gathered.password, installation);
  const writer = createWriter(
    root,
    { ...readNote(join(root, NOTE_FILE)), answers: gathered.answers },
    isRoot,
  );
  if (dryRun) {
    printPlan(plan, writer, terminal.print);
    return { exitCode: 0, output: '' };
  }
  const place: Place = { root, isHere, isRoot, print: terminal.print };
  const { kept, start } = await carryOut(plan, writer, place);
  if (command !== null) await startHere(command, start);
  terminal.print(saidOfKept(kept));
  if (command !== null) await runCommand([command, 'doctor'], terminal.print);
  await writeZone(values, gathered, command);
  const { answers } = gathered;
  const link = await signInLink(answers, installation.runsSystemd ? command : null);
  return { exitCode: 0, output: whatIsLeft(answers, link, installation.runsSystemd) };
};
