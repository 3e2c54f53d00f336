// Notifies the owners of a practice, and the operator, that a token is slowed: one mail each for each time. As with a pause, the
// tenant's file says that they are not yet notified, and the mails' ids, made of their content, let each go out once.

import { tokenStore } from '#src/accounts/entry/token-store.ts';
import { createOwnerNotifier, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import type { NoticeContent } from '#src/accounts/mails/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { answerDefault } from '#src/kernel/language.ts';
import { DAY } from '#src/kernel/time.ts';
import { type BrakeRow, brakeStore } from './store.ts';

type Slowed = Extract<NoticeContent, { kind: 'token_slowed' }>;

/** After that the notice would describe what is over. */
const NOTIFY_WITHIN_MS = 3 * DAY;

const contentOf = (db: TenantDb, row: BrakeRow, origin: string): Slowed | null => {
  const { token_id, slowed_at, slowed_by, reason_json, per_hour } = row;
  if (slowed_at === null || slowed_by === null || reason_json === null || per_hour === null) return null;
  const practice = tenantStore(db).practice();
  return {
    kind: 'token_slowed',
    practice: practice.name,
    token: tokenStore(db).get(token_id)?.name ?? token_id,
    at: slowed_at,
    by: slowed_by,
    reason: JSON.parse(reason_json),
    perHour: per_hour,
    link: dashboardLink(origin, { practice: practice.id, page: 'tokens' }),
  };
};

/** `operator`: the address of who runs the service; null where none is configured. */
export const createBrakeNotices = (deps: OwnerNoticesDeps, operator: () => string | null) => {
  const { files, ownersOf, origin } = deps;
  const everyone: OwnerNoticesDeps['ownersOf'] = async (tenantId) => {
    const owners = await ownersOf(tenantId);
    const email = operator();
    const isOwner = owners.some((owner) => owner.email.toLowerCase() === email?.toLowerCase());
    return email === null || isOwner ? owners : [...owners, { email, language: answerDefault }];
  };
  return createOwnerNotifier(
    { ...deps, ownersOf: everyone },
    {
      // A write, although it changes nothing: it runs after the transaction of the caller and waits for its sync.
      find: (tenantId) =>
        files.write(tenantId, (db) =>
          brakeStore(db)
            .untold()
            .flatMap((row) => {
              const content = contentOf(db, row, origin);
              if (content === null) return [];
              return [
                {
                  content,
                  tokenId: row.token_id,
                  occasion: [row.token_id, content.at],
                  expiresIn: NOTIFY_WITHIN_MS,
                },
              ];
            }),
        ),
      mark: (db, { tokenId, content }) => {
        const row = brakeStore(db).brake(tokenId);
        if (row.slowed_at === content.at) brakeStore(db).put({ ...row, told: 1 });
      },
      failure: 'owners and operator could not be notified of a slowed token',
    },
  );
};
