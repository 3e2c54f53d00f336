-- What people/ keeps in the registry.

-- SHA-256 of each token. The record that its owner sees, from which this row can be made again, is in the tenant's file.
CREATE TABLE credentials (
  hash       BLOB PRIMARY KEY,
  token_id   TEXT NOT NULL UNIQUE,
  tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  project_id TEXT,
  -- for the audit
  name       TEXT NOT NULL DEFAULT '',
  expires_at INTEGER,
  -- networks (CIDR) that the token may be used from; null: from anywhere
  allowed_json TEXT,
  created_at INTEGER NOT NULL,
  -- a revoked token is kept for some months, so that a program that still uses it learns why it is refused
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX credentials_tenant ON credentials (tenant_id);
CREATE INDEX credentials_revoked ON credentials (revoked_at) WHERE revoked_at IS NOT NULL;

-- An e-mail address that is a member of at least one tenant, or that signed in as an operator's.
CREATE TABLE accounts (
  id         TEXT PRIMARY KEY,
  email_key  TEXT NOT NULL UNIQUE,
  email      TEXT NOT NULL,
  language   TEXT NOT NULL CHECK (language <> ''),
  -- argon2id in PHC string form
  password   TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where to look for a member: the tenant's file says what the member may do, and without a row there this one opens nothing.
CREATE TABLE memberships (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, tenant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_tenant ON memberships (tenant_id);

-- SHA-256 of the bearer.
CREATE TABLE sessions (
  hash         BLOB PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- how its owner signed in
  method       TEXT NOT NULL CHECK (method IN ('code', 'password', 'invitation')),
  -- of the request that signed in, both shortened, so that its owner knows it again
  user_agent     TEXT NOT NULL,
  client_address TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_last_used ON sessions (last_used_at);
CREATE INDEX sessions_created ON sessions (created_at);

-- The live code of an address. Known and unknown addresses have the same rows, so that nothing tells them apart. Address and
-- code are HMACs under a key derived from the master key: six digits could be guessed from a plain hash.
CREATE TABLE sign_in_codes (
  email_mac  BLOB PRIMARY KEY,
  code_mac   BLOB NOT NULL,
  attempts   INTEGER NOT NULL,
  -- wrong guesses at the codes before this one, since the last right one
  failures   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- when the row may go: later where there were wrong guesses
  forget_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_codes_forget ON sign_in_codes (forget_at);

-- SHA-256 of the token in the link.
CREATE TABLE invitations (
  hash       BLOB PRIMARY KEY,
  account_id TEXT NOT NULL,
  tenant_id  TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (account_id, tenant_id),
  FOREIGN KEY (account_id, tenant_id) REFERENCES memberships (account_id, tenant_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
