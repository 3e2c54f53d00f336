-- What intake/ keeps in the file of each tenant.

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

CREATE TABLE templates (
  id              TEXT PRIMARY KEY,
  -- by which sends use it
  name            TEXT NOT NULL COLLATE NOCASE UNIQUE,
  description     TEXT,
  -- for sends that name no kind or route
  message_kind    TEXT NOT NULL,
  -- null: as the route says
  track_opens     INTEGER CHECK (track_opens IN (0, 1)),
  track_clicks    INTEGER CHECK (track_clicks IN (0, 1)),
  -- null: as the route says
  reply_to        TEXT,
  current_version INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE template_versions (
  template_id TEXT NOT NULL REFERENCES templates (id) ON DELETE CASCADE,
  version     INTEGER NOT NULL,
  subject     TEXT NOT NULL,
  -- names of the placeholders in all three
  fields_json TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  -- as the audit names them
  created_by  TEXT NOT NULL,
  -- last: lists are read without them
  text        TEXT,
  html        TEXT,
  PRIMARY KEY (template_id, version)
) STRICT, WITHOUT ROWID;
