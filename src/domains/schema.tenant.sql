-- What domains/ keeps in the file of each tenant.

-- Custom domains that were asked for, in use or not.
CREATE TABLE sending_domains (
  name        TEXT PRIMARY KEY,
  attached_at INTEGER NOT NULL,
  -- first verification: day 1 of the warm-up
  verified_at INTEGER,
  -- since when it is no longer in use; its keys stay published for the mail in flight
  retired_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE dkim_keys (
  domain       TEXT NOT NULL,
  -- the selector: one of the host's tokens, or that of an imported key
  token        TEXT NOT NULL,
  -- among the host's tokens, from 1; 0: imported
  position     INTEGER NOT NULL,
  algorithm    TEXT NOT NULL CHECK (algorithm IN ('rsa-sha256', 'ed25519-sha256')),
  -- 'active' signs; 'next' is published and waits for the rotation; 'retiring' signs no more and is published for what it
  -- signed; 'revoked' is published as withdrawn (RFC 6376 §3.6.1: an empty p=)
  role         TEXT NOT NULL CHECK (role IN ('active', 'next', 'retiring', 'revoked')),
  sealed_key   BLOB NOT NULL,
  -- of this key, not of its token
  created_at   INTEGER NOT NULL,
  -- since when the registry shows this role
  published_at INTEGER,
  activated_at INTEGER,
  retired_at   INTEGER,
  PRIMARY KEY (domain, token)
) STRICT, WITHOUT ROWID;

-- The last check of each host's records. `standings_json`: the health of each record, since when, and who was notified.
CREATE TABLE dns_checks (
  host           TEXT PRIMARY KEY,
  checked_at     INTEGER NOT NULL,
  result_json    TEXT NOT NULL,
  standings_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
