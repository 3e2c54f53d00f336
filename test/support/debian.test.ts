// @module-tag slow
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execPath } from 'node:process';
import { afterAll, expect, test } from 'vitest';
import { tagsWithout } from './debian.ts';

const directory = mkdtempSync(join(tmpdir(), 'sendwerk-tags-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** In two parts, because vitest would take it for the tag of this file. */
const MODULE_TAG = ['@module', 'tag'].join('-');
const TAGGED = `// ${MODULE_TAG} debian/postfix
import { test } from 'vitest';
for (const tags of [['debian/swaks'], ['debian/swaks', 'debian/python3'], ['debian/python3', 'debian/swaks'], ['debian/python3']])
  test(tags.join(), { tags }, () => undefined);
`;

test('of the packages that a test needs, in whatever order, one that is missing leaves it out', () => {
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  const config = { test: { tags: tagsWithout(new Set(['swaks'])) } };
  writeFileSync(join(directory, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
  writeFileSync(join(directory, 'tagged.test.mjs'), TAGGED);
  const said = join(directory, 'said.json');
  const reporter = ['--reporter=json', `--outputFile=${said}`];
  execFileSync(execPath, [
    resolve('node_modules/vitest/vitest.mjs'),
    'run',
    '--root',
    directory,
    ...reporter,
  ]);
  const [file] = JSON.parse(readFileSync(said, 'utf8')).testResults;
  const outcomes = file.assertionResults.map(({ title, status }: Record<string, string>) => [title, status]);
  expect(outcomes).toEqual([
    ['debian/swaks', 'skipped'],
    ['debian/swaks,debian/python3', 'skipped'],
    ['debian/python3,debian/swaks', 'skipped'],
    ['debian/python3', 'passed'],
  ]);
});
