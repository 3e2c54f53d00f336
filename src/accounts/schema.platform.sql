-- What accounts/ keeps in the registry.

CREATE TABLE tenants (
  -- short name of the tenant in return paths; never used twice
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  slug       TEXT NOT NULL UNIQUE,
  -- 'creating' until its file is complete: what a crash left in that state is removed at the next start.
  -- 'arriving': it is complete here, and the host that it comes from has not given it up yet.
  -- 'moved': another host has it, and what comes for it here is handed on
  state      TEXT NOT NULL CHECK (state IN ('creating', 'active', 'arriving', 'moved')),
  -- 'system' is the one tenant that sends the service's own mail
  purpose    TEXT NOT NULL DEFAULT 'practice' CHECK (purpose IN ('practice', 'system')),
  created_at INTEGER NOT NULL,
  -- of one that has moved: where to, and until when it is handed on
  moved_json  TEXT,
  moved_until INTEGER,
  CHECK ((state = 'moved') = (moved_json IS NOT NULL) AND (moved_json IS NULL) = (moved_until IS NULL))
) STRICT;
CREATE INDEX tenants_moved ON tenants (moved_until) WHERE moved_until IS NOT NULL;
CREATE UNIQUE INDEX tenants_system ON tenants (purpose) WHERE purpose = 'system';

-- Which practice a project belongs to: requests may name a project alone.
CREATE TABLE projects (
  id        TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX projects_tenant ON projects (tenant_id);

-- Values sealed under the master key, so that a start with another key is noticed before anything is sealed with it.
CREATE TABLE master_key_check (
  only    INTEGER PRIMARY KEY CHECK (only = 1),
  sealed  BLOB NOT NULL,
  -- the same under the former key, until everything is sealed again; NULL: nothing is sealed under another key
  former  BLOB,
  -- the keys that outlast a change of the master key; NULL before the first change: they are derived from it
  lasting BLOB
) STRICT;

-- The lasting keys of tenants that have others than this installation gives them: they came from another host, or the registry
-- was lost after a change of the master key. Sealed; the tenant's file has the same.
CREATE TABLE tenant_keys (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  sealed    BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Mails of the service that are still to be handed to its own pipeline; sealed, for they hold codes and links.
CREATE TABLE notices (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  sealed     BLOB NOT NULL,
  -- after that its content is no longer true
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE abuse_tickets (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  stage          TEXT NOT NULL CHECK (stage IN ('open', 'investigating', 'closed')),
  reporter_email TEXT NOT NULL,
  -- what spellings of the address have in common
  reporter_key   TEXT NOT NULL,
  reporter_name  TEXT,
  language       TEXT NOT NULL CHECK (language <> ''),
  subject        TEXT NOT NULL,
  description    TEXT NOT NULL,
  -- of the reported mail, in abuse_ticket_sources; NULL: none
  source_bytes   INTEGER,
  -- the tenant that the operator found responsible
  tenant_id      TEXT REFERENCES tenants (id) ON DELETE SET NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX abuse_tickets_stage ON abuse_tickets (stage, seq);
CREATE INDEX abuse_tickets_open ON abuse_tickets (reporter_key) WHERE stage = 'open';

-- Apart, because they are large and lists and counts need none of them.
CREATE TABLE abuse_ticket_sources (
  ticket_id TEXT PRIMARY KEY REFERENCES abuse_tickets (id) ON DELETE CASCADE,
  content   BLOB NOT NULL
) STRICT;

CREATE TABLE abuse_ticket_steps (
  seq       INTEGER PRIMARY KEY AUTOINCREMENT,
  ticket_id TEXT NOT NULL REFERENCES abuse_tickets (id) ON DELETE CASCADE,
  stage     TEXT NOT NULL CHECK (stage IN ('open', 'investigating', 'closed')),
  note      TEXT,
  at        INTEGER NOT NULL
) STRICT;
CREATE INDEX abuse_ticket_steps_ticket ON abuse_ticket_steps (ticket_id, seq);

CREATE TABLE waitlist (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  email_key  TEXT NOT NULL UNIQUE,
  email      TEXT NOT NULL,
  name       TEXT,
  plan       TEXT NOT NULL,
  note       TEXT,
  created_at INTEGER NOT NULL,
  -- of the last request with that address; the other columns are those of the first one
  asked_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX waitlist_plan ON waitlist (plan, seq);

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

-- SHA-256 of the token in the link.
CREATE TABLE invitations (
  hash       BLOB PRIMARY KEY,
  account_id TEXT NOT NULL,
  tenant_id  TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (account_id, tenant_id),
  FOREIGN KEY (account_id, tenant_id) REFERENCES memberships (account_id, tenant_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
