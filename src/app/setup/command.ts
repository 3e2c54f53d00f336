// Runs one command of the plan, or of the service, and hands on what it says.
import { spawn } from 'node:child_process';

/** Resolves with its exit code; 127 where there is no such program. */
export const runCommand = (
  [program = '', ...words]: readonly string[],
  print: (text: string) => void,
): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', print);
    child.stderr.setEncoding('utf8').on('data', print);
    child.once('error', (error) => {
      print(`${error.message}\n`);
      resolve(127);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
