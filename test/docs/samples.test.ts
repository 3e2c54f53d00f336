// The commands and the code of README and docs are run, page by page and in their order, against a playground: what a reader
// pastes works as it stands. What is not run says why (not-run.ts), and names.test.ts looks at what it names.
// @module-tag slow
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Block, blocksOf, documentNames } from '#test/support/document-samples.ts';
import { startPlayground } from '#test/support/playground.ts';
import { exceptionOf, notRun } from './not-run.ts';

const CODE = /^(?:sh|js|python|php|go)$/;
const allOf = (page: string): readonly Block[] =>
  blocksOf(page).filter(({ language }) => CODE.test(language));

const pages = documentNames()
  .map((page) => [page, allOf(page).filter((block) => exceptionOf(block) === undefined)] as const)
  .filter(([, blocks]) => blocks.length > 0);

let shell: Awaited<ReturnType<typeof startPlayground>>;
beforeAll(async () => {
  shell = await startPlayground({ 'logo.png': readFileSync('docs/images/practices.png') });
});
afterAll(() => shell.stop());

test('each exception is one of a block that is there, and names a test that is there', () => {
  const used = new Set(documentNames().flatMap(allOf).map(exceptionOf));
  expect(notRun.filter((exception) => !used.has(exception))).toEqual([]);
  expect(notRun.filter(({ runBy }) => runBy !== undefined && !existsSync(runBy))).toEqual([]);
});

test('many pages are run', () => expect(pages.length).toBeGreaterThan(12));

test.each(pages)('%s', { tags: 'debian/swaks' }, async (_, blocks) => {
  const printed = await shell.run(blocks);
  // What jq prints for a field that is not there.
  expect(printed.split('\n')).not.toContain('null');
});
