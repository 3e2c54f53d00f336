import { expect, test } from 'vitest';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import { type CsvReading, csvTable } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';

/** `names`: of the caller at each page; the one after the last of them is refused. */
const readingFor = (...names: readonly string[]): CsvReading => {
  const [caller = anonymous, ...callers] = names.map((name): Caller => ({ ...anonymous, name }));
  const files = { read: async (_: string, work: (db: TenantDb) => unknown) => work(null as never) };
  const readmit = async (): Promise<Caller> => {
    const next = callers.shift();
    if (next) return next;
    throw new AppError('unauthorized', say`no more`);
  };
  return {
    files: files as unknown as TenantFiles,
    tenantId: 't',
    request: { caller, readmit, answerLanguage: 'en' },
  };
};

/** Pages 0, 1 and 2, of which the second has no rows. */
const table = (reading: CsvReading): AsyncGenerator<string> =>
  csvTable(reading, ['page', 'reader'], (_, after, { name }) => ({
    made: after === 1 ? [] : [[after, name]],
    next: after === 2 ? null : after + 1,
  }));

test('a file begins with the mark of UTF-8 and its head line, and has all pages, each read by who the caller is then', async () => {
  expect(await Array.fromAsync(table(readingFor('anna', 'ben', 'cara', 'dora')))).toEqual([
    '\ufeffpage,reader\r\n',
    '0,anna\r\n',
    '',
    '2,cara\r\n',
  ]);
});

test('a file breaks off where the caller may no longer read it', async () => {
  const text = table(readingFor('anna', 'ben'));
  const read = [await text.next(), await text.next(), await text.next()].map(({ value }) => value);
  expect(read.slice(1)).toEqual(['0,anna\r\n', '']);
  await expect(text.next()).rejects.toThrow('no more');
});

test('a reading ends between pages, also where they have no rows', async () => {
  let pages = 0;
  const endless = csvTable(readingFor(...Array(10).fill('anna')), ['a'], () => {
    pages += 1;
    return { made: [], next: pages };
  });
  for (let count = 0; count < 3; count += 1) await endless.next();
  await endless.return(undefined);
  expect((await endless.next()).done).toBe(true);
  expect(pages).toBe(2);
});
