-- Everything of one tenant. Times are milliseconds since the epoch; ids are UUIDv7 in text form; *_json columns hold
-- JSON that no query looks into.

CREATE TABLE practice (
  only               INTEGER PRIMARY KEY CHECK (only = 1),
  id                 TEXT NOT NULL,
  number             INTEGER NOT NULL,
  name               TEXT NOT NULL,
  slug               TEXT NOT NULL,
  managed_host       TEXT NOT NULL,
  -- the custom domain in use, verified
  custom_domain      TEXT,
  custom_verified_at INTEGER,
  -- a custom domain that is not verified yet
  pending_domain     TEXT,
  plan               TEXT NOT NULL,
  safe_mode          INTEGER NOT NULL CHECK (safe_mode IN (0, 1)),
  -- 1: switched on by the operator, whose approval alone ends it
  safe_mode_held     INTEGER NOT NULL DEFAULT 0 CHECK (safe_mode_held IN (0, 1)),
  -- by the operator, on the plan that needs it before going live
  approved_at        INTEGER,
  pause_reason       TEXT,
  pause_by           TEXT,
  paused_at          INTEGER,
  -- the last resumption: the guardrail counts from there
  resumed_at         INTEGER,
  -- 0: the owners are not yet notified of the pause or resumption
  pause_told         INTEGER NOT NULL DEFAULT 1 CHECK (pause_told IN (0, 1)),
  -- who paused or resumed last, or what the guardrail counted
  pause_facts_json   TEXT,
  legal_street       TEXT,
  legal_city         TEXT,
  legal_privacy_url  TEXT,
  legal_email          TEXT,
  legal_phone          TEXT,
  legal_represented_by TEXT,
  legal_register       TEXT,
  legal_vat_id         TEXT,
  legal_authority      TEXT,
  legal_imprint_url    TEXT,
  -- where answers to mail without a Reply-To go; null: to the practice's mailbox, while it receives mail
  reply_address      TEXT,
  -- 0: mail without a Reply-To leaves without one
  adds_reply_to      INTEGER NOT NULL DEFAULT 1 CHECK (adds_reply_to IN (0, 1)),
  warmup_started_at  INTEGER,
  bimi_logo_url        TEXT,
  bimi_certificate_url TEXT,
  -- retention in days where it is shorter than the configured one; null: as configured
  keep_bodies        INTEGER,
  keep_attachments   INTEGER,
  keep_events        INTEGER,
  keep_messages      INTEGER,
  keep_consent_ip    INTEGER,
  keep_consent_user_agent INTEGER,
  created_at         INTEGER NOT NULL
) STRICT;

