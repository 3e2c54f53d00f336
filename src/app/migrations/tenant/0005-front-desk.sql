-- Forms on websites that write to the practice (inbound/forms/), and what members do with conversations (inbound/desk/).

CREATE TABLE website_forms (
  -- in the form's address, therefore never used twice
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  settings_json TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;

-- What was sent by a form, for its limits and as long as the mail is kept that it became. Nothing of a person.
CREATE TABLE website_form_posts (
  seq         INTEGER PRIMARY KEY,
  form_seq    INTEGER NOT NULL REFERENCES website_forms (seq) ON DELETE CASCADE,
  posted_at   INTEGER NOT NULL,
  -- the mail received that it became
  inbound_seq INTEGER NOT NULL,
  -- the last mail that went to the address that was typed; null: none did
  message_seq INTEGER,
  -- when the address that was typed has proved that it was its owner; null: it has not
  proved_at   INTEGER
) STRICT;
CREATE INDEX website_form_posts_form ON website_form_posts (form_seq, posted_at);
CREATE INDEX website_form_posts_mail ON website_form_posts (inbound_seq);
CREATE INDEX website_form_posts_age ON website_form_posts (posted_at);

-- Conversations that someone has taken or done; the others are open and no one's.
CREATE TABLE inbound_threads (
  thread_id   TEXT PRIMARY KEY,
  -- id of the member who has it; null: no one
  assignee_id TEXT,
  -- null: it is open
  done_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX inbound_threads_assignee ON inbound_threads (assignee_id) WHERE assignee_id IS NOT NULL;

-- What members tell each other about a conversation. It is never sent.
CREATE TABLE inbound_notes (
  seq        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  thread_id  TEXT NOT NULL,
  -- the address of the member, or the name of the token
  author     TEXT NOT NULL,
  -- null: a token wrote it
  author_id  TEXT,
  text       TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX inbound_notes_thread ON inbound_notes (thread_id, seq);

CREATE TABLE saved_replies (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  text       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
