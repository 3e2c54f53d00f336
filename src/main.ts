#!/usr/bin/env node
// The entry of the command line, and the only file that touches the process.
import { once } from 'node:events';
import process from 'node:process';
import { adminCommands } from './app/cli/admin.ts';
import {
  type Command,
  CommandError,
  configOption,
  defineCommand,
  readCommandLine,
  UsageError,
} from './app/cli/command.ts';
import { configCheck, configExample } from './app/cli/config.ts';
import { dnsZone } from './app/cli/dns.ts';
import { dnsCheck } from './app/cli/dns-check.ts';
import type { ProcessSignals } from './app/cli/serve.ts';
import { readVersion } from './kernel/version.ts';
import { ConfigError } from './kernel/yaml-file.ts';

// The threads of libuv's pool wait for the disk and for names, and compute little, so their number does not follow the cores:
// where a sync takes 2 ms, 100 practices that send at once reach half as much with 8 of them. libuv reads it at its
// first task. The operator's own value stands.
process.env.UV_THREADPOOL_SIZE ??= '16';

// Databases and secrets that are made here belong to their owner alone.
process.umask(0o077);

const signals: ProcessSignals = {
  onEnd: (listener) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => listener(signal));
  },
  onReload: (listener) => {
    process.on('SIGHUP', listener);
  },
};

// A reader that has seen enough, such as head(1), is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`standard output: ${error.message}\n`);
  process.exitCode = 1;
});

const print = (text: string): void => {
  process.stdout.write(text);
};

/** As fast as the reader takes it; the rest is not made where the reader has gone. */
const printAll = async (pieces: Iterable<string>): Promise<void> => {
  for (const piece of pieces) {
    if (process.stdout.errored) return;
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain').catch(() => undefined);
  }
};

/** The daemon is most of the program: it is read where it is to run, so that the other commands answer at once. */
const commands: readonly Command[] = [
  defineCommand({
    name: 'serve',
    summary: 'run the daemon',
    options: { config: configOption },
    run: async ({ config }, environment) => {
      const { serve } = await import('./app/cli/serve.ts');
      return { exitCode: await serve(config, environment, signals), output: '' };
    },
  }),
  defineCommand({
    name: 'quickstart',
    summary: 'run it on loopback, send a message and show what happens',
    options: { once: { about: 'end then, instead of staying up' } },
    run: async ({ once }) => {
      const { quickstart } = await import('./app/cli/quickstart.ts');
      return { exitCode: await quickstart({ once, print, signals }), output: '' };
    },
  }),
  defineCommand({
    name: 'config check',
    summary: 'check a configuration file',
    options: { config: configOption },
    run: ({ config }, environment) => configCheck(config, environment),
  }),
  defineCommand({
    name: 'config example',
    summary: 'print one with every key',
    options: {},
    run: () => ({ exitCode: 0, output: configExample() }),
  }),
  defineCommand({
    name: 'dns zone',
    summary: 'print the zones for your own name server',
    options: {
      config: configOption,
      zone: { value: 'NAME', about: 'only this zone; all, one behind the other, where absent' },
    },
    run: ({ config, zone }, environment) => dnsZone(config, environment, { zone, print: printAll }),
  }),
  defineCommand({
    name: 'dns check',
    summary: 'ask the public DNS whether it holds what the zones hold',
    options: { config: configOption },
    run: ({ config }, environment) => dnsCheck(config, environment),
  }),
  ...adminCommands,
  defineCommand({
    name: 'version',
    summary: 'print the version',
    options: {},
    run: () => ({ exitCode: 0, output: `${readVersion()}\n` }),
  }),
];

const run = async (): Promise<number> => {
  const asked = readCommandLine(process.argv.slice(2), commands);
  const { exitCode, output } =
    'usage' in asked ? { exitCode: 0, output: asked.usage } : await asked.run(process.env);
  print(output);
  return exitCode;
};

/** What is the user's to mend is said in one line; the rest with where it happened. */
const explain = (error: unknown): string => {
  if (error instanceof ConfigError || error instanceof CommandError || error instanceof UsageError)
    return error.message;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return code === 'EADDRINUSE' || code === 'EACCES' ? error.message : (error.stack ?? error.message);
};

run().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);
