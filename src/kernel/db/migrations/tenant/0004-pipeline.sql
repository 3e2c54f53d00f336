-- Who must not be mailed, stored templates, content that many messages share, invitations to calendars, and what the caps
-- are held against.

CREATE TABLE suppressions (
  -- the order of lists and exports
  seq               INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  -- HMAC of the address as it is compared, under a key of the installation, bound to the tenant
  address_hash      BLOB NOT NULL,
  -- null once the person's data has been erased: the hash still keeps mail from them
  address           TEXT,
  scope             TEXT NOT NULL CHECK (scope IN ('team', 'project', 'route')),
  project_id        TEXT REFERENCES projects (id),
  route_id          TEXT REFERENCES routes (id),
  reason            TEXT NOT NULL
    CHECK (reason IN ('hard_bounce', 'complaint', 'unsubscribe', 'unsubscribe_all', 'manual', 'import')),
  source_message_id TEXT,
  note              TEXT,
  created_at        INTEGER NOT NULL,
  CHECK ((project_id IS NOT NULL) = (scope = 'project') AND (route_id IS NOT NULL) = (scope = 'route'))
) STRICT;
CREATE UNIQUE INDEX suppressions_whom
  ON suppressions (address_hash, scope, coalesce(project_id, ''), coalesce(route_id, ''));

CREATE TABLE templates (
  id              TEXT PRIMARY KEY,
  -- by which sends use it
  name            TEXT NOT NULL COLLATE NOCASE UNIQUE,
  description     TEXT,
  -- what it is made for: sends that name no kind or route take these
  message_kind    TEXT NOT NULL,
  -- null: as the route says
  track_opens     INTEGER CHECK (track_opens IN (0, 1)),
  track_clicks    INTEGER CHECK (track_clicks IN (0, 1)),
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
  -- whom the audit names
  created_by  TEXT NOT NULL,
  -- last: lists are read without them
  text        TEXT,
  html        TEXT,
  PRIMARY KEY (template_id, version)
) STRICT, WITHOUT ROWID;

-- Text and HTML with placeholders, of which each recipient of a bulk gets a copy with values of their own.
CREATE TABLE shared_contents (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  text       TEXT,
  html       TEXT,
  created_at INTEGER NOT NULL
) STRICT;
ALTER TABLE message_bodies ADD COLUMN shared_id INTEGER REFERENCES shared_contents (id);
-- Values of the placeholders.
ALTER TABLE message_bodies ADD COLUMN data_json TEXT;
ALTER TABLE message_bodies ADD COLUMN calendar_json TEXT;
-- Retention looks for shared content that no message has any more.
CREATE INDEX message_bodies_shared ON message_bodies (shared_id) WHERE shared_id IS NOT NULL;

-- Mails (one a recipient) accepted in a UTC month, and the highest share of the cap (70, 90, 100 %) its owners were told of.
CREATE TABLE monthly_usage (
  month    TEXT PRIMARY KEY,
  accepted INTEGER NOT NULL,
  told     INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO monthly_usage (month, accepted)
SELECT strftime('%Y-%m', day * 86400, 'unixepoch'), sum(accepted) FROM counters GROUP BY 1;

-- Mails that go out on a UTC day, per stream: those accepted for it, of whatever day. The warm-up's caps look here.
CREATE TABLE daily_volume (
  day    INTEGER NOT NULL,
  stream TEXT NOT NULL CHECK (stream IN ('transactional', 'marketing')),
  mails  INTEGER NOT NULL,
  PRIMARY KEY (stream, day)
) STRICT, WITHOUT ROWID;
INSERT INTO daily_volume (day, stream, mails)
SELECT day, type, sum(accepted) FROM counters JOIN routes ON routes.id = route_id GROUP BY 1, 2;
