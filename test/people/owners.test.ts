import { expect, test } from 'vitest';
import { accountStore } from '#src/accounts/entry/account-store.ts';
import { practiceOwners } from '#src/accounts/entry/owners.ts';
import { openPractice } from './practice.ts';

test('the service writes to the active owners of a practice, in the language of their account', async () => {
  const practice = await openPractice();
  const ownersOf = () => practiceOwners(practice.storage)(practice.tenantId);
  expect(await ownersOf()).toEqual([]);
  await practice.makeOwner('Anna@example.org');
  await practice.makeOwner('mary@example.org');
  await practice.invite('admin@example.org');
  await practice.invite('late@example.org', { roleId: 'owner' });
  const mary = await practice.account('mary@example.org');
  await practice.storage.platform.write((db) => accountStore(db).setLanguage(mary?.id ?? '', 'en'));
  expect(await ownersOf()).toEqual([
    { email: 'Anna@example.org', language: 'de' },
    { email: 'mary@example.org', language: 'en' },
  ]);
});
