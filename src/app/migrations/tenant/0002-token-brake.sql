-- What is usual for each API token, and how one that leaves its usual range is slowed: feedback/brake/.

-- The token by which it was sent; null: by none, or before this was kept.
ALTER TABLE messages ADD COLUMN token_id TEXT;

-- What each token sent on a UTC day; `day` counts from the epoch. Rows outlive their token, so that a new one is judged by
-- what is usual for the practice.
CREATE TABLE token_days (
  token_id     TEXT NOT NULL,
  day          INTEGER NOT NULL,
  -- accepted, one a recipient
  mails        INTEGER NOT NULL DEFAULT 0,
  -- the most of an hour
  busiest_hour INTEGER NOT NULL DEFAULT 0,
  hard_bounced INTEGER NOT NULL DEFAULT 0,
  complaints   INTEGER NOT NULL DEFAULT 0,
  -- 1: it was slowed on that day, so the day says nothing of what is usual
  is_slowed    INTEGER NOT NULL DEFAULT 0 CHECK (is_slowed IN (0, 1)),
  -- 1: a person said that what it sent was right
  is_approved  INTEGER NOT NULL DEFAULT 0 CHECK (is_approved IN (0, 1)),
  PRIMARY KEY (token_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE token_brakes (
  -- '': the line in which the mails of all slowed tokens wait that have no usual range of their own
  token_id     TEXT PRIMARY KEY,
  -- null: it is not slowed
  slowed_at    INTEGER,
  -- it ends then, or when the last mail of the line has left
  slowed_until INTEGER,
  slowed_by    TEXT CHECK (slowed_by IN ('brake', 'member', 'operator')),
  reason_json  TEXT,
  per_hour     INTEGER,
  -- 1: its mails wait in the line ''
  is_in_common INTEGER NOT NULL DEFAULT 0 CHECK (is_in_common IN (0, 1)),
  -- when the next mail of its line may leave
  next_at      INTEGER,
  -- a person has said that what it sends until then is right
  lifted_until INTEGER,
  -- 0: owners and operator are not yet notified
  told         INTEGER NOT NULL DEFAULT 1 CHECK (told IN (0, 1))
) STRICT, WITHOUT ROWID;

-- Messages that the brake keeps waiting.
CREATE TABLE slowed_messages (
  message_seq INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  token_id    TEXT NOT NULL,
  mails       INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  -- when it would be due without the brake
  else_due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX slowed_messages_token ON slowed_messages (token_id, due_at);
