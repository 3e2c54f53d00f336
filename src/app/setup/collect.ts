// Brings the answers together: an option goes before the file, the file before the run before. What is left a person is asked, or
// what is proposed is taken. All that is wrong with options and file is said at once.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, readYaml } from '#src/kernel/yaml-file.ts';
import { CommandError, UsageError } from '../cli/command.ts';
import { applies, asked, type Key, keys, optionOf } from './asked.ts';
import type { Prompter } from './prompter.ts';
import { type Answers, faultOf, type Machine, questionOf, tidy } from './questions.ts';

const text = z.union([z.string(), z.number()]).transform(String);
const value = z.union([text, z.array(text).transform((list) => list.join(', '))]);
const fileSchema = z.strictObject({
  ...(Object.fromEntries(keys.map((key) => [key, value.optional()])) as Record<
    Key,
    z.ZodOptional<typeof value>
  >),
  relay_password: text.meta({ shown: 'never' }).optional(),
});

export interface Given {
  readonly answers: Partial<Answers>;
  readonly password: string | null;
}

export const readAnswersFile = (file: string): Given => {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const { value: read, problems } = readYaml(file, content, fileSchema);
  if (problems.length > 0) throw new ConfigError(problems);
  const { relay_password: password, ...answers } = read;
  return { answers: answers as Partial<Answers>, password: password ?? null };
};

export interface Sources {
  readonly options: Partial<Answers>;
  readonly file: Partial<Answers>;
  readonly before: Partial<Answers>;
  readonly machine: Machine;
  /** Null: no one can be asked. */
  readonly prompter: Prompter | null;
  readonly print: (text: string) => void;
}

const askUntilRight = async (key: Key, known: Partial<Answers>, sources: Sources): Promise<string> => {
  const { prompter, machine, print } = sources;
  const { propose, isOptional } = questionOf(key);
  const { about, value: form } = asked[key];
  const proposed = propose?.(known, machine) ?? (isOptional ? '' : undefined);
  const choices = form.includes('|') && /^[a-z|]+$/.test(form) ? ` (${form})` : '';
  const shown = proposed === undefined ? '' : ` [${proposed === '' ? 'none' : proposed}]`;
  for (;;) {
    const typed = await prompter?.ask(`${about}${choices}${shown}: `);
    const answer = tidy(key, typed === '' || typed === undefined ? (proposed ?? '') : typed);
    const fault = faultOf(key, answer, known);
    if (fault === null) return answer;
    print(`  ${fault}\n`);
  }
};

/** The answer of the run before. One that was only what was proposed then follows the others: a new domain brings new names. */
const formerAnswer = (
  key: Key,
  known: Partial<Answers>,
  { before, machine }: Sources,
): string | undefined => {
  const { propose } = questionOf(key);
  const wasProposed = before[key] !== undefined && propose?.(before, machine) === before[key];
  return wasProposed ? propose?.(known, machine) : before[key];
};

/** Throws UsageError with all that is wrong or missing, one line each. */
export const collectAnswers = async (sources: Sources): Promise<Answers> => {
  const { options, file, machine, prompter } = sources;
  const known: Partial<Record<Key, string>> = {};
  const faults: string[] = [];
  for (const key of keys) {
    const given = options[key] ?? file[key] ?? formerAnswer(key, known, sources);
    if (given === undefined && applies(key, known) && prompter !== null && !questionOf(key).isQuiet) {
      known[key] = await askUntilRight(key, known, sources);
      continue;
    }
    const { propose, isOptional } = questionOf(key);
    const isNeeded = !isOptional && applies(key, known);
    const answer = given ?? propose?.(known, machine) ?? (isNeeded ? undefined : '');
    if (answer === undefined) {
      faults.push(`--${optionOf(key)} is missing: ${asked[key].about}`);
      continue;
    }
    known[key] = tidy(key, answer);
    const fault = applies(key, known) ? faultOf(key, known[key], known) : null;
    if (fault !== null) faults.push(`--${optionOf(key)}: ${fault}`);
  }
  if (faults.length > 0)
    throw new UsageError(
      `setup: ${faults.join('\nsetup: ')}\nGive them as options, in a file (--from FILE), or run this on a terminal, where it asks.`,
    );
  return known as Answers;
};
