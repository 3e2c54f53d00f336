-- The registry of the installation: what must be found without opening a tenant's file.

CREATE TABLE tenants (
  -- short name of the tenant in return paths; never used twice
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  slug       TEXT NOT NULL UNIQUE,
  -- 'creating' until its file is complete: what a crash left in that state is removed at the next start
  state      TEXT NOT NULL CHECK (state IN ('creating', 'active')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE domains (
  name       TEXT PRIMARY KEY,
  tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  kind       TEXT NOT NULL CHECK (kind IN ('managed', 'custom')),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX domains_tenant ON domains (tenant_id);

-- What the DNS serves at <token>.dkim.<service host>; the private half lies sealed in the tenant's file.
CREATE TABLE dkim_tokens (
  token      TEXT PRIMARY KEY,
  tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  domain     TEXT NOT NULL,
  record     TEXT NOT NULL,
  position   INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX dkim_tokens_domain ON dkim_tokens (domain, position);
CREATE INDEX dkim_tokens_tenant ON dkim_tokens (tenant_id);

-- SHA-256 of each live token. The record that its owner sees lies in the tenant's file.
CREATE TABLE credentials (
  hash       BLOB PRIMARY KEY,
  token_id   TEXT NOT NULL UNIQUE,
  tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  project_id TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX credentials_tenant ON credentials (tenant_id);

-- Tenants whose queue may hold something: never later than the next due time in their file.
CREATE TABLE queue_due (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  due_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A value sealed under the master key, so that a start with another key is noticed before anything is sealed with it.
CREATE TABLE master_key_check (
  only   INTEGER PRIMARY KEY CHECK (only = 1),
  sealed BLOB NOT NULL
) STRICT;
