// Shows a plan, or carries it out step by step and says each.
import { CommandError } from '../cli/command.ts';
import { findServiceUser, type Made, type Writer } from './apply.ts';
import { runCommand } from './command.ts';
import { type CommandStep, type Step, stepText } from './plan.ts';

type Print = (text: string) => void;

const line = (made: string, text: string): string => `${made.padEnd('rights set'.length)}  ${text}\n`;

const WOULD: Readonly<Record<Made, string>> = {
  made: 'make',
  right: 'is right',
  replaced: 'replace',
  kept: 'keep',
  'rights set': 'set rights',
};

const WHEN: Readonly<Record<CommandStep['when'], string>> = {
  'no user': '   where the user is missing',
  always: '',
  changed: '   where files were written',
  'ran before': '   where files were written and it ran before',
};

export const printPlan = (plan: readonly Step[], { judge }: Writer, print: Print): void => {
  for (const step of plan)
    print(
      step.kind === 'command'
        ? line('run', `${stepText(step)}${WHEN[step.when]}`)
        : line(WOULD[judge(step)], stepText(step)),
    );
  print('\nNothing was done.\n');
};

export interface Place {
  readonly root: string;
  /** It is this machine, and not a directory with the files of another one. */
  readonly isHere: boolean;
  readonly isRoot: boolean;
  readonly print: Print;
}

const run = async (step: CommandStep, print: Print): Promise<void> => {
  print(line('run', stepText(step)));
  const exitCode = await runCommand(step.words, print);
  if (exitCode === 0) return;
  const where = step.words[0] === 'systemctl' ? ' `journalctl -u sendwerk -n 30 -o cat` says why.' : '';
  throw new CommandError(
    `${stepText(step)}: failed with ${exitCode}.${where} Mend it and run \`sendwerk setup\` again: it goes on from here`,
  );
};

const makeUser = async (step: CommandStep, { root, isHere, isRoot, print }: Place): Promise<void> => {
  if (findServiceUser(root) !== null) return;
  if (isHere) return run(step, print);
  const whose = isRoot ? 'root' : 'you';
  print(
    line(
      'left',
      `${root} has no user sendwerk, so all belongs to ${whose}. In it, run:\n  ${stepText(step)}\n  systemd-tmpfiles --create sendwerk.conf`,
    ),
  );
};

const isRunning = async (): Promise<boolean> =>
  (await runCommand(['systemctl', 'is-active', '--quiet', 'sendwerk.service'], () => undefined)) === 0;

export interface Carried {
  /** Paths that were left because a person changed them. */
  readonly kept: readonly string[];
  /** Starts what the plan starts. */
  readonly start: () => Promise<void>;
}

/** Makes the files. */
export const carryOut = async (plan: readonly Step[], writer: Writer, place: Place): Promise<Carried> => {
  const kept: string[] = [];
  let isChanged = false;
  for (const step of plan) {
    if (step.kind === 'command') {
      if (step.when === 'no user') await makeUser(step, place);
      continue;
    }
    const made = writer.apply(step);
    place.print(line(made, stepText(step)));
    if (made === 'kept') kept.push(step.path);
    isChanged ||= made === 'made' || made === 'replaced';
  }
  const start = async (): Promise<void> => {
    const commands = plan.filter((step) => step.kind === 'command');
    const ranBefore = commands.some(({ when }) => when === 'ran before') && (await isRunning());
    for (const step of commands) {
      if (
        step.when === 'always' ||
        (isChanged && (step.when === 'changed' || (step.when === 'ran before' && ranBefore)))
      )
        await run(step, place.print);
    }
  };
  return { kept, start };
};
