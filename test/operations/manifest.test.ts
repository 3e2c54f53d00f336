import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type BackupFile,
  type BackupTenant,
  type Manifest,
  readManifest,
  tenantFile,
} from '#src/operations/manifest.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const FILE: BackupFile = {
  bytes: 4_096,
  sha256: 'ab'.repeat(32),
  schema: { version: 1, hash: -5 },
  counts: { messages: 3, ledger_head: '2 00ff' },
  source: null,
};
const TENANT: BackupTenant = { ...FILE, id: '01900000-0000-7000-8000-000000000001', slug: 'praxis' };
const MANIFEST: Manifest = {
  format: 1,
  program: '0.9.0',
  began_at: '2026-11-24T02:00:00.000Z',
  ended_at: '2026-11-24T02:00:05.000Z',
  master_key: '0123456789abcdef',
  former_master_key: null,
  platform: FILE,
  tenants: [TENANT],
  missing: [],
};

const readAs = async (content: string) => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'manifest.json'), content);
  return readManifest(directory);
};

test('a manifest is read as it was written', async () => {
  expect(await readAs(JSON.stringify(MANIFEST))).toEqual(MANIFEST);
});

test('one that was made before both keys were noted has one', async () => {
  const { former_master_key: _, ...before } = MANIFEST;
  expect(await readAs(JSON.stringify(before))).toEqual(MANIFEST);
});

test.each([
  ['of a newer program', { ...MANIFEST, format: 2 }, /newer version of the program: use that one/],
  ['with a file that has no checksum', { ...MANIFEST, platform: { ...FILE, sha256: '' } }, /is damaged/],
  [
    'with a tenant whose id leads elsewhere',
    { ...MANIFEST, tenants: [{ ...TENANT, id: '../x' }] },
    /is damaged/,
  ],
])('one %s is refused', async (_, content, reason) => {
  await expect(readAs(JSON.stringify(content))).rejects.toThrow(reason);
});

test('half of one, and none, are refused', async () => {
  await expect(readAs(JSON.stringify(MANIFEST).slice(0, 200))).rejects.toThrow(/is damaged/);
  await expect(readManifest(await temporaryDirectory())).rejects.toThrow(/is no backup/);
});

test('the file of a tenant has its place by its id', () => {
  expect(tenantFile(TENANT.id)).toBe(`tenants/${TENANT.id}/tenant.db`);
});