CREATE TABLE projects (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  slug        TEXT NOT NULL UNIQUE,
  is_default  INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  archived_at INTEGER,
  -- null: as the practice says
  reply_address TEXT,
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
  -- null: as the project says
  reply_address       TEXT,
  created_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX routes_default ON routes (is_default) WHERE is_default = 1;

CREATE TABLE api_tokens (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  scope        TEXT NOT NULL CHECK (scope IN ('team', 'project')),
  project_id   TEXT REFERENCES projects (id),
  expires_at   INTEGER,
  allowed_json TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

-- Custom domains that were asked for, in use or not.
CREATE TABLE sending_domains (
  name        TEXT PRIMARY KEY,
  attached_at INTEGER NOT NULL,
  -- first verification: day 1 of the warm-up
  verified_at INTEGER,
  -- since when it is no longer in use; its keys stay published for the mail in flight
  retired_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE dkim_keys (
  domain       TEXT NOT NULL,
  -- the selector: one of the host's tokens, or that of an imported key
  token        TEXT NOT NULL,
  -- among the host's tokens, from 1; 0: imported
  position     INTEGER NOT NULL,
  algorithm    TEXT NOT NULL CHECK (algorithm IN ('rsa-sha256', 'ed25519-sha256')),
  -- 'active' signs; 'next' is published and waits for the rotation; 'retiring' signs no more and is published for what it
  -- signed; 'revoked' is published as withdrawn (RFC 6376 §3.6.1: an empty p=)
  role         TEXT NOT NULL CHECK (role IN ('active', 'next', 'retiring', 'revoked')),
  sealed_key   BLOB NOT NULL,
  -- of this key, not of its token
  created_at   INTEGER NOT NULL,
  -- since when the registry shows this role
  published_at INTEGER,
  activated_at INTEGER,
  retired_at   INTEGER,
  PRIMARY KEY (domain, token)
) STRICT, WITHOUT ROWID;

-- The last check of each host's records. `standings_json`: the health of each record, since when, and who was notified.
CREATE TABLE dns_checks (
  host           TEXT PRIMARY KEY,
  checked_at     INTEGER NOT NULL,
  result_json    TEXT NOT NULL,
  standings_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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
  -- 1 while the running process works on it; reset when the file is first opened after a start
  claimed      INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1))
) STRICT;
CREATE INDEX queue_due ON queue (lane, due_at) WHERE claimed = 0;
CREATE INDEX queue_claimed ON queue (claimed) WHERE claimed = 1;

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

-- What an upstream of kind `capture` took, sealed: the local mailbox of a fresh installation.
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

-- Custom roles; those of the system are in the program.
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
-- Older entries may be removed: 0 except while the retention job removes them.
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

-- Mails (one a recipient) per route, project and UTC day; `day` counts from the epoch. A route may be that of all projects.
CREATE TABLE counters (
  day          INTEGER NOT NULL,
  route_id     TEXT NOT NULL REFERENCES routes (id),
  project_id   TEXT NOT NULL REFERENCES projects (id),
  accepted     INTEGER NOT NULL,
  sent         INTEGER NOT NULL DEFAULT 0,
  -- refused for good by the upstream, never sent
  refused      INTEGER NOT NULL DEFAULT 0,
  delivered    INTEGER NOT NULL DEFAULT 0,
  hard_bounced INTEGER NOT NULL DEFAULT 0,
  soft_bounced INTEGER NOT NULL DEFAULT 0,
  complaints   INTEGER NOT NULL DEFAULT 0,
  unsubscribes INTEGER NOT NULL DEFAULT 0,
  -- recipients who opened and clicked, once each, machines not counted
  opens        INTEGER NOT NULL DEFAULT 0,
  clicks       INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, route_id, project_id)
) STRICT, WITHOUT ROWID;

-- Accepted mails (one a recipient) per channel, project and UTC day.
CREATE TABLE channel_counters (
  day        INTEGER NOT NULL,
  project_id TEXT NOT NULL,
  channel    TEXT NOT NULL,
  accepted   INTEGER NOT NULL,
  PRIMARY KEY (day, project_id, channel)
) STRICT, WITHOUT ROWID;

