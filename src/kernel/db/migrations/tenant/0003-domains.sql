-- Sending domains, their keys through a rotation, what the DNS was found to hold; and what counters know of mail's fate.

-- `custom_domain` is the one in use: what was only asked for stands apart from it, so that one can replace the other.
ALTER TABLE practice ADD COLUMN pending_domain TEXT;
UPDATE practice SET pending_domain = custom_domain, custom_domain = NULL WHERE custom_verified_at IS NULL;
-- By the operator, on the plan that needs it before going live.
ALTER TABLE practice ADD COLUMN approved_at INTEGER;
-- The operator has switched safe mode on: without his approval nobody leaves it. Before, nobody else could at all.
ALTER TABLE practice ADD COLUMN safe_mode_held INTEGER NOT NULL DEFAULT 0 CHECK (safe_mode_held IN (0, 1));
UPDATE practice SET safe_mode_held = safe_mode;
ALTER TABLE practice ADD COLUMN bimi_logo_url TEXT;
ALTER TABLE practice ADD COLUMN bimi_certificate_url TEXT;

-- Custom domains that were asked for, in use or not.
CREATE TABLE sending_domains (
  name        TEXT PRIMARY KEY,
  attached_at INTEGER NOT NULL,
  -- first verification: day 1 of the warm-up
  verified_at INTEGER,
  -- since when it is not in use any more; its keys stay published for the mail under way
  retired_at  INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO sending_domains (name, attached_at, verified_at)
SELECT coalesce(custom_domain, pending_domain), created_at, custom_verified_at
FROM practice WHERE coalesce(custom_domain, pending_domain) IS NOT NULL;

CREATE TABLE dkim_keys_of_hosts (
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
  -- since when the registry says what the role says
  published_at INTEGER,
  activated_at INTEGER,
  retired_at   INTEGER,
  PRIMARY KEY (domain, token)
) STRICT, WITHOUT ROWID;
INSERT INTO dkim_keys_of_hosts
  (domain, token, position, algorithm, role, sealed_key, created_at, published_at, activated_at)
SELECT domain, token, CASE WHEN algorithm <> 'rsa-sha256' THEN 3 WHEN role = 'active' THEN 1 ELSE 2 END,
  algorithm, role, sealed_key, created_at, created_at, CASE role WHEN 'active' THEN created_at END
FROM dkim_keys;
DROP TABLE dkim_keys;
ALTER TABLE dkim_keys_of_hosts RENAME TO dkim_keys;

-- The last look at each host's records. `standings_json`: since when which of them is right or wrong, and who was told.
CREATE TABLE dns_checks (
  host           TEXT PRIMARY KEY,
  checked_at     INTEGER NOT NULL,
  result_json    TEXT NOT NULL,
  standings_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE counters ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN hard_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN soft_bounced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN complaints INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN unsubscribes INTEGER NOT NULL DEFAULT 0;

-- Accepted mails (one a recipient) per channel, project and UTC day.
CREATE TABLE channel_counters (
  day        INTEGER NOT NULL,
  project_id TEXT NOT NULL,
  channel    TEXT NOT NULL,
  accepted   INTEGER NOT NULL,
  PRIMARY KEY (day, project_id, channel)
) STRICT, WITHOUT ROWID;
INSERT INTO channel_counters (day, project_id, channel, accepted)
SELECT created_at / 86400000, project_id, channel, count(*)
FROM messages JOIN recipients ON message_seq = seq GROUP BY 1, 2, 3;
