// Lists for tests of single parts of the audience, and the keys that their subscribers take.

import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import type { AudienceKeys } from '#src/audience/subscribers/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { DAY } from '#src/kernel/time.ts';
import { testTenantKey } from '#test/support/keys.ts';

export const audienceKeys: AudienceKeys = {
  suppressionKey: testTenantKey(1),
  ledger: {
    key: testTenantKey(2),
    kept: () => ({ consent_ip: 90 * DAY, consent_user_agent: 90 * DAY }),
  },
};

export const insertList = (db: TenantDb, fields: Partial<Omit<ListRow, 'seq'>> = {}): ListRow => {
  const row: Omit<ListRow, 'seq'> = {
    id: newId(),
    name: 'Newsletter',
    description: null,
    channel: 'newsletter',
    language: 'de',
    wording: 'Ich möchte den Newsletter der Praxis bekommen.',
    wording_version: 1,
    is_public: 1,
    two_steps: 0,
    tracking_consent: 'always',
    created_at: 0,
    archived_at: null,
    ...fields,
  };
  return { ...row, seq: listStore(db).insert(row) };
};
