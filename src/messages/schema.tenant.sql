-- What messages/ keeps in the file of each tenant.

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
  updated_at          INTEGER NOT NULL,
  -- 1: retention has replaced what it says of people: src/messages/pseudonym.ts
  is_pseudonymous     INTEGER NOT NULL DEFAULT 0 CHECK (is_pseudonymous IN (0, 1)),
  -- the campaign whose mail it is
  campaign_seq        INTEGER,
  -- the stored template that it was made from, deleted or not
  template_id         TEXT
) STRICT;
CREATE INDEX messages_campaign ON messages (campaign_seq, seq) WHERE campaign_seq IS NOT NULL;
-- Those of campaigns that may still wait: who leaves a list gets none of them.
CREATE INDEX messages_campaign_waiting ON messages (campaign_seq)
WHERE campaign_seq IS NOT NULL AND status IN ('queued', 'delivery_delayed');
CREATE INDEX messages_status ON messages (status);
-- Message-IDs that mail programs made: complaints name a message by them. Our own ones contain its id.
CREATE INDEX messages_submitted ON messages (internet_message_id) WHERE source = 'smtp';

-- All messages up to this number are pseudonymous.
CREATE TABLE pseudonymous_to (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  seq  INTEGER NOT NULL
) STRICT;

-- Text and HTML with placeholders, of which each recipient of a bulk gets a copy with its own values.
CREATE TABLE shared_contents (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  text       TEXT,
  html       TEXT,
  -- values of placeholders for all of them; a message's own values come before these
  data_json  TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Apart from the message row: twice as fast to write, and removed earlier.
CREATE TABLE message_bodies (
  message_seq  INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  text         TEXT,
  html         TEXT,
  headers_json TEXT NOT NULL,
  -- text and HTML of the service's own mails, which hold codes and links: sealed under the master key
  sealed       BLOB,
  shared_id    INTEGER REFERENCES shared_contents (id),
  -- values of the placeholders
  data_json    TEXT,
  calendar_json TEXT,
  -- the tree of a submitted message
  parts_json   TEXT
) STRICT;
-- Retention looks for shared content that no message has any more.
CREATE INDEX message_bodies_shared ON message_bodies (shared_id) WHERE shared_id IS NOT NULL;

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

-- Messages whose attachments retention has removed.
CREATE TABLE removed_attachments (
  message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE
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
  updated_at    INTEGER NOT NULL,
  -- 1: the copy has no tracked links and no image, whatever the message says
  is_untracked  INTEGER NOT NULL CHECK (is_untracked IN (0, 1))
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
  -- 1 while the running process works on it; reset when the file is first opened after a start. 2: it may have left after the backup
  -- that the file was restored from, and waits for a person: src/messages/queue/held.ts
  claimed      INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1, 2))
) STRICT;
CREATE INDEX queue_due ON queue (lane, due_at) WHERE claimed = 0;
CREATE INDEX queue_claimed ON queue (claimed) WHERE claimed = 1;
CREATE INDEX queue_held ON queue (claimed) WHERE claimed = 2;

-- The search index, written after acceptance in the order of `seq`: src/messages/search-index-store.ts.
CREATE TABLE search_texts (
  seq  INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
-- The texts are folded already.
CREATE VIRTUAL TABLE search_trigrams USING fts5 (
  text, content = 'search_texts', content_rowid = 'seq', tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
);
-- Segments are merged by the indexer, in batches; FTS5 would do so within a transaction, for up to 400 ms.
INSERT INTO search_trigrams (search_trigrams, rank) VALUES ('automerge', 0), ('crisismerge', 64);
CREATE TRIGGER messages_leave_search AFTER DELETE ON messages BEGIN
  INSERT INTO search_trigrams (search_trigrams, rowid, text)
  SELECT 'delete', seq, text FROM search_texts WHERE seq = OLD.seq;
  DELETE FROM search_texts WHERE seq = OLD.seq;
END;
