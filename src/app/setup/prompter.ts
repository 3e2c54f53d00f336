// Questions to a person at the terminal. A password is typed without being shown.
import { createInterface } from 'node:readline';
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
  // What is typed or pasted ahead waits for its question.
  const typed: string[] = [];
  let isEnded = false;
  let onChange = (): void => undefined;
  lines.on('line', (line) => {
    typed.push(line);
    onChange();
  });
  lines.on('SIGINT', () => lines.close());
  lines.once('close', () => {
    isEnded = true;
    onChange();
  });
  const ask = async (question: string): Promise<string> => {
    if (typed.length > 0) print(`${question}\n`);
    else if (!isEnded) {
      lines.setPrompt(question);
      lines.prompt();
      await new Promise<void>((resolve) => {
        onChange = resolve;
      });
    }
    const line = typed.shift();
    if (line === undefined) throw new CommandError('\nended; nothing was made');
    return line.trim();
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
