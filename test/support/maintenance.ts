// The maintenance threads that all installations of a test process share: starting two for each costs more than most
// tests. They end with the process.
import { loadSchema } from '#src/app/schema.ts';
import { createMaintenance, type Maintenance } from '#src/kernel/db/maintenance.ts';

let shared: Maintenance | undefined;

export const sharedMaintenance = (): Maintenance => {
  shared ??= createMaintenance(loadSchema());
  return shared;
};
