-- What followers/ keeps in the file of each tenant.

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
  language        TEXT NOT NULL CHECK (language <> ''),
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
