// What a reader of the repository is sent to is in it: a rule of a document that is elsewhere has to be said where it is needed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
});
const files = listed.split('\0').filter((name) => name !== '' && existsSync(name));
const documents = new Set(files.filter((name) => name.endsWith('.md')).map((name) => basename(name)));
const SOURCES =
  /^(?:src|test|bin|config|systemd|docs|bench)\/.*\.(?:ts|tsx|sql|css|yaml|service|md)$|^[^/]+\.(?:md|ts|json)$/;

const namedBy = (text: string): string[] => [
  ...[...text.matchAll(/[\w-]+(?:\.[a-z]{2})?\.md\b/g)]
    .map(([name]) => name)
    .filter((name) => !documents.has(name)),
  ...[...text.matchAll(/\bdecisions? \d+\b/gi)].map(([words]) => words),
];

test('sources and documents name no document that is not here', () => {
  const found = files
    .filter((name) => SOURCES.test(name) && name !== 'package-lock.json')
    .flatMap((name) => namedBy(readFileSync(name, 'utf8')).map((named) => `${name}: ${named}`));
  expect(found).toEqual([]);
});
