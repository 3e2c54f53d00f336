// All commands. What a command needs is read when it is to run, so that the small ones answer at once.
import { readCommit, readVersion } from '#src/kernel/version.ts';
import { askedOptions } from '../setup/asked.ts';
import { adminCommands } from './admin.ts';
import {
  type Command,
  CommandError,
  configOption,
  defineCommand,
  readCommandLine,
  UsageError,
} from './command.ts';
import { dataCommandsOf } from './data-commands.ts';
import { fleetCommandsOf } from './fleet-commands.ts';
import { tenantCommandsOf } from './tenant-commands.ts';
import type { Terminal } from './terminal.ts';

const commandsOf = (terminal: Terminal): readonly Command[] => [
  defineCommand({
    name: 'serve',
    summary: 'run the daemon',
    options: { config: configOption },
    run: async ({ config }, environment) => {
      const { serve } = await import('./serve.ts');
      return { exitCode: await serve(config, environment, terminal.signals), output: '' };
    },
  }),
  defineCommand({
    name: 'setup',
    summary: 'make a running service of an installed program: asks, or takes options or a file',
    options: {
      ...askedOptions,
      from: {
        value: 'FILE',
        about: 'answers in YAML, named as the options with _ for -, and relay_password',
      },
      'relay-password-file': { value: 'FILE', about: 'has the password at the relay' },
      'zone-file': { value: 'FILE', about: 'write what has to be entered in the DNS there, as a zone file' },
      'dry-run': { about: 'print each file and each command, and do nothing' },
      anew: { about: 'ask again what an earlier run was told' },
      root: {
        value: 'DIR',
        default: '/',
        about: 'make the files below this directory, as of an image, and run nothing',
      },
    },
    run: async (given) => {
      const { setup } = await import('./setup.ts');
      return setup({ ...given, answers: given }, terminal);
    },
  }),
  defineCommand({
    name: 'quickstart',
    summary: 'run a playground on loopback: shows the way of a message, then prints what to try',
    options: {
      once: { about: 'end after the message, instead of staying up' },
      keep: {
        value: 'DIR',
        about: 'keep all of it there; the next start goes on with the same practice, token and ports',
      },
    },
    run: async (values) => {
      const { quickstart } = await import('./quickstart.ts');
      return { exitCode: await quickstart({ ...values, ...terminal }), output: '' };
    },
  }),
  defineCommand({
    name: 'dev',
    summary: 'capture the mail of programs on this machine, with the ports and the API of mailpit',
    options: {
      listen: {
        value: 'HOST',
        default: '127.0.0.1',
        about: 'the address of both; others than loopback let others in',
      },
      smtp: { value: 'PORT', default: '1025', about: 'where programs send, without signing in or as anyone' },
      http: { value: 'PORT', default: '8025', about: 'where the mails are read' },
      max: { value: 'N', default: '500', about: 'keep so many of the newest' },
      keep: { value: 'DIR', about: 'keep them there; in memory where absent' },
    },
    run: async (values) => {
      const { dev } = await import('./dev.ts');
      return { exitCode: await dev({ ...values, ...terminal }), output: '' };
    },
  }),
  defineCommand({
    name: 'config check',
    summary: 'check a configuration file, and ask its relays for delivery notices',
    options: { config: configOption },
    run: async ({ config }, environment) => {
      const { configCheck } = await import('./config.ts');
      return configCheck(config, environment);
    },
  }),
  defineCommand({
    name: 'config example',
    summary: 'print one with every key',
    options: {},
    run: async () => {
      const { exampleConfig } = await import('#src/kernel/config/example.ts');
      return { exitCode: 0, output: exampleConfig() };
    },
  }),
  defineCommand({
    name: 'dns zone',
    summary: 'print the zones for your own name server',
    options: {
      config: configOption,
      zone: { value: 'NAME', about: 'only this zone; all, one behind the other, where absent' },
    },
    run: async ({ config, zone }, environment) => {
      const { dnsZone } = await import('./dns.ts');
      return dnsZone(config, environment, { zone, print: terminal.printAll });
    },
  }),
  defineCommand({
    name: 'dns check',
    summary: 'ask the public DNS whether it holds what the zones hold',
    options: { config: configOption },
    run: async ({ config }, environment) => {
      const { dnsCheck } = await import('./dns-check.ts');
      return dnsCheck(config, environment);
    },
  }),
  defineCommand({
    name: 'secrets rotate',
    summary: 'seal everything again after the master key was changed, and say when the former one can go',
    options: { config: configOption },
    run: async ({ config }, environment) => {
      const { secretsRotate } = await import('./secrets.ts');
      return secretsRotate(config, environment, terminal);
    },
  }),
  defineCommand({
    name: 'consent verify',
    summary: "check the evidence of a person's consent, or the whole ledger of a practice",
    options: {
      file: { value: 'FILE', isArgument: true, about: 'evidence as the API gives it, or a tenant.db' },
      practice: { value: 'ID|SLUG', about: 'instead: the practice, by its id or slug' },
      data: { value: 'DIR', about: 'where the data of the practice is; as configured where absent' },
      config: {
        value: 'FILE',
        about: 'the configuration: checks by its keys that this installation wrote it',
      },
      key: {
        value: 'FILE|SHA256',
        about: 'the key that must have signed the evidence: its fingerprint, or a file, PEM or a JWK set',
      },
      origin: {
        value: 'URL',
        about: 'asks the service there, by HTTPS and by the DNS, for the keys that it publishes',
      },
    },
    run: async (values, environment) => {
      const { consentVerify } = await import('./consent.ts');
      return consentVerify(values, environment);
    },
  }),
  defineCommand({
    name: 'health',
    summary: 'ask the running daemon how it is; fails unless it accepts mail',
    options: { config: configOption },
    run: async ({ config }) => {
      const { health } = await import('./admin-api.ts');
      return health(config);
    },
  }),
  defineCommand({
    name: 'doctor',
    summary: 'check the installation, and say what mends what is not right; fails where something is wrong',
    options: {
      config: configOption,
      only: { value: 'NUMBERS', about: 'only these checks, as 3,16 or 8-10' },
      skip: { value: 'NUMBERS', about: 'all but these' },
      from: { value: 'USER@HOST', about: 'try the ports from that machine, by ssh' },
      'round-trip': { about: 'also send a message through each relay to the service itself' },
      json: { about: 'print JSON' },
    },
    run: async (values, environment) => {
      const { doctor } = await import('./doctor.ts');
      return doctor(values, environment);
    },
  }),
  ...dataCommandsOf(terminal),
  ...tenantCommandsOf(terminal),
  ...fleetCommandsOf(terminal),
  ...adminCommands,
  defineCommand({
    name: 'version',
    summary: 'print the version and its commit',
    options: {},
    run: () => ({ exitCode: 0, output: `${readVersion()} (commit ${readCommit() ?? 'unknown'})\n` }),
  }),
];

/** What is the user's to mend is said in one line; the rest with where it happened. */
const explain = async (error: unknown): Promise<string> => {
  const { ConfigError } = await import('#src/kernel/yaml-file.ts');
  const { DataError } = await import('#src/kernel/db/data-error.ts');
  const named = [ConfigError, DataError, CommandError, UsageError];
  if (named.some((kind) => error instanceof kind)) return (error as Error).message;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return code === 'EADDRINUSE' || code === 'EACCES' ? error.message : (error.stack ?? error.message);
};

/** Resolves with the exit code. */
export const runCommandLine = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  try {
    const words = args[0] === '--version' ? ['version', ...args.slice(1)] : args;
    const asked = readCommandLine(words, commandsOf(terminal));
    const { exitCode, output } =
      'usage' in asked ? { exitCode: 0, output: asked.usage } : await asked.run(terminal.environment);
    terminal.print(output);
    return exitCode;
  } catch (error) {
    terminal.printError(`${await explain(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
};
