// What the rooms hand in for files that nobody uses: for commands, which open no room, and for a practice that arrives.
import { sealedLast } from '#src/accounts/tenants/master-key.ts';
import { sealedAddresses } from '#src/audience/people/erase.ts';
import { sealedKeys } from '#src/domains/keys/keys.ts';
import { sealed as sealedFollowers } from '#src/followers/sealed.ts';
import { holdForwards } from '#src/inbound/forwarding/held.ts';
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import { holdMail } from '#src/messages/queue/held.ts';
import { sealedBodies } from '#src/messages/sealed-content.ts';
import type { Restoring } from '#src/operations/staging.ts';
import { sessionStore } from '#src/people/sign-in-store.ts';
import { sealedCaptures } from '#src/relay/capture/upstream.ts';
import { loadSchema } from './schema.ts';

/** Where tenants' files have sealed values. The last one is last: see operations/seal-again.ts. */
export const tenantPlaces: readonly SealedPlace[] = [
  sealedKeys,
  sealedBodies,
  sealedCaptures,
  sealedAddresses,
  ...(sealedFollowers.tenant ?? []),
  sealedLast,
];

/** What is done to restored files before anyone else opens them. */
export const restoringOf = (): Restoring => ({
  schema: loadSchema(),
  holds: [holdMail, holdForwards],
  registry: (db) => sessionStore(db).removeAll(),
});
