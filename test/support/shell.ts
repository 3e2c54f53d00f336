// A shell in which what documents show is run as it stands. Programs that are handed in run in this process: one for each call of
// `sendwerk` would take half a second of CPU.
import { type ExecFileException, execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { env } from 'node:process';
import { buffer } from 'node:stream/consumers';
import { runCommandLine } from '#src/app/cli/commands.ts';
import type { Ran } from './command.ts';
import type { Block } from './document-samples.ts';

const PATIENCE_MS = 60_000;

type Program = (args: readonly string[], cwd: string) => Promise<Ran>;

/** A block, and the code that is run for it. */
interface Step {
  readonly block: Block;
  readonly code: string;
}

interface Shell {
  /** Where its programs are. */
  readonly bin: string;
  /** Runs the steps in their order, as one script; rejects with the place of the one that fails. */
  run(steps: readonly Step[]): Promise<string>;
  stop(): Promise<void>;
}

export const sendwerk = async (args: readonly string[]): Promise<Ran> => {
  let printed = '';
  const print = (text: string): void => {
    printed += text;
  };
  const exitCode = await runCommandLine(args, {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print,
    printAll: async (pieces) => {
      for (const piece of pieces) print(piece);
    },
    printError: print,
    isTerminal: false,
  });
  return { exitCode, printed };
};

const scriptAt = (port: number): string => `#!/bin/bash
out=$(mktemp)
code=$(printf '%s\\0' "\${0##*/}" "$PWD" "$@" | curl -q -sS --data-binary @- -o "$out" -w '%header{x-exit-code}' http://127.0.0.1:${port})
cat "$out"
rm "$out"
exit "$code"
`;

/** `home` has the directories `bin` and `work` then; the script runs in the second one. */
export const openShell = async (
  home: string,
  programs: Readonly<Record<string, Program>>,
  environment: Readonly<Record<string, string>>,
): Promise<Shell> => {
  const server = createServer(async (request, response) => {
    const [name = '', cwd = '', ...args] = (await buffer(request)).toString().split('\0').slice(0, -1);
    const ran = programs[name]?.(args, cwd) ?? Promise.reject(new Error(`no program: ${name}`));
    const { exitCode, printed } = await ran.catch((error) => ({ exitCode: 70, printed: `${error}\n` }));
    response.setHeader('X-Exit-Code', exitCode).end(printed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const script = scriptAt((server.address() as AddressInfo).port);
  const [bin, work] = [path.join(home, 'bin'), path.join(home, 'work')];
  for (const directory of [bin, work]) await mkdir(directory, { recursive: true });
  for (const name of Object.keys(programs)) {
    await writeFile(path.join(bin, name), script);
    await chmod(path.join(bin, name), 0o700);
  }
  return {
    bin,
    run: (steps) => {
      const codes = steps.map(({ block, code }) => `echo "@@ ${block.file}:${block.line}" >&2\n${code}`);
      return new Promise((resolve, reject) => {
        const done = (error: ExecFileException | null, stdout: string, stderr: string): void => {
          if (error === null) resolve(stdout);
          else reject(new Error(`${error.code} at ${stderr.split('@@ ').at(-1)}\n${stdout.slice(-2_000)}`));
        };
        execFile(
          'bash',
          ['-c', `set -euo pipefail\n${codes.join('\n')}`],
          {
            cwd: work,
            timeout: PATIENCE_MS,
            env: { ...env, HOME: home, PATH: `${bin}:${env.PATH}`, ...environment },
          },
          done,
        );
      });
    },
    stop: async () => {
      server.close();
    },
  };
};
