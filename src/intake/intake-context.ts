// What the operations of this room work with, handed whole to each of them.

import type { Answering } from '#src/accounts/tenants/reply-address.ts';
import type { ContentCheck } from '#src/content/check-content.ts';
import type { Brake } from '#src/feedback/brake/brake.ts';
import type { Base } from '#src/kernel/base.ts';
import type { Config, Settings } from '#src/kernel/config/config.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { RelaySignals } from '#src/messages/open.ts';
import type { ImageLinks } from './images/image-links.ts';
import type { acceptedMessages } from './metrics.ts';

/** Requests with one idempotency key run one after the other. */
export interface RequestQueue {
  /** A null key waits for no other. Rejects with `idempotency_in_progress` after half a minute of waiting. */
  run<T>(tenantId: string, key: string | null, work: () => Promise<T>): Promise<T>;
}

/** See `Upstreams` of the relay. */
export interface Utf8Addresses {
  readonly takes: (tenantId: string) => boolean;
  /** Never rejects. */
  readonly learn: (tenantId: string) => Promise<void>;
}

export interface IntakeContext extends Pick<Base, 'clock' | 'limits' | 'simulatorDomain'> {
  readonly config: () => Settings & Pick<Config, 'upstreams'>;
  readonly files: TenantFiles;
  readonly content: ContentCheck;
  readonly requests: RequestQueue;
  /** Seals the content of the service's own mails. */
  readonly contentKey: SealingKey;
  readonly suppressionKey: TenantKey;
  /** Whether the tenant's mail can go to addresses that are not ASCII; `learn` asks its upstreams where that is not known. */
  readonly utf8: Utf8Addresses;
  /** Slows tokens that leave their usual range. */
  readonly brake: Pick<Brake, 'factsOf' | 'tally' | 'apply'>;
  readonly answering: () => Answering;
  readonly images: ImageLinks;
  /** Whether the last check of a custom domain found its DKIM records to be wrong. */
  readonly isDkimBroken: (db: TenantDb, host: string) => boolean;
  /** Resolves once a restart would find that the tenant may have mail due; the result ends that hold. */
  readonly holdDue: (tenantId: string, dueAt: number) => Promise<() => void>;
  /** See `RelaySignals` of the room of messages. */
  readonly claimAlong: RelaySignals['claimAlong'];
  /** Called when something of the tenant is due. */
  readonly wake: RelaySignals['wake'];
  /** Called when messages of the tenant have been stored. */
  readonly stored: (tenantId: string) => void;
  /** Called when a share of the plan's cap is reached of which the owners have not been notified. */
  readonly usageReached: (tenantId: string) => void;
  /** Counts each message that was accepted, once it is on the disk. */
  readonly accepted: ReturnType<typeof acceptedMessages>;
}
