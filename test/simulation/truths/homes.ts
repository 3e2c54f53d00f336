// Where a tenant's file is: on the first host, on the other one once it has moved, or nowhere while it moves or once it is erased.
import type { Scene, Service } from '../scene.ts';
import { rows, value } from './sql.ts';

export interface Tenant {
  readonly id: string;
  readonly number: number;
  readonly slug: string;
  readonly state: string;
  readonly purpose: string;
}

export interface Host {
  readonly service: Service;
  /** Those that are there now. */
  tenants: ReadonlyMap<string, Tenant>;
  /** When something of them is due, as the registry knows it. */
  due: ReadonlyMap<string, number>;
  /** All that ever were, for return paths of mail that left before. */
  readonly byNumber: Map<number, string>;
  version: number;
  generation: number;
  /** Since the last look. */
  hasChanged: boolean;
}

export const hostsOf = ({ service, other }: Pick<Scene, 'service' | 'other'>): readonly Host[] =>
  [service, other].map((one) => ({
    service: one,
    tenants: new Map(),
    due: new Map(),
    byNumber: new Map(),
    version: -1,
    generation: -1,
    hasChanged: false,
  }));

/** Reads the registry where it has changed. True where the host can be looked at. */
export const lookAtHost = (host: Host): boolean => {
  const { service } = host;
  host.hasChanged = false;
  if (!service.isUp()) return false;
  service.look(null, (db) => {
    const version = value<number>(db, 'PRAGMA data_version') ?? 0;
    if (version === host.version && service.generation() === host.generation) return;
    host.hasChanged = true;
    host.version = version;
    host.generation = service.generation();
    const found = rows<Tenant>(db, 'SELECT id, number, slug, state, purpose FROM tenants');
    host.tenants = new Map(found.map((tenant) => [tenant.id, tenant]));
    for (const { id, number } of found) host.byNumber.set(number, id);
    const due = rows<{ tenant_id: string; due_at: number }>(db, 'SELECT tenant_id, due_at FROM queue_due');
    host.due = new Map(due.map(({ tenant_id, due_at }) => [tenant_id, due_at]));
  });
  return true;
};

/** The service that has the file and works on it; null: none does at present. */
export const homeOf = (scene: Pick<Scene, 'service' | 'other'>, tenantId: string): Service | null => {
  for (const service of [scene.service, scene.other]) {
    if (!service.isUp()) continue;
    const state = service.look(null, (db) =>
      value<string>(db, 'SELECT state FROM tenants WHERE id = ?', tenantId),
    );
    if (state === 'active') return service;
  }
  return null;
};
