-- What inbound/ keeps in the file of each tenant.

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
  -- null: it has ended; one that is pending is held since a restore, until a person sends or discards it
  next_attempt_at INTEGER,
  -- the last reply, or why there was no attempt
  diagnostic      TEXT,
  created_at      INTEGER NOT NULL,
  changed_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX inbound_forwards_message ON inbound_forwards (message_seq);
CREATE INDEX inbound_forwards_due ON inbound_forwards (kind, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX inbound_forwards_held ON inbound_forwards (status) WHERE status = 'pending' AND next_attempt_at IS NULL;
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

-- Other programs send through a hook with nothing but an address and a secret.
CREATE TABLE inbound_hooks (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  -- null: the default project
  project_id   TEXT REFERENCES projects (id),
  -- SHA-256 of the secret and of the one before it, by which the registry lets requests in
  hash         BLOB NOT NULL,
  former_hash  BLOB,
  -- until then the secret before the last rotation is valid
  former_until INTEGER,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
