// Makes the registry's rows of a tenant again from its file, through what each room hands in (kernel/registers.ts). Registry and
// file never commit together: the file is complete before this, and where a crash comes between, it is run again.
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Registers } from '#src/kernel/registers.ts';

export interface RegisterOptions {
  readonly tenantId: string;
  /** The number in the tenant's file where it keeps it. */
  readonly number: number;
  readonly now: number;
}

/**
 * Reads the tenant's file; the result is called in one transaction of the registry, and returns what the operator should know: one
 * sentence for each thing that another tenant has and keeps. It throws AppError `conflict` where the tenant cannot be registered.
 * The room with the tenant's own row is the first.
 */
export const registration =
  (rooms: readonly Registers[]) =>
  (tenant: TenantDb, options: RegisterOptions): ((registry: PlatformDb) => string[]) => {
    let notes: string[] = [];
    const note = (sentence: string): void => {
      notes.push(sentence);
    };
    const writes = rooms.map((registers) => registers(tenant, { ...options, note }));
    return (registry) => {
      // A transaction may run twice.
      notes = [];
      for (const write of writes) write(registry);
      return notes;
    };
  };
