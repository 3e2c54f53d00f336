// From options, file, former run and person to answers that the daemon would take, with the relay's password.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSections } from '#src/kernel/config/checks.ts';
import { configSchema } from '#src/kernel/config/schema.ts';
import { ConfigError, readYaml } from '#src/kernel/yaml-file.ts';
import { CommandError, UsageError } from '../cli/command.ts';
import { collectAnswers, readAnswersFile } from './collect.ts';
import { CONFIG_FILE, configurationText } from './configuration.ts';
import { lookAtMachine } from './machine.ts';
import { NOTE_FILE, readNote } from './note.ts';
import type { Prompter } from './prompter.ts';
import type { Answers } from './questions.ts';
import { keptPassword, tryRelay } from './relay.ts';

const PASSWORD_TRIES = 3;

export interface Wishes {
  readonly options: Partial<Answers>;
  readonly from: string | undefined;
  readonly passwordFile: string | undefined;
  readonly root: string;
  /** Nothing of the run before counts. */
  readonly isAnew: boolean;
  /** The relay is asked, and a password is needed. */
  readonly isForReal: boolean;
}

export interface Gathered {
  readonly answers: Answers;
  /** Null: the one that is there stays, or none is needed. */
  readonly password: string | null;
}

const isPassword = (text: string): boolean => text !== '' && !/[\0\r\n]/.test(text);

const readPassword = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
  if (!isPassword(text)) throw new CommandError(`${file}: expected one line with the password at the relay`);
  return text;
};

/** Throws ConfigError where the daemon would not take what is proposed. */
const checkText = (answers: Answers): void => {
  const { value, problems, problemAt } = readYaml(CONFIG_FILE, configurationText(answers), configSchema);
  const found = [...problems];
  checkSections(value, {
    problem: (path, expected, got) => found.push(problemAt(path, expected, got)),
    warning: () => undefined,
  });
  if (found.length > 0) throw new ConfigError(found);
};

const askPassword = async (prompter: Prompter): Promise<string> => {
  for (;;) {
    const typed = await prompter.askSecret('password at the relay (it is not shown): ');
    if (isPassword(typed)) return typed;
  }
};

/** The password that the relay takes, which a person can type again, and how the relay tells of deliveries. */
const tryOut = async (
  { answers, password }: Gathered,
  { root }: Wishes,
  isChosen: boolean,
  prompter: Prompter | null,
  print: (text: string) => void,
): Promise<Gathered> => {
  let typed = password;
  for (let left = PASSWORD_TRIES; ; left -= 1) {
    const trial = await tryRelay(answers, typed ?? keptPassword(root));
    print(`relay ${trial.found}\n`);
    if (trial.isPasswordRefused && prompter !== null && left > 1) {
      typed = await askPassword(prompter);
      continue;
    }
    const knowsNone = trial.dsn === false && !isChosen;
    return { answers: knowsNone ? { ...answers, delivered_on: 'accept' } : answers, password: typed };
  }
};

export const gather = async (
  wishes: Wishes,
  prompter: Prompter | null,
  print: (text: string) => void,
): Promise<Gathered> => {
  const { root, options, isForReal } = wishes;
  const before = wishes.isAnew ? {} : readNote(join(root, NOTE_FILE)).answers;
  const file = wishes.from === undefined ? null : readAnswersFile(wishes.from);
  const given =
    wishes.passwordFile === undefined ? (file?.password ?? null) : readPassword(wishes.passwordFile);
  const machine = await lookAtMachine();
  const answers = await collectAnswers({
    options,
    file: file?.answers ?? {},
    before,
    machine,
    prompter,
    print,
  });
  checkText(answers);
  const isNeeded = answers.relay_user !== '';
  const isKept = before.relay_user === answers.relay_user && keptPassword(root) !== null;
  let password = isNeeded ? given : null;
  if (isNeeded && password === null && !isKept && isForReal) {
    if (prompter === null)
      throw new UsageError(
        'setup: the password at the relay is missing: give --relay-password-file FILE, or relay_password in the file of --from',
      );
    password = await askPassword(prompter);
  }
  // A plan names the file of a password that is not known yet.
  if (!isForReal) return { answers, password: password ?? (isNeeded && !isKept ? '' : null) };
  const isChosen = (options.delivered_on ?? file?.answers.delivered_on) !== undefined;
  return tryOut({ answers, password }, wishes, isChosen, prompter, print);
};
