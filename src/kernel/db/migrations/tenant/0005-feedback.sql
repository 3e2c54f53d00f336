-- What comes back: reputation, tracking, the full-text index, retention.

-- Refused for good by the upstream, never sent; recipients who opened and clicked, once each, machines not counted.
ALTER TABLE counters ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN opens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN clicks INTEGER NOT NULL DEFAULT 0;
-- Until now they were counted as bounces alone: the guardrail would measure bounces against too few messages.
UPDATE counters SET refused = min(found.mails, hard_bounced + soft_bounced)
FROM (
  SELECT events.at / 86400000 AS day, route_id, count(*) AS mails
  FROM events JOIN messages ON messages.seq = message_seq
  WHERE type IN ('message.hard_bounced', 'message.soft_bounced') AND data_json ->> '$.attempt' IS NOT NULL
  GROUP BY 1, 2
) AS found
WHERE found.day = counters.day AND found.route_id = counters.route_id;

-- The last resumption: the guardrail counts from there.
ALTER TABLE practice ADD COLUMN resumed_at INTEGER;
-- 0: the owners are still to be told of the pause that stands, or of the resumption
ALTER TABLE practice ADD COLUMN pause_told INTEGER NOT NULL DEFAULT 1 CHECK (pause_told IN (0, 1));
-- Who paused or resumed it last, or what the guardrail counted.
ALTER TABLE practice ADD COLUMN pause_facts_json TEXT;
-- Routes with a hard bounce or complaint that the guardrail still counts: from the UTC day `look_on` on it looks again at
-- the next mail counted.
CREATE TABLE guardrail_watch (
  route_id TEXT PRIMARY KEY REFERENCES routes (id),
  look_on  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO guardrail_watch (route_id, look_on)
SELECT DISTINCT route_id, 0 FROM counters WHERE hard_bounced > 0 OR complaints > 0;
-- What had been counted on the day of the last resumption before it.
CREATE TABLE guardrail_baselines (
  route_id     TEXT PRIMARY KEY REFERENCES routes (id),
  day          INTEGER NOT NULL,
  sent         INTEGER NOT NULL,
  refused      INTEGER NOT NULL,
  delivered    INTEGER NOT NULL,
  hard_bounced INTEGER NOT NULL,
  complaints   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Less than the configuration keeps, in days; null: as it says.
ALTER TABLE practice ADD COLUMN keep_bodies INTEGER;
ALTER TABLE practice ADD COLUMN keep_attachments INTEGER;
ALTER TABLE practice ADD COLUMN keep_events INTEGER;

-- Message-IDs that mail programs have made: by them reports of complaints name a message. Our own ones hold its id.
CREATE INDEX messages_submitted ON messages (internet_message_id) WHERE source = 'smtp';

-- Messages whose attachments retention has removed: what they had cannot be told any more.
CREATE TABLE removed_attachments (
  message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE
) STRICT;

-- What messages are found by. Both are written behind acceptance, in the order of `seq`: src/messages/search-index-store.ts.
CREATE TABLE search_texts (
  seq  INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
-- The texts are folded already: nothing is left to be folded here.
CREATE VIRTUAL TABLE search_trigrams USING fts5 (
  text, content = 'search_texts', content_rowid = 'seq', tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
);
-- Segments are merged by the indexer, in portions; by itself FTS5 does so within a transaction, for up to 400 ms.
INSERT INTO search_trigrams (search_trigrams, rank) VALUES ('automerge', 0), ('crisismerge', 64);
CREATE TRIGGER messages_leave_search AFTER DELETE ON messages BEGIN
  INSERT INTO search_trigrams (search_trigrams, rowid, text)
  SELECT 'delete', seq, text FROM search_texts WHERE seq = OLD.seq;
  DELETE FROM search_texts WHERE seq = OLD.seq;
END;
CREATE INDEX messages_status ON messages (status);
