// What the rooms hand in for files that nobody uses: for commands, which open no room, and for a practice that arrives.
import { sealedLast } from '#src/accounts/tenants/master-key.ts';
import { campaignStore } from '#src/audience/campaigns/store.ts';
import { sealedAddresses } from '#src/audience/people/erase.ts';
import { sealedKeys } from '#src/domains/keys/keys.ts';
import { sealed as sealedFollowers } from '#src/followers/sealed.ts';
import { holdForwards } from '#src/inbound/forwarding/held.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { sealingKeyOf } from '#src/kernel/keys.ts';
import type { Log } from '#src/kernel/log.ts';
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import { holdMail } from '#src/messages/queue/held.ts';
import { sealedBodies } from '#src/messages/sealed-content.ts';
import { sealClosedFile } from '#src/operations/seal-again.ts';
import type { Restoring } from '#src/operations/staging.ts';
import { sessionStore } from '#src/people/sign-in-store.ts';
import { sealedCaptures } from '#src/relay/capture/upstream.ts';
import { loadSchema } from './schema.ts';

/** Campaigns pause in a file that they do not know; a tenant that moves is worked on in one file alone. */
export const followFile = (db: TenantDb, from: string, to: string): void =>
  campaignStore(db).follow(from, to);

/** Where tenants' files have sealed values. The last one is last: see operations/seal-again.ts. */
export const tenantPlaces: readonly SealedPlace[] = [
  sealedKeys,
  sealedBodies,
  sealedCaptures,
  sealedAddresses,
  ...(sealedFollowers.tenant ?? []),
  sealedLast,
];

export const holds: Restoring['holds'] = [holdMail, holdForwards];

/** What is done to restored files before anyone else opens them. */
export const restoringOf = ({ secrets: { masterKey, formerMasterKey } }: Config, log: Log): Restoring => {
  const [present, former] = [masterKey, formerMasterKey].map(
    (key) => key && Buffer.from(key.reveal(), 'base64'),
  );
  return {
    schema: loadSchema(),
    holds,
    registry: (db) => sessionStore(db).removeAll(),
    sealAgain:
      present && former
        ? (db, id) =>
            sealClosedFile(db, id, tenantPlaces, (purpose) => sealingKeyOf(purpose, present, former), log)
        : null,
  };
};
