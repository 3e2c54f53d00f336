// What it takes to change a practice's domains.

import type { Notices } from '#src/accounts/mails/outbox.ts';
import type { OwnersOf } from '#src/accounts/mails/tell-owners.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { ServiceNames } from './custom/rules.ts';
import type { GenerateKeyPair } from './keys/keys.ts';
import type { Signers } from './keys/signers.ts';

export interface DomainDeps extends ServiceNames {
  readonly storage: Storage;
  readonly clock: Clock;
  /** One for all that changes a tenant's domains or keys. */
  readonly queue: KeyedQueue;
  readonly lookup: DnsLookup;
  /** The service ends: what the DNS was asked is not heeded any more. */
  readonly stopping: AbortSignal;
  readonly signers: Signers;
  readonly sealingKey: Buffer;
  readonly generateKeyPair: GenerateKeyPair;
  readonly notices: Notices;
  readonly ownersOf: OwnersOf;
  /** Where owners sign in. */
  readonly origin: string;
  readonly log: Log;
  /** In [0, 1): spreads the looks. */
  readonly random: () => number;
}
