-- What inbound/ keeps in the registry.

-- Tenants that receive mail at their hosts `in.…`: a tenant is here before its file says so, and for as long as it does, so that
-- strangers make no other file be opened.
CREATE TABLE inbound_tenants (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Which practice and project an inbound hook sends for, and SHA-256 of its secrets. The record that its owner sees, from which this
-- row can be made again, is in the tenant's file.
CREATE TABLE inbound_hooks (
  id           TEXT PRIMARY KEY,
  tenant_id    TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  -- null: the default project
  project_id   TEXT,
  hash         BLOB NOT NULL,
  -- the secret before the last rotation, which is valid until `former_until`
  former_hash  BLOB,
  former_until INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX inbound_hooks_tenant ON inbound_hooks (tenant_id);
