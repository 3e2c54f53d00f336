-- What smtp/ keeps in the registry.

-- Clients whose mail comes again after a while, and mails that wait for that: src/smtp/greylist.ts.
CREATE TABLE greylist (
  -- the network of a client that is known, or the digest of a mail that waits
  name    TEXT PRIMARY KEY,
  -- what the waiting mail takes its place of; null: the client is known
  block   TEXT,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
