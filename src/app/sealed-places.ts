// Where tenants' files have sealed values: what the rooms hand in, for commands that open no room. The last one is last: see
// operations/seal-again.ts.
import { sealedLast } from '#src/accounts/tenants/master-key.ts';
import { sealedAddresses } from '#src/audience/people/erase.ts';
import { sealedKeys } from '#src/domains/keys/keys.ts';
import { sealed as sealedFollowers } from '#src/followers/sealed.ts';
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import { sealedBodies } from '#src/messages/sealed-content.ts';
import { sealedCaptures } from '#src/relay/capture/upstream.ts';

export const tenantPlaces: readonly SealedPlace[] = [
  sealedKeys,
  sealedBodies,
  sealedCaptures,
  sealedAddresses,
  ...(sealedFollowers.tenant ?? []),
  sealedLast,
];
