// Columns of exports that say to which project and route a row belongs.
import type { Columns } from '#src/kernel/csv-file.ts';
import { tenantStore } from './store.ts';

export const projectColumn: Columns<{ readonly project_id: string }> = {
  project: ['slug', ({ project_id }, db) => tenantStore(db).project(project_id)?.slug ?? null],
};

export const divisionColumns: Columns<{ readonly project_id: string; readonly route_id: string }> = {
  ...projectColumn,
  route: ['slug', ({ route_id }, db) => tenantStore(db).route(route_id)?.slug ?? null],
};
