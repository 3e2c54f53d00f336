-- What events/ keeps in the file of each tenant.

-- Append-only, in the order of commits. Followers keep a cursor on seq.
CREATE TABLE events (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL,
  message_seq  INTEGER NOT NULL,
  recipient_id INTEGER,
  -- the mail received that it is about, in inbound_messages
  inbound_seq  INTEGER,
  type         TEXT NOT NULL,
  at           INTEGER NOT NULL,
  data_json    TEXT
) STRICT;
CREATE INDEX events_message ON events (message_seq, seq);
-- What came back, to be listed for all messages: src/compat/vendor-b/lookups/store.ts and src/insight/exports/store.ts have the
-- same conditions.
CREATE INDEX events_returned ON events (seq) WHERE type IN (
  'message.hard_bounced', 'message.soft_bounced', 'message.failed', 'message.spam_complaint', 'message.unsubscribed',
  'message.auto_replied'
);
CREATE INDEX events_opened ON events (seq) WHERE type = 'message.opened';
CREATE INDEX events_clicked ON events (seq) WHERE type = 'message.clicked';
CREATE TRIGGER events_append_only
BEFORE UPDATE OF seq, id, message_seq, recipient_id, inbound_seq, type, at ON events BEGIN
  SELECT RAISE(ABORT, 'events are append-only');
END;
-- While a person is erased, what events say of that person is reduced.
CREATE TRIGGER events_kept BEFORE UPDATE OF data_json ON events
WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE finished_at IS NULL) BEGIN
  SELECT RAISE(ABORT, 'events are append-only');
END;

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
  -- 1: it named a person who has been erased since
  is_reduced     INTEGER NOT NULL DEFAULT 0 CHECK (is_reduced IN (0, 1))
) STRICT;
CREATE TRIGGER audit_append_only
BEFORE UPDATE OF seq, id, at, action, actor_kind, actor_id, actor_name, target_type, target_id, client_address, request_id
ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit is append-only');
END;
-- While a person is erased, an entry may be reduced, which it then shows.
CREATE TRIGGER audit_reduced_visibly BEFORE UPDATE ON audit
WHEN NEW.is_reduced = 0 OR NOT EXISTS (SELECT 1 FROM erasures WHERE finished_at IS NULL) BEGIN
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

-- How far webhooks and alerts have read the events.
CREATE TABLE event_cursors (
  follower TEXT PRIMARY KEY CHECK (follower IN ('webhooks', 'alerts', 'forwards', 'audience')),
  seq      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
