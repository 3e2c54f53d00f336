-- Who follows the events: webhooks and alerts.

-- How far each has read; without a row it has told nobody yet.
CREATE TABLE event_cursors (
  follower TEXT PRIMARY KEY CHECK (follower IN ('webhooks', 'alerts')),
  seq      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE webhooks (
  -- short name in deliveries; never used twice
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  name            TEXT NOT NULL,
  -- sealed: its query may hold a secret of the receiver's
  sealed_url      BLOB NOT NULL,
  events_json     TEXT NOT NULL,
  sealed_secret   BLOB NOT NULL,
  -- the one before the last rotation, which signs too until then
  sealed_former   BLOB,
  former_until    INTEGER,
  status          TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  disabled_reason TEXT,
  disabled_at     INTEGER,
  -- 0: the owners are still to be told that it has been disabled
  disabled_told   INTEGER NOT NULL DEFAULT 1 CHECK (disabled_told IN (0, 1)),
  -- the first failure since the last success
  failing_since   INTEGER,
  -- what came of the last attempt, where that failed
  last_error      TEXT,
  -- events up to here were before its time
  after_seq       INTEGER NOT NULL,
  -- shown no more: its deliveries are removed some at a time, then it
  removed_at      INTEGER,
  created_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_deliveries (
  seq              INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT NOT NULL UNIQUE,
  webhook          INTEGER NOT NULL REFERENCES webhooks (number),
  event            TEXT NOT NULL,
  -- in `events`; null of a test
  event_seq        INTEGER,
  -- those to one webhook with the same key go one after the other
  order_key        INTEGER NOT NULL,
  status           TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts         INTEGER NOT NULL DEFAULT 0,
  -- attempts before the last replay, with which the schedule begins anew
  attempts_before  INTEGER NOT NULL DEFAULT 0,
  -- null while pending: an earlier one with the same key is to go first
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
  -- sealed: who knows it may post
  sealed_url      BLOB NOT NULL,
  events_json     TEXT NOT NULL,
  language        TEXT NOT NULL CHECK (language IN ('de', 'en')),
  status          TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  disabled_reason TEXT,
  disabled_at     INTEGER,
  disabled_told   INTEGER NOT NULL DEFAULT 1 CHECK (disabled_told IN (0, 1)),
  failing_since   INTEGER,
  after_seq       INTEGER NOT NULL,
  -- when what has been gathered is sent; null: nothing has been
  due_at          INTEGER,
  -- at what is gathered now
  attempts        INTEGER NOT NULL DEFAULT 0,
  last_sent_at    INTEGER,
  last_error      TEXT,
  created_at      INTEGER NOT NULL
) STRICT;

-- What an alert has gathered and not sent yet, by event.
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
