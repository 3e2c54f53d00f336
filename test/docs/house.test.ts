// The documents of the house: short, with the picture of today's imports, and naming only what is there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPicture } from '#test/support/house-picture.ts';

const SRC = join(import.meta.dirname, '..', '..', 'src');
const MAX_WORDS = 3_000;
const MAX_LINES = 60;
const rooms = readdirSync(SRC, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const pageOf = (room: string): string => readFileSync(join(SRC, room, 'README.md'), 'utf8');

test('the picture in ARCHITECTURE.md is that of the imports (`npm run format` draws it again)', () => {
  const { is, wanted } = readPicture();
  expect(is).toContain('```mermaid\nflowchart TD\n');
  expect(is).toBe(wanted);
});

test('ARCHITECTURE.md is read in a quarter of an hour', () => {
  expect(readPicture().is.split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS);
});

test.each(rooms)('the page of %s is short, and names files that exist', (room) => {
  const page = pageOf(room);
  expect(page.split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  const named = [...page.matchAll(/`((?:[\w-]+\/)*[\w-]+(?:\.ts|\/))`/g)].map(([, path = '']) => path);
  const isThere = (path: string): boolean =>
    [join(SRC, room), SRC, join(SRC, '..')].some((place) => existsSync(join(place, path)));
  expect(named.filter((path) => !path.startsWith('dist/') && !isThere(path))).toEqual([]);
});
