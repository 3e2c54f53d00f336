-- What events/ keeps in the registry.

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
-- delete_before is 0, so that nothing can be removed; the retention job sets it while it removes older entries.
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

-- Tenants with followers: a start looks at their files only for deliveries that are due.
CREATE TABLE event_followers (
  tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  follower  TEXT NOT NULL CHECK (follower IN ('webhooks', 'alerts', 'forwards', 'replies', 'audience')),
  PRIMARY KEY (tenant_id, follower)
) STRICT, WITHOUT ROWID;
