-- The registry of the installation: what must be found without opening a tenant's file, and what belongs to no tenant:
-- accounts, sessions, codes, invitations, notices, abuse tickets, the waiting list, and the audit of all that. Times are
-- milliseconds since the epoch; ids are UUIDv7 in text form; *_json columns hold JSON that no query looks into.

CREATE TABLE tenants (
  -- short name of the tenant in return paths; never used twice
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  slug       TEXT NOT NULL UNIQUE,
  -- 'creating' until its file is complete: what a crash left in that state is removed at the next start
  state      TEXT NOT NULL CHECK (state IN ('creating', 'active')),
  -- 'system' is the one tenant that sends the service's own mail
  purpose    TEXT NOT NULL DEFAULT 'practice' CHECK (purpose IN ('practice', 'system')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tenants_system ON tenants (purpose) WHERE purpose = 'system';

-- Which practice a project belongs to: requests may name a project alone.
CREATE TABLE projects (
  id        TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX projects_tenant ON projects (tenant_id);

CREATE TABLE domains (
  name         TEXT PRIMARY KEY,
  -- the organizational domain that a custom domain belongs to, or is
  organization TEXT,
  tenant_id    TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  kind         TEXT NOT NULL CHECK (kind IN ('managed', 'custom')),
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX domains_tenant ON domains (tenant_id);
CREATE INDEX domains_organization ON domains (organization) WHERE organization IS NOT NULL;

-- What the DNS serves at <token>.dkim.<service host>; the private half is sealed in the tenant's file.
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

-- SHA-256 of each token. The record that its owner sees is in the tenant's file.
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

-- Public halves of the keys that sign evidence of consent. Those that were replaced stay, so that what they signed can be checked.
CREATE TABLE evidence_keys (
  fingerprint TEXT PRIMARY KEY,
  x           TEXT NOT NULL, -- 32 bytes, base64url
  since       INTEGER NOT NULL,
  until       INTEGER -- null: it signs
) STRICT, WITHOUT ROWID;

-- An e-mail address that is a member of at least one tenant, or that signed in as an operator's.
CREATE TABLE accounts (
  id         TEXT PRIMARY KEY,
  email_key  TEXT NOT NULL UNIQUE,
  email      TEXT NOT NULL,
  language   TEXT NOT NULL CHECK (language IN ('de', 'en')),
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
  language       TEXT NOT NULL CHECK (language IN ('de', 'en')),
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

CREATE TABLE audit (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  at             INTEGER NOT NULL,
  action         TEXT NOT NULL,
  actor_kind     TEXT NOT NULL,
  actor_id       TEXT NOT NULL,
  actor_name     TEXT NOT NULL,
  target_type    TEXT NOT NULL,
  target_id      TEXT NOT NULL,
  client_address TEXT,
  request_id     TEXT,
  before_json    TEXT,
  after_json     TEXT,
  -- entries of tenants may be reduced, these are not
  is_reduced     INTEGER NOT NULL DEFAULT 0 CHECK (is_reduced = 0)
) STRICT;
CREATE TRIGGER audit_append_only BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;
-- Older entries may be removed: 0 except while the retention job removes them.
CREATE TABLE audit_retention (
  only          INTEGER PRIMARY KEY CHECK (only = 1),
  delete_before INTEGER NOT NULL
) STRICT;
INSERT INTO audit_retention (only, delete_before) VALUES (1, 0);
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
WHEN OLD.at >= coalesce((SELECT delete_before FROM audit_retention), 0) BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;
-- INSERT OR REPLACE deletes what it replaces without asking the trigger above.
CREATE TRIGGER audit_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq OR id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;

-- When a tenant's domain and keys are looked at again.
CREATE TABLE domain_work (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  -- the records in the DNS; null: no custom domain
  check_at  INTEGER,
  -- the DKIM keys
  keys_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_work_check ON domain_work (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX domain_work_keys ON domain_work (keys_at);

-- Tenants with followers: a start looks at their files only for deliveries that are due.
CREATE TABLE event_followers (
  tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  follower  TEXT NOT NULL CHECK (follower IN ('webhooks', 'alerts', 'forwards', 'replies', 'audience')),
  PRIMARY KEY (tenant_id, follower)
) STRICT, WITHOUT ROWID;

-- Tenants that receive mail at their hosts `in.…`: a tenant is here before its file says so, and for as long as it does, so that
-- strangers make no other file be opened.
CREATE TABLE inbound_tenants (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Which practice and project an inbound hook sends for, and SHA-256 of its secrets. The record that its owner sees is in the
-- tenant's file.
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

-- Clients whose mail comes again after a while, and mails that wait for that: src/smtp/greylist.ts.
CREATE TABLE greylist (
  -- the network of a client that is known, or the digest of a mail that waits
  name    TEXT PRIMARY KEY,
  -- what the waiting mail takes its place of; null: the client is known
  block   TEXT,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
