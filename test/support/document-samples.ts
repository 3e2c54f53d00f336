// The code of README and docs: its fenced blocks, and what they name.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export interface Block {
  readonly file: string;
  /** Of its first line in the file, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** README, its translation and docs/. */
export const documentNames = (): readonly string[] =>
  execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'README*.md', 'docs'],
    {
      encoding: 'utf8',
    },
  )
    .split('\0')
    .filter((name) => name.endsWith('.md') && existsSync(name));

export const blocksOf = (file: string): readonly Block[] => {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: code = '', index }) => ({
    file,
    line: text.slice(0, index).split('\n').length + 1,
    language,
    text: code,
  }));
};

/** What stands between backquotes in the text, outside of blocks. */
export const quotedCodeOf = (file: string): readonly string[] =>
  [
    ...readFileSync(file, 'utf8')
      .replaceAll(/^```.*?^```$/gms, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, code = '']) => code);

/** The words of each call of a program in shell code, up to a comment or the end of the command. */
export const callsOf = (program: string, code: string): readonly (readonly string[])[] =>
  code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => [
      ...line.matchAll(new RegExp(`(?:^|[|;&(] *|sudo |/bin/)${program}((?: +[^\\s|;&)]+)+)`, 'g')),
    ])
    .map(([, rest = '']) => {
      const words = rest.trim().split(/ +/);
      const comment = words.findIndex((word) => word.startsWith('#') || word.startsWith('>'));
      return comment === -1 ? words : words.slice(0, comment);
    });