-- Mails (one a recipient) accepted in a UTC month, those of them whose From is on a domain of the practice's own, and the
-- highest share of the cap (70, 90, 100 %) that the owners were notified of.
CREATE TABLE monthly_usage (
  month      TEXT PRIMARY KEY,
  accepted   INTEGER NOT NULL,
  own_domain INTEGER NOT NULL DEFAULT 0,
  told       INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Mails that go out on a UTC day, per stream, whenever they were accepted. The warm-up's caps read it.
CREATE TABLE daily_volume (
  day    INTEGER NOT NULL,
  stream TEXT NOT NULL CHECK (stream IN ('transactional', 'marketing')),
  mails  INTEGER NOT NULL,
  PRIMARY KEY (stream, day)
) STRICT, WITHOUT ROWID;

-- Addresses that get no mail.
CREATE TABLE suppressions (
  -- the order of lists and exports
  seq               INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  -- HMAC of the normalised address under a key of the installation, bound to the tenant
  address_hash      BLOB NOT NULL,
  -- null once the person's data has been erased: the hash still suppresses
  address           TEXT,
  scope             TEXT NOT NULL CHECK (scope IN ('team', 'project', 'route')),
  project_id        TEXT REFERENCES projects (id),
  route_id          TEXT REFERENCES routes (id),
  reason            TEXT NOT NULL
    CHECK (
      reason IN (
        'hard_bounce', 'soft_bounces', 'complaint', 'unsubscribe', 'unsubscribe_all', 'manual', 'import', 'erasure'
      )
    ),
  source_message_id TEXT,
  note              TEXT,
  -- for which channels the person came back since, by which entries of the ledger, as JSON; null: for none
  lifted_json       TEXT,
  created_at        INTEGER NOT NULL,
  CHECK ((project_id IS NOT NULL) = (scope = 'project') AND (route_id IS NOT NULL) = (scope = 'route'))
) STRICT;
CREATE UNIQUE INDEX suppressions_whom
  ON suppressions (address_hash, scope, coalesce(project_id, ''), coalesce(route_id, ''));

-- How messages ended at addresses that lately had a soft bounce: several without a delivery suppress the address.
CREATE TABLE soft_bounces (
  address_hash BLOB NOT NULL,
  message_seq  INTEGER NOT NULL,
  -- 0 where it arrived
  is_bounce    INTEGER NOT NULL CHECK (is_bounce IN (0, 1)),
  at           INTEGER NOT NULL,
  PRIMARY KEY (address_hash, message_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX soft_bounces_old ON soft_bounces (at);

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

-- Routes with a hard bounce or complaint in the window: from the UTC day `look_on` on, the next counted mail makes the
-- guardrail look again.
CREATE TABLE guardrail_watch (
  route_id TEXT PRIMARY KEY REFERENCES routes (id),
  look_on  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What the day of the last resumption had counted before it.
CREATE TABLE guardrail_baselines (
  route_id     TEXT PRIMARY KEY REFERENCES routes (id),
  day          INTEGER NOT NULL,
  sent         INTEGER NOT NULL,
  refused      INTEGER NOT NULL,
  hard_bounced INTEGER NOT NULL,
  soft_bounced INTEGER NOT NULL,
  complaints   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

-- How far webhooks and alerts have read the events.
CREATE TABLE event_cursors (
  follower TEXT PRIMARY KEY CHECK (follower IN ('webhooks', 'alerts', 'forwards', 'audience')),
  seq      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE webhooks (
  -- short name in deliveries; never used twice
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  name            TEXT NOT NULL,
  -- sealed: its query may hold a secret of the receiver
  sealed_url      BLOB NOT NULL,
  events_json     TEXT NOT NULL,
  -- how much of a mail received it gets
  inbound_mail    TEXT NOT NULL DEFAULT 'small' CHECK (inbound_mail IN ('small', 'whole')),
  sealed_secret   BLOB NOT NULL,
  -- the one before the last rotation, which signs too until `former_until`
  sealed_former   BLOB,
  former_until    INTEGER,
  status          TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  disabled_reason TEXT,
  disabled_at     INTEGER,
  -- 0: the owners are not yet notified that it is disabled
  disabled_told   INTEGER NOT NULL DEFAULT 1 CHECK (disabled_told IN (0, 1)),
  -- the first failure since the last success
  failing_since   INTEGER,
  -- of the last attempt, where that failed
  last_error      TEXT,
  -- events up to here are older than the webhook
  after_seq       INTEGER NOT NULL,
  -- hidden: its deliveries are removed in batches, then the row
  removed_at      INTEGER,
  created_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_deliveries (
  seq              INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT NOT NULL UNIQUE,
  webhook          INTEGER NOT NULL REFERENCES webhooks (number),
  event            TEXT NOT NULL,
  -- in `events`; null for a test
  event_seq        INTEGER,
  -- deliveries to one webhook with the same key go one after the other
  order_key        INTEGER NOT NULL,
  status           TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts         INTEGER NOT NULL DEFAULT 0,
  -- attempts before the last replay, which restarts the schedule
  attempts_before  INTEGER NOT NULL DEFAULT 0,
  -- null while an earlier delivery with the same key is pending
  next_attempt_at  INTEGER,
  response_status  INTEGER,
  response_excerpt TEXT,
  error            TEXT,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook, next_attempt_at)
  WHERE status = 'pending' AND next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (webhook, order_key, seq) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (webhook, status, seq) WHERE status <> 'delivered';
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook, seq);

CREATE TABLE alerts (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  name            TEXT NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('slack', 'teams')),
  -- sealed: knowing it is enough to post
  sealed_url      BLOB NOT NULL,
  events_json     TEXT NOT NULL,
  language        TEXT NOT NULL CHECK (language IN ('de', 'en')),
  status          TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  disabled_reason TEXT,
  disabled_at     INTEGER,
  disabled_told   INTEGER NOT NULL DEFAULT 1 CHECK (disabled_told IN (0, 1)),
  failing_since   INTEGER,
  after_seq       INTEGER NOT NULL,
  -- when the gathered events are sent; null: there are none
  due_at          INTEGER,
  -- of the message that is being sent
  attempts        INTEGER NOT NULL DEFAULT 0,
  last_sent_at    INTEGER,
  last_error      TEXT,
  created_at      INTEGER NOT NULL
) STRICT;

-- Events that an alert has gathered and not sent yet, by type.
CREATE TABLE alert_counts (
  alert        INTEGER NOT NULL REFERENCES alerts (number) ON DELETE CASCADE,
  -- 1: part of the message that is being sent
  sending      INTEGER NOT NULL CHECK (sending IN (0, 1)),
  event        TEXT NOT NULL,
  count        INTEGER NOT NULL,
  first_at     INTEGER NOT NULL,
  last_at      INTEGER NOT NULL,
  samples_json TEXT NOT NULL,
  PRIMARY KEY (alert, sending, event)
) STRICT, WITHOUT ROWID;

-- Reports about the tenant's domains that receivers have sent, also those that could not be taken.
CREATE TABLE domain_reports (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  kind         TEXT NOT NULL CHECK (kind IN ('dmarc', 'tls')),
  domain       TEXT NOT NULL,
  -- the next four are null where the report could not be read
  organisation TEXT COLLATE NOCASE,
  report_id    TEXT,
  begins_at    INTEGER,
  ends_at      INTEGER,
  -- domain in From of the mail: proved where the report was taken
  sender       TEXT,
  -- mails or sessions
  counted      INTEGER NOT NULL,
  -- records that could not be read
  unreadable   INTEGER NOT NULL,
  -- how often it came again
  repeats      INTEGER NOT NULL DEFAULT 0,
  -- null: it was taken
  fault        TEXT,
  fault_detail TEXT,
  received_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX domain_reports_once ON domain_reports (domain, kind, organisation, report_id, begins_at, ends_at, sender)
  WHERE fault IS NULL;
CREATE INDEX domain_reports_received ON domain_reports (received_at);

-- What DMARC reports say of mail in the name of a domain, by the number of the UTC day since 1970.
CREATE TABLE dmarc_sources (
  seq         INTEGER PRIMARY KEY,
  domain      TEXT NOT NULL,
  day         INTEGER NOT NULL,
  -- IP address; empty: all others
  source      TEXT NOT NULL,
  -- 1: mail of this service
  is_known    INTEGER NOT NULL CHECK (is_known IN (0, 1)),
  mails       INTEGER NOT NULL,
  passed      INTEGER NOT NULL,
  dkim_passed INTEGER NOT NULL,
  spf_passed  INTEGER NOT NULL,
  quarantined INTEGER NOT NULL,
  rejected    INTEGER NOT NULL,
  -- of the last report
  dkim_domain TEXT,
  spf_domain  TEXT,
  UNIQUE (day, domain, source, is_known)
) STRICT;

-- What reports about TLS say of sessions with a receiving host, by the number of the UTC day since 1970.
CREATE TABLE tls_sessions (
  seq      INTEGER PRIMARY KEY,
  host     TEXT NOT NULL,
  day      INTEGER NOT NULL,
  -- 'succeeded', 'failed', or the type of a failure (RFC 8460 §4.3), which 'failed' counts too
  result   TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  UNIQUE (day, host, result)
) STRICT;

-- Whether mail at the hosts `in.<sending host>` is received, and how: src/inbound/options.ts.
CREATE TABLE inbound_settings (
  only         INTEGER PRIMARY KEY CHECK (only = 1),
  -- null: it is not
  enabled_at   INTEGER,
  options_json TEXT NOT NULL
) STRICT;

-- Mail received, one row for all its recipients of this tenant.
CREATE TABLE inbound_messages (
  -- named in events, therefore never used twice
  seq                 INTEGER PRIMARY KEY AUTOINCREMENT,
  id                  TEXT NOT NULL UNIQUE,
  -- 'held' and 'quarantined' wait until someone releases them
  state               TEXT NOT NULL CHECK (state IN ('inbox', 'held', 'quarantined')),
  -- why it waits; null in the inbox
  state_reason        TEXT,
  -- MAIL FROM; empty: the null sender
  mail_from           TEXT NOT NULL,
  -- RCPT TO, those of this tenant
  recipients_json     TEXT NOT NULL,
  from_json           TEXT NOT NULL,
  to_json             TEXT NOT NULL,
  cc_json             TEXT NOT NULL,
  subject             TEXT NOT NULL,
  -- as its sender wrote it
  sent_at             INTEGER,
  internet_message_id TEXT,
  in_reply_to         TEXT,
  references_json     TEXT NOT NULL,
  -- the message of ours that it answers
  reply_to_seq        INTEGER,
  -- the id of the first message of the conversation, ours or received
  thread_id           TEXT NOT NULL,
  auth_json           TEXT NOT NULL,
  spam_json           TEXT NOT NULL,
  size_bytes          INTEGER NOT NULL,
  received_at         INTEGER NOT NULL,
  read_at             INTEGER
) STRICT;
CREATE INDEX inbound_messages_counts ON inbound_messages (state, read_at, size_bytes);
CREATE INDEX inbound_messages_state ON inbound_messages (state);
CREATE INDEX inbound_messages_unread ON inbound_messages (read_at) WHERE read_at IS NULL;
CREATE INDEX inbound_messages_thread ON inbound_messages (thread_id, seq);
CREATE INDEX inbound_messages_answered ON inbound_messages (reply_to_seq, seq) WHERE reply_to_seq IS NOT NULL;
CREATE INDEX inbound_messages_name ON inbound_messages (internet_message_id) WHERE internet_message_id IS NOT NULL;

-- What a search looks in, folded; apart from the row, so that all of it is read fast.
CREATE TABLE inbound_texts (
  message_seq INTEGER PRIMARY KEY REFERENCES inbound_messages (seq) ON DELETE CASCADE,
  text        TEXT NOT NULL
) STRICT;

-- Its source in pieces, so that a large one is read, sent and removed piece by piece.
CREATE TABLE inbound_pieces (
  message_seq INTEGER NOT NULL,
  position    INTEGER NOT NULL,
  content     BLOB NOT NULL,
  PRIMARY KEY (message_seq, position)
) STRICT;

-- Mail that was removed, as long as it has pieces.
CREATE TABLE inbound_removed (
  seq INTEGER PRIMARY KEY
) STRICT;

-- Addresses to which mail received is to be forwarded, or was: src/inbound/forwarding/.
CREATE TABLE forward_targets (
  -- in the link of the mail that asks the address, therefore never used twice
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  -- in lower case
  address_key  TEXT NOT NULL UNIQUE,
  address      TEXT NOT NULL,
  -- 'removed': no mailbox forwards there any more; kept for a while, so that the address is not asked again at once
  status       TEXT NOT NULL CHECK (status IN ('unconfirmed', 'confirmed', 'failed', 'removed')),
  -- why it failed: 'declined' by the address itself, or the reply of its server; or why it is not asked
  failure      TEXT,
  -- 0: the owners must still be notified that it failed
  owners_told  INTEGER NOT NULL DEFAULT 1 CHECK (owners_told IN (0, 1)),
  -- mails that have asked it, and when the last one did; null: it is to be asked
  asks         INTEGER NOT NULL DEFAULT 0,
  asked_at     INTEGER,
  -- of the status
  changed_at   INTEGER NOT NULL
) STRICT;

-- What follows from a mail received: a copy to an address that mail is forwarded to, or the automatic reply to its sender.
CREATE TABLE inbound_forwards (
  -- in the return path of the copy, therefore never used twice
  seq             INTEGER PRIMARY KEY AUTOINCREMENT,
  message_seq     INTEGER NOT NULL REFERENCES inbound_messages (seq) ON DELETE CASCADE,
  kind            TEXT NOT NULL CHECK (kind IN ('forward', 'reply')),
  -- the tenant's address that the mail came to
  recipient       TEXT NOT NULL,
  target          TEXT NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('pending', 'sent', 'failed', 'suppressed')),
  attempts        INTEGER NOT NULL DEFAULT 0,
  -- null: it has ended
  next_attempt_at INTEGER,
  -- the last reply, or why there was no attempt
  diagnostic      TEXT,
  created_at      INTEGER NOT NULL,
  changed_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX inbound_forwards_message ON inbound_forwards (message_seq);
CREATE INDEX inbound_forwards_due ON inbound_forwards (kind, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
-- Copies that went or are to go: a flood of refused ones is not counted through. No row is read.
CREATE INDEX inbound_forwards_rate ON inbound_forwards (target, created_at, kind, status)
  WHERE kind = 'forward' AND status IN ('pending', 'sent');
CREATE INDEX inbound_forwards_age ON inbound_forwards (created_at, kind, status)
  WHERE kind = 'forward' AND status IN ('pending', 'sent');

-- Keyed hashes of the senders who got an automatic reply.
CREATE TABLE automatic_replies (
  sender_hash BLOB PRIMARY KEY,
  replied_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX automatic_replies_age ON automatic_replies (replied_at);

-- By these other programs send with nothing but an address and a secret. SHA-256 of the secrets is in the registry.
CREATE TABLE inbound_hooks (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  -- null: the default project
  project_id   TEXT REFERENCES projects (id),
  -- until then the secret before the last rotation is valid
  former_until INTEGER,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

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
  language        TEXT NOT NULL CHECK (language IN ('de', 'en')),
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

-- Who objected to tracking, by the hash of suppressions, and the entry of the ledger that says so.
CREATE TABLE tracking_objections (
  address_hash BLOB PRIMARY KEY,
  consent_seq  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
-- They are listed in this order.
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

-- How the tenant's public pages look.
CREATE TABLE page_settings (
  only      INTEGER PRIMARY KEY CHECK (only = 1),
  -- #rrggbb
  colour    TEXT,
  logo      BLOB,
  logo_type TEXT
) STRICT;

-- The practice at the payment provider: its customer and subscription, as they were when the provider was last asked.
CREATE TABLE billing (
  only               INTEGER PRIMARY KEY CHECK (only = 1),
  customer_id        TEXT NOT NULL,
  -- the last checkout that was begun here
  checkout_at        INTEGER,
  -- null until there is a subscription; so are the columns that follow
  subscription_id    TEXT,
  status             TEXT,
  since              INTEGER,
  current_period_end INTEGER,
  -- when it ends, because it was cancelled for then
  cancels_at         INTEGER,
  -- until when the plan is kept although a payment failed
  grace_until        INTEGER,
  -- when the provider was last asked
  confirmed_at       INTEGER,
  -- what the owners are not yet notified of, and when it happened
  notice             TEXT CHECK (notice IN ('payment_failed', 'plan_ended')),
  notice_at          INTEGER
) STRICT;
