-- All that is one tenant's. Times are milliseconds since the epoch; ids are UUIDv7 in text form; *_json columns hold
-- JSON that no query looks into.

CREATE TABLE practice (
  only               INTEGER PRIMARY KEY CHECK (only = 1),
  id                 TEXT NOT NULL,
  number             INTEGER NOT NULL,
  name               TEXT NOT NULL,
  slug               TEXT NOT NULL,
  managed_host       TEXT NOT NULL,
  -- a custom domain that was asked for; it may be in From once its DKIM has been verified
  custom_domain      TEXT,
  custom_verified_at INTEGER,
  plan               TEXT NOT NULL,
  safe_mode          INTEGER NOT NULL CHECK (safe_mode IN (0, 1)),
  pause_reason       TEXT,
  pause_by           TEXT,
  paused_at          INTEGER,
  legal_street       TEXT,
  legal_city         TEXT,
  legal_privacy_url  TEXT,
  warmup_started_at  INTEGER,
  created_at         INTEGER NOT NULL
) STRICT;

CREATE TABLE projects (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  slug        TEXT NOT NULL UNIQUE,
  is_default  INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  archived_at INTEGER,
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX projects_default ON projects (is_default) WHERE is_default = 1;

CREATE TABLE routes (
  id                  TEXT PRIMARY KEY,
  slug                TEXT NOT NULL UNIQUE,
  name                TEXT NOT NULL,
  type                TEXT NOT NULL CHECK (type IN ('transactional', 'marketing')),
  project_id          TEXT REFERENCES projects (id),
  is_default          INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  track_opens         INTEGER NOT NULL CHECK (track_opens IN (0, 1)),
  track_clicks        INTEGER NOT NULL CHECK (track_clicks IN (0, 1)),
  plain_text_fallback INTEGER NOT NULL CHECK (plain_text_fallback IN (0, 1)),
  created_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX routes_default ON routes (is_default) WHERE is_default = 1;

CREATE TABLE api_tokens (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  scope        TEXT NOT NULL CHECK (scope IN ('team', 'project')),
  project_id   TEXT REFERENCES projects (id),
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE dkim_keys (
  token       TEXT PRIMARY KEY,
  domain      TEXT NOT NULL,
  algorithm   TEXT NOT NULL CHECK (algorithm IN ('rsa-sha256', 'ed25519-sha256')),
  -- 'active' signs; 'next' is published and waits for the rotation
  role        TEXT NOT NULL CHECK (role IN ('active', 'next')),
  sealed_key  BLOB NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX dkim_keys_domain ON dkim_keys (domain);

CREATE TABLE messages (
  seq                 INTEGER PRIMARY KEY,
  id                  TEXT NOT NULL UNIQUE,
  internet_message_id TEXT NOT NULL,
  project_id          TEXT NOT NULL REFERENCES projects (id),
  route_id            TEXT NOT NULL REFERENCES routes (id),
  message_kind        TEXT NOT NULL,
  channel             TEXT NOT NULL,
  source              TEXT NOT NULL,
  from_json           TEXT NOT NULL,
  to_json             TEXT NOT NULL,
  cc_json             TEXT NOT NULL,
  bcc_json            TEXT NOT NULL,
  reply_to_json       TEXT NOT NULL,
  subject             TEXT NOT NULL,
  tag                 TEXT,
  tags_json           TEXT NOT NULL,
  metadata_json       TEXT NOT NULL,
  settings_json       TEXT NOT NULL,
  decisions_json      TEXT NOT NULL,
  status              TEXT NOT NULL,
  score               INTEGER,
  size_bytes          INTEGER NOT NULL,
  scheduled_at        INTEGER,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL
) STRICT;

-- Apart from the message row: twice as fast to write, and removed earlier.
CREATE TABLE message_bodies (
  message_seq  INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  text         TEXT,
  html         TEXT,
  headers_json TEXT NOT NULL
) STRICT;

CREATE TABLE attachments (
  message_seq  INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
  position     INTEGER NOT NULL,
  filename     TEXT NOT NULL,
  content_type TEXT NOT NULL,
  content_id   TEXT,
  size_bytes   INTEGER NOT NULL,
  content      BLOB NOT NULL,
  PRIMARY KEY (message_seq, position)
) STRICT;

CREATE TABLE recipients (
  -- named in return paths, therefore never used twice
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  message_seq   INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
  address       TEXT NOT NULL,
  field         TEXT NOT NULL CHECK (field IN ('to', 'cc', 'bcc')),
  status        TEXT NOT NULL,
  attempts      INTEGER NOT NULL DEFAULT 0,
  smtp_code     INTEGER,
  enhanced_code TEXT,
  diagnostic    TEXT,
  upstream      TEXT,
  updated_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX recipients_message ON recipients (message_seq);

-- One row per recipient that is still to be relayed.
CREATE TABLE queue (
  recipient_id INTEGER PRIMARY KEY REFERENCES recipients (id) ON DELETE CASCADE,
  message_seq  INTEGER NOT NULL,
  -- 0 transactional, 1 marketing
  lane         INTEGER NOT NULL CHECK (lane IN (0, 1)),
  due_at       INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  size_bytes   INTEGER NOT NULL,
  queued_at    INTEGER NOT NULL,
  -- 1 while the running process works on it; reset when the file is first opened after a start
  claimed      INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1))
) STRICT;
CREATE INDEX queue_due ON queue (lane, due_at) WHERE claimed = 0;
CREATE INDEX queue_claimed ON queue (claimed) WHERE claimed = 1;

-- Append-only: what happened, in the order it happened. Followers keep a cursor on seq.
CREATE TABLE events (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL,
  message_seq  INTEGER NOT NULL,
  recipient_id INTEGER,
  type         TEXT NOT NULL,
  at           INTEGER NOT NULL,
  data_json    TEXT
) STRICT;
CREATE INDEX events_message ON events (message_seq, seq);
CREATE TRIGGER events_append_only BEFORE UPDATE ON events BEGIN
  SELECT RAISE(ABORT, 'events are append-only');
END;

CREATE TABLE idempotency_keys (
  project_id    TEXT NOT NULL,
  key           TEXT NOT NULL,
  request_hash  BLOB NOT NULL,
  status        INTEGER NOT NULL,
  response_json TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (project_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- What an upstream of kind `capture` took: the local mailbox of a fresh installation.
CREATE TABLE captures (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  message_id   TEXT NOT NULL,
  recipient    TEXT NOT NULL,
  return_path  TEXT NOT NULL,
  captured_at  INTEGER NOT NULL,
  size_bytes   INTEGER NOT NULL,
  source       BLOB NOT NULL
) STRICT;
