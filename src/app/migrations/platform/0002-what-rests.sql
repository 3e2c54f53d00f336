-- Tenants whose files were written since their followers and their summary last looked: a start opens the files of these alone.
CREATE TABLE written_tenants (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- When the follower has something to do of a tenant that was not written since. NULL: nothing; 0: it has not looked yet
ALTER TABLE event_followers ADD COLUMN due_at INTEGER DEFAULT 0;

-- What the operator's list shows of a practice and looks for, as its file said after the last write that was looked at.
CREATE TABLE practice_summaries (
  number       INTEGER PRIMARY KEY REFERENCES tenants (number) ON DELETE CASCADE,
  plan         TEXT NOT NULL,
  is_paused    INTEGER NOT NULL CHECK (is_paused IN (0, 1)),
  approval     TEXT NOT NULL,
  -- name, slug and domains
  words        TEXT NOT NULL,
  -- mails, one a recipient, of that UTC month
  month        TEXT NOT NULL,
  accepted     INTEGER NOT NULL,
  shown_json   TEXT NOT NULL
) STRICT;
