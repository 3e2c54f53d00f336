// What `sendwerk fleet` makes of what the hosts say, without hosts: the flow with two of them is test/flows/fleet.test.ts.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Placed } from '#src/app/cli/fleet/directory.ts';
import { noteHeir, readFleet } from '#src/app/cli/fleet/file.ts';
import { levelling } from '#src/app/cli/fleet/list.ts';
import { mapsOf } from '#src/app/cli/fleet/maps.ts';
import { shares } from '#src/app/cli/fleet/take-over.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const hostLines = (name: string, address: string, more = ''): string =>
  `    url: https://${name}\n    name: ${name}\n    address: [${address}]\n    token_file: t\n${more}`;

const written = async (more = ''): Promise<string> => {
  const file = path.join(await temporaryDirectory(), 'fleet.yaml');
  const [one, two] = [
    hostLines('mail1.example.com', '192.0.2.1', more),
    hostLines('mail2.example.com', '2001:db8::2'),
  ];
  await writeFile(file, `# Ours.\nhosts:\n  one: # the first\n${one}  two:\n${two}`);
  return file;
};

const practice = (slug: string, host: string, bytes = 1): Placed => ({
  ...{ id: `${slug}-id`, slug, host, bytes },
  ...{ tokens: [`${slug}-token`], hooks: [], hosts: [`${slug}.example`] },
});

test('the names of a lost host lead to its heir, and its mail to the address of that one', async () => {
  const file = await written();
  await noteHeir(file, 'one', 'two');
  expect(await readFile(file, 'utf8')).toMatch(/^# Ours\.\nhosts:\n {2}one:\n? *# the first\n/);
  const fleet = readFleet(file);
  const directory = { placed: [practice('a', 'two')], silent: new Map(), twice: [] };
  const files = mapsOf(fleet, directory, () => '');
  expect(files['names.map']?.split('\n')).toContain('mail1.example.com two');
  expect(files['tokens.map']).toBe('a-token two\n');
  expect(files['addresses.zone']).toBe(
    'mail1.example.com. 300 IN AAAA 2001:db8::2\nmail2.example.com. 300 IN AAAA 2001:db8::2\n',
  );
});

test('what the maps say of a host that does not answer stays, unless another host has the practice', async () => {
  const fleet = readFleet(await written());
  const directory = { placed: [practice('b', 'two')], silent: new Map([['one', 'timeout']]), twice: [] };
  const before = 'a-token one\nb-token one\nc-token two\n';
  const files = mapsOf(fleet, directory, (name) => (name === 'tokens.map' ? before : ''));
  expect(files['tokens.map']).toBe('a-token one\nb-token two\n');
});

test('what is no single word never becomes a line of a map', async () => {
  const fleet = readFleet(await written());
  const forged = { ...practice('a', 'one'), hooks: ['x one\nmail2.example.com'] };
  const files = mapsOf(fleet, { placed: [forged], silent: new Map(), twice: [] }, () => '');
  expect(files['hooks.map']).toBe('a-id one\n');
});

test.each([
  ['an heir that is not there', '    heir: three\n', /heir: three is no host that lives/],
  ['a host that is its own heir', '    heir: one\n', /heir: one is no host that lives/],
  ['an unknown key', '    tokens: x\n', /a known key/],
])('%s is refused', async (_, more, refusal) => {
  const file = await written(more);
  expect(() => readFleet(file)).toThrow(refusal);
});

test('a plan moves the largest practices that make the hosts more alike, and no more of them', () => {
  const placed = [
    practice('a', 'one', 60),
    practice('b', 'one', 30),
    practice('c', 'one', 20),
    practice('d', 'two', 10),
  ];
  const said = levelling(['one', 'two'], placed, 10).map(({ practice: { slug }, to }) => `${slug} ${to}`);
  expect(said).toEqual(['a two', 'd one']);
  expect(levelling(['one', 'two'], [practice('a', 'one', 60)], 10)).toEqual([]);
  expect(levelling(['one', 'two'], placed, 1)).toHaveLength(1);
});

test('the practices of a lost host are shared by their size', () => {
  const taken = [1, 5, 4, 3].map((bytes) => ({ id: `i${bytes}`, slug: `s${bytes}`, bytes }));
  const to = shares(taken, ['two', 'three']).map(({ slug, to: host }) => `${slug} ${host}`);
  expect(to).toEqual(['s5 two', 's4 three', 's3 three', 's1 two']);
});
