#!/usr/bin/env node
// The entry of the command line, and the only file that touches the process.
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { readVersion } from './app.ts';
import { configCheck, configExample } from './cli/config.ts';
import { dnsZone } from './cli/dns.ts';
import { quickstart } from './cli/quickstart.ts';
import { type ProcessSignals, serve } from './cli/serve.ts';
import { ConfigError } from './kernel/yaml-file.ts';

// Disk syncs and signatures share libuv's pool, whose threads start with its first task: syncs wait, signatures
// compute, so it needs more threads than cores. The operator's own value stands.
process.env.UV_THREADPOOL_SIZE ??= String(Math.max(16, 4 * availableParallelism()));

// Databases and secrets that are made here belong to their owner alone.
process.umask(0o077);

const usage = `Usage: sendwerk <command> [options]

  serve --config FILE            run the daemon
  quickstart [--once]            run it on loopback, send a message and show what happens
  config check [--config FILE]   check a configuration file
  config example                 print one with every key
  dns zone [--config FILE]       print the zones for your own name server
  version
`;

const DEFAULT_CONFIG = 'config/service.yaml';

const signals: ProcessSignals = {
  onEnd: (listener) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => listener(signal));
  },
  onReload: (listener) => {
    process.on('SIGHUP', listener);
  },
};

const print = (text: string): void => {
  process.stdout.write(text);
};

const printResult = ({ exitCode, output }: { exitCode: number; output: string }): number => {
  print(output);
  return exitCode;
};

const run = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: {
      config: { type: 'string', default: DEFAULT_CONFIG },
      once: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const command = values.help ? 'help' : positionals.join(' ');
  switch (command) {
    case 'serve':
      return serve(values.config, process.env, signals);
    case 'quickstart':
      return quickstart({ once: values.once, print, signals });
    case 'config check':
      return printResult(configCheck(values.config, process.env));
    case 'config example':
      return printResult({ exitCode: 0, output: configExample() });
    case 'dns zone':
      return printResult(await dnsZone(values.config, process.env));
    case 'version':
      return printResult({ exitCode: 0, output: `${readVersion()}\n` });
    case 'help':
      return printResult({ exitCode: 0, output: usage });
    default:
      process.stderr.write(command === '' ? usage : `Unknown command: ${command}\n\n${usage}`);
      return 2;
  }
};

/** What is the user's to mend is said in one line; the rest with where it happened. */
const explain = (error: unknown): string => {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return code === 'EADDRINUSE' || code === 'EACCES' || code.startsWith('ERR_PARSE_ARGS')
    ? error.message
    : (error.stack ?? error.message);
};

run().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error) => {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  },
);
