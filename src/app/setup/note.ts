// What setup keeps of its runs: the answers, so that no one gives them twice, and the hashes of the files that it wrote, by which it
// sees what a person has changed since. No secret is in it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CommandError } from '../cli/command.ts';
import { keys } from './asked.ts';
import type { Answers } from './questions.ts';

export const NOTE_FILE = '/etc/sendwerk/setup.json';

export interface Note {
  readonly answers: Partial<Answers>;
  /** The hashes of each path, the newest last. The hash of a file is noted before the file is written. */
  readonly files: Readonly<Record<string, readonly string[]>>;
}

const KEPT_HASHES = 4;

const schema = z.strictObject({
  answers: z.partialRecord(z.enum(keys), z.string()),
  files: z.record(z.string(), z.array(z.string())),
});

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Throws CommandError where it cannot be read; nothing where there is none. */
export const readNote = (file: string): Note => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { answers: {}, files: {} };
    throw new CommandError(`${file} cannot be read (${code}): run this as root`);
  }
  try {
    return schema.parse(JSON.parse(text)) as Note;
  } catch {
    throw new CommandError(
      `${file} is damaged: remove it and run this again; files that are there are then left as they are`,
    );
  }
};

export const withHash = (note: Note, path: string, text: string): Note => {
  const hash = hashOf(text);
  const before = (note.files[path] ?? []).filter((other) => other !== hash);
  return { ...note, files: { ...note.files, [path]: [...before, hash].slice(-KEPT_HASHES) } };
};

export const noteText = (note: Note): string => `${JSON.stringify(note, null, 2)}\n`;

/** What is to be done about a file: `changed` was changed by a person, or is not setup's at all. */
export const judgeFile = (
  note: Note,
  path: string,
  text: string,
  found: string | null,
): 'absent' | 'right' | 'outdated' | 'changed' => {
  if (found === null) return 'absent';
  if (found === text) return 'right';
  return note.files[path]?.includes(hashOf(found)) ? 'outdated' : 'changed';
};
