// A command is one value: its words, its options and what it does. Arguments are read, and the usage is printed, from
// the list of commands.
import { parseArgs } from 'node:util';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { nearest } from '#src/kernel/nearest.ts';
import type { CommandResult } from './config.ts';

export interface OptionDeclaration {
  /** Placeholder of the value in the usage: `FILE`, `de|en`. Absent for a switch. */
  readonly value?: string;
  readonly required?: true;
  readonly default?: string;
  /** It is given by its place, without its name. Those of a command come in their order. */
  readonly isArgument?: true;
  readonly about: string;
}

/** Shared by all commands that read the configuration file. */
export const configOption = {
  value: 'FILE',
  default: 'config/service.yaml',
  about: 'the configuration file',
} as const satisfies OptionDeclaration;

export type Options = Readonly<Record<string, OptionDeclaration>>;

type ValueOf<O extends OptionDeclaration> = O extends { value: string }
  ? O extends { required: true } | { default: string }
    ? string
    : string | undefined
  : boolean;

/** Texts are never empty. */
export type Values<O extends Options> = { readonly [K in keyof O]: ValueOf<O[K]> };

interface CommandDeclaration<O extends Options> {
  /** `config check` */
  readonly name: string;
  readonly summary: string;
  readonly options: O;
  readonly run: (values: Values<O>, environment: Environment) => CommandResult | Promise<CommandResult>;
}

/** A declaration whose `run` has been checked against its own options. */
export interface Command extends Omit<CommandDeclaration<Options>, 'run'> {
  readonly run: (values: never, environment: Environment) => CommandResult | Promise<CommandResult>;
}

export const defineCommand = <const O extends Options>(declaration: CommandDeclaration<O>): Command =>
  declaration;

/** The command failed; one line, exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** The command line is wrong; one line, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** The option as it is written on the command line. */
const written = (name: string, { value, isArgument }: OptionDeclaration): string => {
  if (value === undefined) return `--${name}`;
  return isArgument ? value : `--${name} ${value}`;
};

const signature = (name: string, declared: OptionDeclaration): string => {
  const text = written(name, declared);
  return declared.required ? text : `[${text}]`;
};

const columns = (rows: readonly (readonly [left: string, right: string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}\n`).join('');
};

const usageOfAll = (commands: readonly Command[]): string =>
  `Usage: sendwerk <command> [options]\n\n${columns(commands.map(({ name, summary }) => [name, summary]))}\n` +
  '`sendwerk <command> --help` describes its options.\n';

const usageOf = ({ name, summary, options }: Command): string => {
  const all = Object.entries(options);
  const head = ['Usage: sendwerk', name, ...all.map(([option, declared]) => signature(option, declared))];
  const described = all.map(([option, declared]): [string, string] => [
    written(option, declared),
    declared.default === undefined ? declared.about : `${declared.about}; ${declared.default} where absent`,
  ]);
  return `${head.join(' ')}\n\n${summary}\n${described.length === 0 ? '' : `\n${columns(described)}`}`;
};

/** The options as `parseArgs` of node:util takes them. */
const forParser = (options: Options) =>
  Object.fromEntries([
    ...Object.entries(options)
      .filter(([, { isArgument }]) => !isArgument)
      .map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
    ['help', { type: 'boolean', short: 'h' } as const],
  ]);

/** The refusal of `parseArgs` in one line, with the names of the usage. */
const refusal = (error: unknown, { name, options }: Command): unknown => {
  if (!(error instanceof Error && 'code' in error)) return error;
  const option = /'--?([^'\s]+)/.exec(error.message)?.[1] ?? '';
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const meant = nearest(option, Object.keys(options));
    const hint = meant === undefined ? '' : `; the nearest is --${meant}`;
    return new UsageError(`${name}: unknown option ${option.length > 1 ? '--' : '-'}${option}${hint}`);
  }
  if (error.code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return error;
  const value = options[option]?.value;
  const wanted = value === undefined ? 'takes no value' : `needs a value: ${value}`;
  return new UsageError(`${name}: --${option} ${wanted}`);
};

const parseStrictly = (args: readonly string[], command: Command) => {
  try {
    return parseArgs({ args: [...args], options: forParser(command.options), allowPositionals: true });
  } catch (error) {
    throw refusal(error, command);
  }
};

const valuesOf = (args: readonly string[], command: Command): Record<string, unknown> => {
  const { name, options } = command;
  const { values, positionals } = parseStrictly(args, command);
  const given: Readonly<Record<string, unknown>> = values;
  const places = positionals.slice(name.split(' ').length);
  const read = Object.entries(options).map(([option, { value, required, isArgument, default: usual }]) => {
    const found = (isArgument ? places.shift() : given[option]) ?? (value === undefined ? false : usual);
    if (found === '') throw new UsageError(`${name}: --${option} is empty`);
    if (found === undefined && required) throw new UsageError(`${name}: --${option} ${value} is missing`);
    return [option, found];
  });
  if (places[0] !== undefined) throw new UsageError(`${name}: unexpected argument ${places[0]}`);
  return Object.fromEntries(read);
};

const noCommand = (given: string, commands: readonly Command[], below: readonly Command[]): UsageError => {
  if (given === '') return new UsageError(usageOfAll(commands).trimEnd());
  const next = below.map(({ name }) => name.slice(given.length + 1));
  if (next.length > 0) return new UsageError(`${given} is followed by one of: ${next.join(', ')}`);
  const meant = nearest(
    given,
    commands.map(({ name }) => name),
  );
  const hint = meant === undefined ? '' : `; the nearest is \`${meant}\``;
  return new UsageError(`unknown command: ${given}${hint}`);
};

/** The command that the arguments name, ready to run; or a usage to print. Throws UsageError. */
export const readCommandLine = (
  args: readonly string[],
  commands: readonly Command[],
):
  | { readonly usage: string }
  | { readonly run: (environment: Environment) => CommandResult | Promise<CommandResult> } => {
  // To distinguish words from values, the parser must know which options take one, before the command is known.
  const options = forParser(Object.assign({}, ...commands.map((command) => command.options)));
  const seen = parseArgs({ args: [...args], options, allowPositionals: true, strict: false });
  const given = seen.positionals.join(' ');
  const command = commands.find(({ name }) => `${given} `.startsWith(`${name} `));
  if (command === undefined) {
    const below = commands.filter(({ name }) => name.startsWith(`${given} `));
    if (given === 'help' || seen.values.help)
      return { usage: usageOfAll(below.length > 0 ? below : commands) };
    throw noCommand(given, commands, below);
  }
  if (seen.values.help) return { usage: usageOf(command) };
  const values = valuesOf(args, command) as never;
  return { run: (environment) => command.run(values, environment) };
};
