-- What people/ keeps in the registry.

-- SHA-256 of the bearer.
CREATE TABLE sessions (
  hash         BLOB PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  account_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- how its owner signed in
  method       TEXT NOT NULL CHECK (method IN ('code', 'password', 'invitation')),
  -- of the request that signed in, both shortened, so that its owner knows it again
  user_agent     TEXT NOT NULL,
  client_address TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_last_used ON sessions (last_used_at);
CREATE INDEX sessions_created ON sessions (created_at);

-- The live code of an address. Known and unknown addresses have the same rows, so that nothing tells them apart. Address and
-- code are HMACs under a key derived from the master key: six digits could be guessed from a plain hash.
CREATE TABLE sign_in_codes (
  email_mac  BLOB PRIMARY KEY,
  code_mac   BLOB NOT NULL,
  attempts   INTEGER NOT NULL,
  -- wrong guesses at the codes before this one, since the last right one
  failures   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- when the row may go: later where there were wrong guesses
  forget_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_codes_forget ON sign_in_codes (forget_at);
