-- Who may come in: accounts, sessions, one-time codes, invitations. What the service has to tell people. What the
-- operator looks after: abuse tickets, the waiting list. And the audit of what is changed outside of any tenant.

-- 'system' is the one tenant by which the service itself sends mail.
ALTER TABLE tenants ADD COLUMN purpose TEXT NOT NULL DEFAULT 'practice' CHECK (purpose IN ('practice', 'system'));
CREATE UNIQUE INDEX tenants_system ON tenants (purpose) WHERE purpose = 'system';

-- Whom the audit names.
ALTER TABLE credentials ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE credentials ADD COLUMN expires_at INTEGER;
-- networks (CIDR) that the token may be used from; null: from anywhere
ALTER TABLE credentials ADD COLUMN allowed_json TEXT;

-- An e-mail address that is a member of at least one tenant.
CREATE TABLE accounts (
  id         TEXT PRIMARY KEY,
  email_key  TEXT NOT NULL UNIQUE,
  email      TEXT NOT NULL,
  language   TEXT NOT NULL CHECK (language IN ('de', 'en')),
  -- argon2id in PHC string form
  password   TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where to look: what a member may stands in the tenant's file, and without a row there this one opens nothing.
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
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_last_used ON sessions (last_used_at);
CREATE INDEX sessions_created ON sessions (created_at);

-- The live code of an address, known or not: both are kept alike, so that nothing tells them apart. Address and code
-- stand here as HMACs under a key derived from the master key: six digits could be guessed from a plain hash.
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
  -- after that it would tell what no longer holds
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
  -- of the reported mail
  source         TEXT,
  -- whom the operator found it to be about
  tenant_id      TEXT REFERENCES tenants (id) ON DELETE SET NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX abuse_tickets_stage ON abuse_tickets (stage, seq);
CREATE INDEX abuse_tickets_open ON abuse_tickets (reporter_key) WHERE stage = 'open';

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
  -- of the last request with that address; the rest stays as the first one said
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
  after_json     TEXT
) STRICT;
CREATE TRIGGER audit_append_only BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;
-- What is older than this may be removed: 0 but while the retention job removes it.
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
