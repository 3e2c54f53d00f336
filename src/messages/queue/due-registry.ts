// Keeps, for each tenant, a time in the registry that is never later than the next due time in the tenant's own file. So after a
// restart it is known which files to open and when, and no accepted message can be forgotten. Lowering the time is part of
// accepting a message (the answer waits for it); raising and clearing are not urgent and are written together later, so that a
// tenant that sends now and then costs no second write for each message.
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { dueStore } from './due-store.ts';

export interface DueRegistry {
  /** The times that the last process wrote. */
  load(): Promise<Map<string, number>>;
  /**
   * Resolves when the registry durably holds a time not after `dueAt`, and keeps it there until the function it
   * resolves with is called: by then the caller must have woken the dispatcher.
   */
  hold(tenantId: string, dueAt: number): Promise<() => void>;
  /** The tenant is gone, and its row with it. */
  forget(tenantId: string): void;
  /** Sets the registry to the times that are really next, as `nextDue` knows them at this moment. */
  settle(nextDue: (tenantId: string) => number | null): Promise<void>;
}

/** `expectWrite`: see TenantFiles; what is held is written next. */
export const createDueRegistry = (
  platform: DurableFile<PlatformDb>,
  expectWrite: (tenantId: string) => void = () => undefined,
): DueRegistry => {
  const registered = new Map<string, number>();
  /** Writes in progress that lower a time: a caller that relies on one waits for it. */
  const lowering = new Map<string, Promise<void>>();
  const holds = new Map<string, number>();

  const lower = (tenantId: string, dueAt: number): Promise<void> => {
    registered.set(tenantId, dueAt);
    const written = platform
      .write((db) => dueStore(db).set(tenantId, dueAt))
      .catch((error) => {
        registered.delete(tenantId);
        throw error;
      })
      .finally(() => {
        if (lowering.get(tenantId) === written) lowering.delete(tenantId);
      });
    lowering.set(tenantId, written);
    return written;
  };

  const release = (tenantId: string): void => {
    const count = (holds.get(tenantId) ?? 0) - 1;
    if (count > 0) holds.set(tenantId, count);
    else holds.delete(tenantId);
  };

  return {
    load: async () => {
      for (const row of await platform.read((db) => dueStore(db).all()))
        registered.set(row.tenant_id, row.due_at);
      return new Map(registered);
    },
    hold: async (tenantId, dueAt) => {
      holds.set(tenantId, (holds.get(tenantId) ?? 0) + 1);
      expectWrite(tenantId);
      try {
        const known = registered.get(tenantId);
        await (known !== undefined && known <= dueAt ? lowering.get(tenantId) : lower(tenantId, dueAt));
      } catch (error) {
        release(tenantId);
        throw error;
      }
      return () => release(tenantId);
    },
    forget: (tenantId) => {
      registered.delete(tenantId);
    },
    settle: async (nextDue) => {
      const changes: [string, number | null][] = [];
      for (const [tenantId, known] of registered) {
        const next = nextDue(tenantId);
        if (holds.has(tenantId) || lowering.has(tenantId) || (next !== null && next <= known)) continue;
        changes.push([tenantId, next]);
        if (next === null) registered.delete(tenantId);
        else registered.set(tenantId, next);
      }
      if (changes.length === 0) return;
      // Writes are carried out in the order of their calls: a later lowering wins.
      await platform.write((db) => {
        for (const [tenantId, dueAt] of changes) dueStore(db).correct(tenantId, dueAt);
      });
    },
  };
};
