#!/usr/bin/env node
// The entry of the command line, and the only file that touches the process. The rest is imported once it is known where
// node keeps what it compiles.
import { once } from 'node:events';
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { privateCache } from './app/cli/private-cache.ts';
import type { ProcessSignals } from './app/cli/serve.ts';

// The threads of libuv's pool wait for the disk and for names, and compute little, so their number does not follow the cores:
// where a sync takes 2 ms, 100 practices that send at once reach half as much with 8 of them. libuv reads it at its first task.
// A value that the operator has set is kept.
process.env.UV_THREADPOOL_SIZE ??= '16';

// Databases and secrets that are made here belong to their owner alone.
process.umask(0o077);

// Half the work of a start is to remove the types of the sources and to compile them. Threads read the variable; where the
// operator has set it, node uses that directory already.
if (process.env.NODE_COMPILE_CACHE === undefined) {
  const cache = privateCache(process.env, process.getuid?.());
  if (cache !== null) {
    process.env.NODE_COMPILE_CACHE = cache;
    enableCompileCache(cache);
  }
}

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

const { runCommandLine } = await import('./app/cli/commands.ts');
process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  signals,
  print: (text) => {
    process.stdout.write(text);
  },
  printAll: async (pieces) => {
    for (const piece of pieces) {
      if (process.stdout.errored) return;
      if (!process.stdout.write(piece)) await once(process.stdout, 'drain').catch(() => undefined);
    }
  },
  printError: (text) => {
    process.stderr.write(text);
  },
  isTerminal: process.stderr.isTTY === true,
  // Opened by who asks alone.
  get input() {
    return process.stdin;
  },
});
