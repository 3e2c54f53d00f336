-- Images of the practice's mail: messages/image-store.ts. They are public, so nothing of them is sealed.
CREATE TABLE images (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256 of the content, in hex
  id           TEXT NOT NULL UNIQUE,
  -- that of the file that was uploaded
  name         TEXT,
  content_type TEXT NOT NULL,
  width        INTEGER NOT NULL,
  height       INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  -- when it was last uploaded, sent, or no longer shown by something: an unused image is kept from then on
  used_at      INTEGER NOT NULL,
  -- last: lists are read without it
  content      BLOB NOT NULL
) STRICT;

-- What shows an image: the template in any of its kept versions, the campaign, the letterhead.
CREATE TABLE image_uses (
  used_by   TEXT NOT NULL CHECK (used_by IN ('template', 'campaign', 'letterhead')),
  -- the id of the template or campaign
  user_id   TEXT NOT NULL,
  image_seq INTEGER NOT NULL REFERENCES images (seq) ON DELETE CASCADE,
  PRIMARY KEY (used_by, user_id, image_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_uses_image ON image_uses (image_seq);

-- Whether mails carry the images, or link to them.
ALTER TABLE templates ADD COLUMN images TEXT NOT NULL DEFAULT 'linked' CHECK (images IN ('linked', 'inline'));

-- A mail that carries an image has a row without its bytes.
ALTER TABLE attachments ADD COLUMN image_seq INTEGER;
CREATE INDEX attachments_image ON attachments (image_seq) WHERE image_seq IS NOT NULL;

-- Documents of templates, and the letterhead around what is made of them: intake/documents/.

-- What text and HTML were made of; null: they are source.
ALTER TABLE template_versions ADD COLUMN document_json TEXT;
-- The MJML that the HTML was made of; null: the HTML was written, or made of a document.
ALTER TABLE template_versions ADD COLUMN mjml TEXT;

-- One row; none until something is chosen.
CREATE TABLE letterheads (
  number    INTEGER PRIMARY KEY CHECK (number = 1),
  -- id of an image
  logo      TEXT,
  logo_alt  TEXT NOT NULL,
  -- #rrggbb
  colour    TEXT,
  -- lines with placeholders
  signature TEXT
) STRICT;

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

-- Choices of people that are saved under a name, for campaigns: audience/segments/.

CREATE TABLE segments (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
  list_ids_json TEXT NOT NULL,
  -- conditions as a campaign has them
  filter_json   TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;

-- When mail that a subscriber reads was measured with their consent, for the conditions of segments: audience/log/follow.ts. A time is
-- there only while they are on the list and agree to it.

-- when the last mail of a campaign left whose opens or clicks are recorded
ALTER TABLE subscribers ADD COLUMN tracked_at INTEGER;
-- when they last opened one, and followed a link; machines are not counted
ALTER TABLE subscribers ADD COLUMN opened_at INTEGER;
ALTER TABLE subscribers ADD COLUMN clicked_at INTEGER;
-- Retention looks for the earliest of the three.
CREATE INDEX subscribers_read ON subscribers (min(ifnull(tracked_at, 9e15), ifnull(opened_at, 9e15), ifnull(clicked_at, 9e15)))
  WHERE tracked_at IS NOT NULL OR opened_at IS NOT NULL OR clicked_at IS NOT NULL;
