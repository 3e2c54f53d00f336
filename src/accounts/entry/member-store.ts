// Members and custom roles in the tenant's file: the truth about who may do what in it.

import type { Permission } from '#src/kernel/access.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import { findSystemRole, type Role, systemRoles } from './rules.ts';

export interface MemberRow {
  id: string;
  email_key: string;
  email: string;
  role_id: string;
  status: 'invited' | 'active';
  all_projects: 0 | 1;
  project_ids_json: string;
  created_at: number;
  accepted_at: number | null;
  /** The language of the account when it became a member, for a registry that no longer has it. */
  language: Language;
  /** SHA-256 of the token in the link; null: no invitation is open. */
  invitation_hash: Buffer | null;
  invitation_expires_at: number | null;
}

export interface RoleRow {
  id: string;
  name: string;
  permissions_json: string;
  created_at: number;
}

export const toRole = ({ id, name, permissions_json }: RoleRow): Role => ({
  id,
  slug: null,
  name,
  permissions: JSON.parse(permissions_json) as Permission[],
});

export const memberStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<MemberRow>(
    `INSERT INTO members (id, email_key, email, role_id, status, all_projects, project_ids_json, created_at, accepted_at,
       language, invitation_hash, invitation_expires_at)
     VALUES (:id, :email_key, :email, :role_id, :status, :all_projects, :project_ids_json, :created_at, :accepted_at,
       :language, :invitation_hash, :invitation_expires_at)`,
  );
  const update = db.prepare<Omit<MemberRow, 'email' | 'email_key' | 'language' | 'created_at'>>(
    `UPDATE members SET role_id = :role_id, status = :status, all_projects = :all_projects,
     project_ids_json = :project_ids_json, accepted_at = :accepted_at, invitation_hash = :invitation_hash,
     invitation_expires_at = :invitation_expires_at WHERE id = :id`,
  );
  const remove = db.prepare<[string]>('DELETE FROM members WHERE id = ?');
  const all = db.prepare<[], MemberRow>('SELECT * FROM members ORDER BY id');
  const count = db.prepare<[], number>('SELECT count(*) FROM members').pluck();
  const get = db.prepare<[string], MemberRow>('SELECT * FROM members WHERE id = ?');
  const byEmail = db.prepare<[string], MemberRow>('SELECT * FROM members WHERE email_key = ?');
  const withRole = db.prepare<[string], MemberRow>('SELECT * FROM members WHERE role_id = ? ORDER BY id');
  const roles = db.prepare<[], RoleRow>('SELECT * FROM roles ORDER BY id');
  const role = db.prepare<[string], RoleRow>('SELECT * FROM roles WHERE id = ?');
  const insertRole = db.prepare<RoleRow>(
    `INSERT INTO roles (id, name, permissions_json, created_at)
     VALUES (:id, :name, :permissions_json, :created_at)`,
  );
  const updateRole = db.prepare<RoleRow>(
    'UPDATE roles SET name = :name, permissions_json = :permissions_json WHERE id = :id',
  );
  const removeRole = db.prepare<[string]>('DELETE FROM roles WHERE id = ?');
  return {
    insert: (row: MemberRow): void => {
      insert.run(row);
    },
    update: (row: MemberRow): void => {
      update.run(row);
    },
    remove: (id: string): void => {
      remove.run(id);
    },
    all: (): MemberRow[] => all.all(),
    count: (): number => count.get() ?? 0,
    get: (id: string): MemberRow | undefined => get.get(id),
    byEmail: (emailKey: string): MemberRow | undefined => byEmail.get(emailKey),
    withRole: (roleId: string): MemberRow[] => withRole.all(roleId),
    owners: (): MemberRow[] => withRole.all(systemRoles.owner.id),
    /** Finds a role of the system or of this tenant by its id; a system role also by its slug. */
    role: (idOrSlug: string): Role | undefined => {
      const own = findSystemRole(idOrSlug) ?? role.get(idOrSlug);
      return own === undefined || 'permissions' in own ? own : toRole(own);
    },
    customRoles: (): RoleRow[] => roles.all(),
    customRole: (id: string): RoleRow | undefined => role.get(id),
    insertRole: (row: RoleRow): void => {
      insertRole.run(row);
    },
    updateRole: (row: RoleRow): void => {
      updateRole.run(row);
    },
    removeRole: (id: string): void => {
      removeRole.run(id);
    },
  };
});
