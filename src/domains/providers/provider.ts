// What is asked of a DNS provider at which the operator holds zones of practices. Nothing is changed or removed there.
import type { Text } from '#src/kernel/say.ts';
import type { WantedRecord } from '../records/host-check.ts';

/** Names and hosts are in lower case without a dot at their end, a TXT is one text without quotes. */
export interface ProviderRecord {
  readonly type: string;
  readonly name: string;
  readonly content: string;
}

export interface ProviderZone {
  readonly id: string;
  readonly name: string;
  /** Whether the provider's servers are those of the zone. */
  readonly isActive: boolean;
}

/** All reject with `conflict` where the provider refuses, and with `unavailable` where it may answer later. */
export interface DnsProvider {
  /** Texts name it so. */
  readonly name: string;
  /** What its token needs, in texts. */
  readonly tokenNeeds: Text;
  /** Null where there is none of that name, or none that the token may see. */
  findZone(name: string): Promise<ProviderZone | null>;
  /** All records at that very name. */
  recordsAt(zone: ProviderZone, name: string): Promise<readonly ProviderRecord[]>;
  /** Resolves also where the very same record is there already. */
  create(zone: ProviderZone, record: WantedRecord): Promise<void>;
}
