-- Members and their roles, the audit, what was sent per route and day. And content that nobody may read from the file.

-- Custom roles; those of the system stand in the program.
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
  accepted_at      INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX members_role ON members (role_id);

ALTER TABLE api_tokens ADD COLUMN expires_at INTEGER;
ALTER TABLE api_tokens ADD COLUMN allowed_json TEXT;

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

-- Mails (one a recipient) per route and UTC day; `day` counts from the epoch.
CREATE TABLE counters (
  day      INTEGER NOT NULL,
  route_id TEXT NOT NULL REFERENCES routes (id),
  accepted INTEGER NOT NULL,
  PRIMARY KEY (day, route_id)
) STRICT, WITHOUT ROWID;
INSERT INTO counters (day, route_id, accepted)
SELECT created_at / 86400000, route_id, count(*)
FROM messages JOIN recipients ON message_seq = seq GROUP BY 1, 2;

-- Text and HTML of the service's own mails, which hold codes and links: sealed under the master key.
ALTER TABLE message_bodies ADD COLUMN sealed BLOB;
-- `source` is sealed from here on; what a development mailbox caught before can go.
DELETE FROM captures;
