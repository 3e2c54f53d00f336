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
