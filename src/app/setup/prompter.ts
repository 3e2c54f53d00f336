// Questions to a person at the terminal. A password is typed without being shown.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from '../cli/command.ts';

export interface Prompter {
  readonly ask: (question: string) => Promise<string>;
  readonly askSecret: (question: string) => Promise<string>;
  readonly close: () => void;
}

/** Rejects with CommandError once the input has ended, or after Ctrl-C. */
export const createPrompter = (input: NodeJS.ReadableStream, print: (text: string) => void): Prompter => {
  let isShown = true;
  const output = new Writable({
    write: (chunk, _, done) => {
      if (isShown) print(String(chunk));
      done();
    },
  });
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  const ended = new AbortController();
  lines.on('SIGINT', () => lines.close());
  lines.once('close', () => ended.abort());
  const ask = async (question: string): Promise<string> => {
    try {
      return (await lines.question(question, { signal: ended.signal })).trim();
    } catch {
      throw new CommandError('\nended; nothing was made');
    }
  };
  return {
    ask,
    askSecret: async (question) => {
      print(question);
      isShown = false;
      try {
        return await ask('');
      } finally {
        isShown = true;
        print('\n');
      }
    },
    close: () => lines.close(),
  };
};
