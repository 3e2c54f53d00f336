-- What relay/ keeps in the file of each tenant.

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
