import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BlockList, createBlockList } from '#src/content/scanners/block-list.ts';
import { createLog } from '#src/kernel/log.ts';
import { createTestClock } from '#test/support/storage.ts';

let directory: string;
let file: string | undefined;
let lines: Record<string, unknown>[];
let list: BlockList;
/** Seconds, because the times of a file system may be too coarse for two writes. */
let written = 1_000_000_000;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'block-list-'));
  file = path.join(directory, 'hosts.txt');
  lines = [];
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) });
  list = createBlockList(() => file, createTestClock(), log);
});
afterEach(() => rm(directory, { recursive: true }));

const write = async (content: string | Buffer): Promise<void> => {
  const name = path.join(directory, 'hosts.txt');
  await writeFile(`${name}.new`, content);
  written += 1;
  await utimes(`${name}.new`, written, written);
  await rename(`${name}.new`, name);
  await list.refresh();
};
const listed = (...hosts: readonly string[]): string[] => list.find(hosts).map(({ host }) => host);

describe('a list', () => {
  test.each<[says: string, line: string, found: string, passed: string]>([
    ['a host', 'evil.example', 'evil.example', 'notevil.example evil.example.org example'],
    ['all below it', 'evil.example', 'www.evil.example a.b.evil.example', 'example'],
    ['a host below another', 'www.evil.example', 'www.evil.example x.www.evil.example', 'evil.example'],
    ['in any case', 'Evil.EXAMPLE', 'evil.example', ''],
    ['umlauts', 'böse.example', 'xn--bse-sna.example www.xn--bse-sna.example', ''],
    ['with a dot at its end', 'evil.example.', 'evil.example', ''],
    ['with a star', '*.evil.example', 'evil.example www.evil.example', ''],
    ['with a comment', 'evil.example # since May', 'evil.example', 'since'],
    ['an address', '192.0.2.7', '192.0.2.7', '7'],
    ['a whole top-level domain', 'zip', 'a.zip zip', 'a.zipper'],
    ['line ends of other systems', 'evil.example\r', 'evil.example', ''],
  ])('%s', async (_, line, found, passed) => {
    await write(`# hosts\n\n  ${line}\n`);
    expect(listed(...found.split(' '))).toEqual(found.split(' '));
    expect(listed(...passed.split(' ').filter(Boolean))).toEqual([]);
    expect(list.health()).toMatchObject({ name: 'link_blocklist', state: 'ok' });
  });

  test('names itself as local, and blocks', async () => {
    await write('evil.example');
    expect(list.find(['good.example', 'evil.example'])).toEqual([
      { host: 'evil.example', list: 'local', weight: 100 },
    ]);
  });

  test('may be empty', async () => {
    await write('');
    expect(listed('evil.example')).toEqual([]);
    expect(list.health().state).toBe('ok');
  });

  test('of 400,000 hosts is read while other work runs', async () => {
    const hosts = Array.from({ length: 400_000 }, (_, index) => `host-${index}.example`);
    await writeFile(path.join(directory, 'hosts.txt'), hosts.join('\n'));
    let beats = 0;
    const count = setInterval(() => {
      beats += 1;
    }, 1);
    await list.refresh();
    clearInterval(count);
    expect(listed('www.host-399999.example', 'host-400000.example')).toEqual(['www.host-399999.example']);
    expect(beats).toBeGreaterThan(10);
  });
});

describe('a file that changes', () => {
  test('is read again', async () => {
    await write('evil.example');
    await write('worse.example');
    expect(listed('evil.example', 'worse.example')).toEqual(['worse.example']);
  });

  test('is not read again before', async () => {
    await write('evil.example');
    await list.refresh();
    await list.refresh();
    expect(lines.filter(({ msg }) => msg === 'link block list read')).toHaveLength(1);
  });

  test('can be replaced by another one or none', async () => {
    await write('evil.example');
    const other = path.join(directory, 'other.txt');
    await writeFile(other, 'worse.example');
    file = other;
    await list.refresh();
    expect(listed('evil.example', 'worse.example')).toEqual(['worse.example']);
    file = undefined;
    await list.refresh();
    expect(listed('worse.example')).toEqual([]);
    expect(list.isConfigured()).toBe(false);
    expect(list.health().state).toBe('off');
  });
});

describe('an unusable file', () => {
  const spoil: readonly [says: string, spoil: () => Promise<void>][] = [
    ['gone', async () => rm(path.join(directory, 'hosts.txt'))],
    ['too large', () => write('worse.example\n'.repeat(800_000))],
    ['not in UTF-8', () => write(Buffer.from('b\xf6se.example', 'latin1'))],
    ['a page', () => write('<!doctype html>\n<title>Not found</title>\n')],
    ['with a mistake', () => write('worse.example\nnot a host\n')],
    ['with a URL', () => write('https://worse.example/\n')],
  ];

  test.each(spoil)('%s: the former list stays, and health says so, once', async (_, spoilIt) => {
    await write('evil.example');
    await spoilIt();
    await list.refresh();
    await list.refresh();
    expect(listed('evil.example', 'worse.example')).toEqual(['evil.example']);
    expect(list.health()).toMatchObject({ state: 'failing', last_failure_at: expect.any(String) });
    expect(lines.filter(({ msg }) => String(msg).includes('not usable'))).toHaveLength(1);
  });

  test('names the line', async () => {
    await write('evil.example\n# comment\nnot a host\nalso not one\n');
    expect(lines).toContainEqual(expect.objectContaining({ line: 3 }));
  });

  test('at the start its good lines count', async () => {
    await write('evil.example\nnot a host\n');
    expect(listed('evil.example')).toEqual(['evil.example']);
    expect(list.health().state).toBe('failing');
  });

  test('is used again when it is good', async () => {
    await write('evil.example');
    await write('not a host');
    await write('worse.example');
    expect(listed('evil.example', 'worse.example')).toEqual(['worse.example']);
    expect(list.health().state).toBe('ok');
  });
});
