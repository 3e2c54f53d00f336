-- What people/ keeps in the file of each tenant.

CREATE TABLE api_tokens (
  id           TEXT PRIMARY KEY,
  -- SHA-256 of the token, by which the registry lets its bearer in
  hash         BLOB NOT NULL,
  name         TEXT NOT NULL,
  scope        TEXT NOT NULL CHECK (scope IN ('team', 'project')),
  project_id   TEXT REFERENCES projects (id),
  expires_at   INTEGER,
  allowed_json TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

-- Custom roles; those of the system are in the program.
CREATE TABLE roles (
  id               TEXT PRIMARY KEY,
  name             TEXT NOT NULL COLLATE NOCASE UNIQUE,
  permissions_json TEXT NOT NULL,
  created_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  id               TEXT PRIMARY KEY,
  email_key        TEXT NOT NULL UNIQUE,
  email            TEXT NOT NULL,
  -- of the system or of `roles`
  role_id          TEXT NOT NULL,
  -- 'invited' until the address has accepted
  status           TEXT NOT NULL CHECK (status IN ('invited', 'active')),
  all_projects     INTEGER NOT NULL CHECK (all_projects IN (0, 1)),
  project_ids_json TEXT NOT NULL,
  created_at       INTEGER NOT NULL,
  accepted_at      INTEGER,
  -- of the account, when it became a member
  language         TEXT NOT NULL CHECK (language <> ''),
  -- SHA-256 of the token in the link, and until when that is valid; null: no invitation is open
  invitation_hash       BLOB,
  invitation_expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX members_role ON members (role_id);
