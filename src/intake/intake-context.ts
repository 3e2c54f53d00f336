// What the way in works with. It is made once by the composition root, and everything that sends is handed the whole.
import type { KeyObject } from 'node:crypto';
import type { ContentCheck } from '#src/intake/content/check-content.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Limits } from '#src/kernel/limits.ts';
import type { Lane } from '#src/kernel/stream.ts';
import type { Clock } from '#src/kernel/time.ts';

/** Requests with one idempotency key run one after the other. */
export interface RequestQueue {
  /** A null key waits for no other. Rejects with `idempotency_in_progress` after half a minute of waiting. */
  run<T>(tenantId: string, key: string | null, work: () => Promise<T>): Promise<T>;
}

export interface IntakeContext {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly serviceHost: string;
  /** Unsubscribe links begin with it. */
  readonly publicOrigin: string;
  /** As configured now. */
  readonly limits: () => Limits;
  /** Addresses, or domains with a leading `@`, that safe mode lets through. */
  readonly safeModeAllowed: () => readonly string[];
  readonly content: ContentCheck;
  readonly requests: RequestQueue;
  /** Seals the content of the service's own mails; 32 bytes. */
  readonly contentKey: Buffer;
  readonly suppressionKey: KeyObject;
  /** Resolves once a restart would find that the tenant may have mail due; the result ends that hold. */
  readonly holdDue: (tenantId: string, dueAt: number) => Promise<() => void>;
  /** Called when something of the tenant is due. */
  readonly wake: (tenantId: string, lane: Lane, dueAt: number) => void;
  /** Called when a share of the plan's cap is reached of which the owners have not been notified. */
  readonly usageReached: (tenantId: string) => void;
}
