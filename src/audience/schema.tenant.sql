-- What audience/ keeps in the file of each tenant.

-- Lists of people who have consented to mail over a channel: src/audience/.
CREATE TABLE lists (
  -- in the links of its forms, therefore never used twice
  seq             INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  name            TEXT NOT NULL COLLATE NOCASE,
  -- shown on its pages
  description     TEXT,
  channel         TEXT NOT NULL CHECK (channel IN ('termin', 'recall', 'newsletter', 'transactional', 'other')),
  -- of its confirmation mails, and of its pages where the browser asks for no language
  language        TEXT NOT NULL CHECK (language <> ''),
  -- what people agree to; the number grows with each change
  wording         TEXT NOT NULL,
  wording_version INTEGER NOT NULL,
  -- 1: strangers may subscribe by its form
  is_public       INTEGER NOT NULL CHECK (is_public IN (0, 1)),
  -- 1: the link of the confirmation mail shows a button instead of confirming
  two_steps       INTEGER NOT NULL CHECK (two_steps IN (0, 1)),
  -- whose opens and clicks its campaigns may record: everyone's, those of people who agreed, no one's
  tracking_consent TEXT NOT NULL CHECK (tracking_consent IN ('always', 'asked', 'never')),
  created_at      INTEGER NOT NULL,
  archived_at     INTEGER,
  -- of one that is archived: up to which subscriber the ledger knows that the consent has ended; null: of all
  ended_seq       INTEGER DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX lists_name ON lists (name) WHERE archived_at IS NULL;

-- A person on a list.
CREATE TABLE subscribers (
  -- in the links of confirmation mails, therefore never used twice
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  list_seq     INTEGER NOT NULL REFERENCES lists (seq),
  -- that of suppressions
  address_hash BLOB NOT NULL,
  address      TEXT NOT NULL,
  name         TEXT,
  -- values for templates
  data_json    TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('pending', 'active', 'unsubscribed', 'bounced', 'complained')),
  -- the entry of the consent ledger that made the status; while active it is the evidence
  consent_seq  INTEGER NOT NULL,
  -- the entry by which the person agreed to tracking; null: they did not
  tracking_seq INTEGER,
  -- the last confirmation mail
  asked_at     INTEGER,
  created_at   INTEGER NOT NULL,
  -- since when it has been active, the last time
  confirmed_at INTEGER,
  updated_at   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX subscribers_once ON subscribers (list_seq, address_hash);
CREATE INDEX subscribers_person ON subscribers (address_hash);
CREATE INDEX subscribers_list ON subscribers (list_seq);
CREATE INDEX subscribers_status ON subscribers (list_seq, status);
-- Those who never confirmed, or said no, are removed.
CREATE INDEX subscribers_unconfirmed ON subscribers (coalesce(asked_at, created_at))
  WHERE confirmed_at IS NULL AND status IN ('pending', 'unsubscribed');

-- Subscribers of a list by status.
CREATE TABLE list_counts (
  list_seq INTEGER NOT NULL REFERENCES lists (seq),
  status   TEXT NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (list_seq, status)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER subscribers_come AFTER INSERT ON subscribers BEGIN
  INSERT INTO list_counts (list_seq, status, count) VALUES (NEW.list_seq, NEW.status, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER subscribers_change AFTER UPDATE OF status ON subscribers WHEN NEW.status <> OLD.status BEGIN
  UPDATE list_counts SET count = count - 1 WHERE list_seq = OLD.list_seq AND status = OLD.status;
  INSERT INTO list_counts (list_seq, status, count) VALUES (NEW.list_seq, NEW.status, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER subscribers_leave AFTER DELETE ON subscribers BEGIN
  UPDATE list_counts SET count = count - 1 WHERE list_seq = OLD.list_seq AND status = OLD.status;
END;

-- The consent ledger, append-only and chained: src/audience/consent/ledger.ts.
CREATE TABLE consent_entries (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  -- whose consent; null: about a list
  address_hash  BLOB,
  facts_json    TEXT NOT NULL,
  -- the personal values to which the facts commit, each with its salt; a value that is kept no longer is missing
  openings_json TEXT NOT NULL,
  hash          BLOB NOT NULL,
  -- What is said of the client is kept as long as the consent and some years longer. Since `client_since` it was asked for and not
  -- confirmed, or has ended; null: it lasts.
  client_term   TEXT CHECK (client_term IN ('asked', 'ended')),
  client_since  INTEGER
) STRICT;
CREATE INDEX consent_entries_person ON consent_entries (address_hash, seq);
CREATE INDEX consent_entries_ip_term ON consent_entries (client_term, client_since)
  WHERE openings_json ->> '$.ip' IS NOT NULL AND client_term IS NOT NULL;
CREATE INDEX consent_entries_user_agent_term ON consent_entries (client_term, client_since)
  WHERE openings_json ->> '$.user_agent' IS NOT NULL AND client_term IS NOT NULL;
-- Where a practice keeps it for a shorter time, by the age of the entry.
CREATE INDEX consent_entries_ip ON consent_entries (seq) WHERE openings_json ->> '$.ip' IS NOT NULL;
CREATE INDEX consent_entries_user_agent ON consent_entries (seq) WHERE openings_json ->> '$.user_agent' IS NOT NULL;
CREATE TRIGGER consent_entries_unchanged BEFORE UPDATE OF seq, id, address_hash, facts_json, hash ON consent_entries BEGIN
  SELECT RAISE(ABORT, 'the consent ledger is append-only');
END;
CREATE TRIGGER consent_entries_kept BEFORE DELETE ON consent_entries BEGIN
  SELECT RAISE(ABORT, 'the consent ledger is append-only');
END;
-- INSERT OR REPLACE deletes what it replaces without asking the trigger above.
CREATE TRIGGER consent_entries_not_replaced BEFORE INSERT ON consent_entries
WHEN EXISTS (SELECT 1 FROM consent_entries WHERE seq = NEW.seq OR id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'the consent ledger is append-only');
END;

-- The last entry.
CREATE TABLE consent_head (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  seq  INTEGER NOT NULL,
  hash BLOB NOT NULL,
  -- HMAC of the hash under a key of the installation
  mac  BLOB NOT NULL
) STRICT;

-- What entries refer to by its SHA-256: wordings, forms, confirmation mails.
CREATE TABLE consent_documents (
  hash         BLOB PRIMARY KEY,
  kind         TEXT NOT NULL CHECK (kind IN ('wording', 'form', 'mail')),
  -- who is erased with it; null: it is about no person
  address_hash BLOB,
  -- deflated
  content      BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX consent_documents_person ON consent_documents (address_hash) WHERE address_hash IS NOT NULL;

-- Confirmation mails whose bytes are not in the ledger yet.
CREATE TABLE confirmation_mails (
  message_seq   INTEGER PRIMARY KEY,
  subscriber_seq INTEGER NOT NULL,
  -- the entry of the request that it answers
  request_seq   INTEGER NOT NULL,
  -- when a relay took it; null: not yet
  sent_at       INTEGER,
  -- until when it waits for the plan's cap to end; null: it does not
  held_until    INTEGER
) STRICT;
CREATE INDEX confirmation_mails_subscriber ON confirmation_mails (subscriber_seq);
CREATE INDEX confirmation_mails_held ON confirmation_mails (message_seq) WHERE held_until IS NOT NULL;
CREATE INDEX confirmation_mails_sent ON confirmation_mails (sent_at) WHERE sent_at IS NOT NULL;

-- What became of the confirmation mails of a list's public form, by UTC day: src/audience/public/form-health.ts.
CREATE TABLE form_counters (
  list_seq     INTEGER NOT NULL REFERENCES lists (seq),
  day          INTEGER NOT NULL,
  -- sent by someone, whether they changed anything or not
  requests     INTEGER NOT NULL DEFAULT 0,
  -- taken by a relay, or refused by it for good
  mails        INTEGER NOT NULL DEFAULT 0,
  hard_bounced INTEGER NOT NULL DEFAULT 0,
  complaints   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (list_seq, day)
) STRICT, WITHOUT ROWID;
-- Forms that are slowed or closed because of that.
CREATE TABLE form_alerts (
  list_seq INTEGER PRIMARY KEY REFERENCES lists (seq),
  health   TEXT NOT NULL CHECK (health IN ('slowed', 'closed')),
  since    INTEGER NOT NULL,
  -- 0: the owners are not yet notified of it
  told     INTEGER NOT NULL CHECK (told IN (0, 1))
) STRICT;

-- Files of subscribers or suppressions that are imported, row by row: src/audience/imports/.
CREATE TABLE imports (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  kind          TEXT NOT NULL CHECK (kind IN ('subscribers', 'suppressions')),
  -- receiving: its file is not here as a whole, and nothing of it is shown
  status        TEXT NOT NULL CHECK (status IN ('receiving', 'pending', 'running', 'done', 'failed', 'cancelled')),
  -- what was asked for, by whom, and with which file
  request_json  TEXT NOT NULL,
  size_bytes    INTEGER NOT NULL,
  -- what its rows are made of, and where the next one begins; null: the file has not been checked
  progress_json TEXT,
  -- null until the file has been checked
  rows_total    INTEGER,
  rows_done     INTEGER NOT NULL,
  counts_json   TEXT NOT NULL,
  -- why the whole failed
  failure       TEXT,
  -- when it is worked on again; null: nothing is to be done, and nothing is left of its file
  due_at        INTEGER,
  created_at    INTEGER NOT NULL,
  finished_at   INTEGER
) STRICT;
CREATE INDEX imports_due ON imports (due_at) WHERE due_at IS NOT NULL;
-- The file, in UTF-8.
CREATE TABLE import_pieces (
  import_seq INTEGER NOT NULL,
  position   INTEGER NOT NULL,
  content    BLOB NOT NULL,
  PRIMARY KEY (import_seq, position)
) STRICT;
-- Addresses of the rows that are done, with the line of the first: who comes again is a duplicate.
CREATE TABLE import_addresses (
  import_seq   INTEGER NOT NULL,
  address_hash BLOB NOT NULL,
  line         INTEGER NOT NULL,
  PRIMARY KEY (import_seq, address_hash)
) STRICT, WITHOUT ROWID;
-- Rows of which something is to be reported; the first ones are kept.
CREATE TABLE import_faults (
  import_seq INTEGER NOT NULL,
  line       INTEGER NOT NULL,
  -- as it was written; a pseudonym where it has been erased
  address    TEXT,
  -- the name of the count in which it is
  outcome    TEXT NOT NULL,
  reason     TEXT NOT NULL,
  PRIMARY KEY (import_seq, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE campaigns (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  name           TEXT NOT NULL,
  project_id     TEXT NOT NULL REFERENCES projects (id),
  route_id       TEXT NOT NULL REFERENCES routes (id),
  message_kind   TEXT NOT NULL,
  -- ids of lists, and conditions on the values of their subscribers
  list_ids_json  TEXT NOT NULL,
  filter_json    TEXT NOT NULL,
  -- null: it begins when it is sent
  schedule_at    INTEGER,
  time_zone      TEXT,
  -- null: no limit of its own
  max_per_hour   INTEGER,
  status         TEXT NOT NULL
    CHECK (status IN ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled', 'failed')),
  -- why it is paused, failed or waits; a code
  reason         TEXT,
  -- when it is looked at again; null: nothing is to be done
  due_at         INTEGER,
  -- everyone up to this hash has been handed over or left out; null: no one yet
  after_hash     BLOB,
  -- its text and HTML in shared_contents
  shared_id      INTEGER,
  -- what the tenant's file was on the disk when it was last worked on: a restored copy is another
  file_identity  TEXT,
  -- the last hand-over
  progress_at    INTEGER,
  -- when it was last looked at without a hand-over, within some minutes
  looked_at      INTEGER,
  -- when owners were notified that it does not go on; null: not since the last hand-over
  alarmed_at     INTEGER,
  -- what the owners are still to be notified of: src/audience/campaigns/notices.ts
  notice_json    TEXT,
  -- its own counts when it was last resumed, which no longer count against it
  resumed_json   TEXT,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  started_at     INTEGER,
  finished_at    INTEGER
) STRICT;
CREATE INDEX campaigns_due ON campaigns (due_at) WHERE due_at IS NOT NULL;
-- Sender, subject, text, HTML, settings: src/audience/campaigns/schema.ts. Apart from the row, which is written with each hand-over.
CREATE TABLE campaign_contents (
  campaign_seq INTEGER PRIMARY KEY REFERENCES campaigns (seq) ON DELETE CASCADE,
  content_json TEXT NOT NULL
) STRICT;
-- People of its lists who got nothing, and why.
CREATE TABLE campaign_exclusions (
  campaign_seq   INTEGER NOT NULL REFERENCES campaigns (seq) ON DELETE CASCADE,
  address_hash   BLOB NOT NULL,
  subscriber_seq INTEGER NOT NULL,
  reason         TEXT NOT NULL,
  PRIMARY KEY (campaign_seq, address_hash)
) STRICT, WITHOUT ROWID;
-- The people who are left out are listed in this order.
CREATE UNIQUE INDEX campaign_exclusions_list ON campaign_exclusions (campaign_seq, subscriber_seq);
-- Recipients of a campaign by what happened to them, and those left out by reason.
CREATE TABLE campaign_counters (
  campaign_seq INTEGER NOT NULL REFERENCES campaigns (seq) ON DELETE CASCADE,
  name         TEXT NOT NULL,
  count        INTEGER NOT NULL,
  PRIMARY KEY (campaign_seq, name)
) STRICT, WITHOUT ROWID;
-- Links of a campaign that people followed.
CREATE TABLE campaign_links (
  campaign_seq INTEGER NOT NULL REFERENCES campaigns (seq) ON DELETE CASCADE,
  url          TEXT NOT NULL,
  clicks       INTEGER NOT NULL,
  -- recipients who followed it at least once
  recipients   INTEGER NOT NULL,
  PRIMARY KEY (campaign_seq, url)
) STRICT, WITHOUT ROWID;

-- People whose data are erased.
CREATE TABLE erasures (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  address_hash   BLOB NOT NULL,
  -- sealed; null once all is erased
  sealed_address BLOB,
  -- for the certificate
  reason         TEXT,
  requested_by   TEXT NOT NULL,
  -- where the work continues
  progress_json  TEXT NOT NULL,
  counts_json    TEXT NOT NULL,
  requested_at   INTEGER NOT NULL,
  finished_at    INTEGER
) STRICT;
CREATE INDEX erasures_unfinished ON erasures (seq) WHERE finished_at IS NULL;
