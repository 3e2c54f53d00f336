// What the operations on a tenant's domains are given.

import type { Notices, OwnersOf } from '#src/accounts/mails/outbox.ts';
import type { KeyedQueue } from '#src/kernel/concurrency.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import type { Log } from '#src/kernel/log.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { BadRecords } from './custom/bad-records.ts';
import type { ServiceNames } from './custom/rules.ts';
import type { KeySettings } from './keys/key-rules.ts';
import type { GenerateKeyPair } from './keys/keys.ts';
import type { Signers } from './keys/signers.ts';

export interface DomainDeps extends ServiceNames {
  readonly storage: Storage;
  readonly clock: Clock;
  /** The queue of a tenant: changes of its domains and keys run in it one after the other. */
  readonly queue: KeyedQueue;
  readonly lookup: DnsLookup;
  /** Aborted when the service ends: lookups end early then, so their answers prove nothing. */
  readonly stopping: AbortSignal;
  readonly signers: Signers;
  readonly sealingKey: SealingKey;
  readonly generateKeyPair: GenerateKeyPair;
  readonly keySettings: (tenantId: string) => KeySettings;
  readonly notices: Notices;
  readonly ownersOf: OwnersOf;
  readonly badRecords: Pick<BadRecords, 'note'>;
  /** Origin under which owners sign in, for the links in mails. */
  readonly origin: string;
  readonly log: Log;
  /** A number in [0, 1) that spreads the times of checks. */
  readonly random: () => number;
}
