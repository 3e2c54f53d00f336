-- What insight/ keeps in the file of each tenant.

-- Reports about the tenant's domains that receivers have sent, also those that could not be taken.
CREATE TABLE domain_reports (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  kind         TEXT NOT NULL CHECK (kind IN ('dmarc', 'tls')),
  domain       TEXT NOT NULL,
  -- the next four are null where the report could not be read
  organisation TEXT COLLATE NOCASE,
  report_id    TEXT,
  begins_at    INTEGER,
  ends_at      INTEGER,
  -- domain in From of the mail: proved where the report was taken
  sender       TEXT,
  -- mails or sessions
  counted      INTEGER NOT NULL,
  -- records that could not be read
  unreadable   INTEGER NOT NULL,
  -- how often it came again
  repeats      INTEGER NOT NULL DEFAULT 0,
  -- null: it was taken
  fault        TEXT,
  fault_detail TEXT,
  received_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX domain_reports_once ON domain_reports (domain, kind, organisation, report_id, begins_at, ends_at, sender)
  WHERE fault IS NULL;
CREATE INDEX domain_reports_received ON domain_reports (received_at);

-- What DMARC reports say of mail in the name of a domain, by the number of the UTC day since 1970.
CREATE TABLE dmarc_sources (
  seq         INTEGER PRIMARY KEY,
  domain      TEXT NOT NULL,
  day         INTEGER NOT NULL,
  -- IP address; empty: all others
  source      TEXT NOT NULL,
  -- 1: mail of this service
  is_known    INTEGER NOT NULL CHECK (is_known IN (0, 1)),
  mails       INTEGER NOT NULL,
  passed      INTEGER NOT NULL,
  dkim_passed INTEGER NOT NULL,
  spf_passed  INTEGER NOT NULL,
  quarantined INTEGER NOT NULL,
  rejected    INTEGER NOT NULL,
  -- of the last report
  dkim_domain TEXT,
  spf_domain  TEXT,
  UNIQUE (day, domain, source, is_known)
) STRICT;

-- What reports about TLS say of sessions with a receiving host, by the number of the UTC day since 1970.
CREATE TABLE tls_sessions (
  seq      INTEGER PRIMARY KEY,
  host     TEXT NOT NULL,
  day      INTEGER NOT NULL,
  -- 'succeeded', 'failed', or the type of a failure (RFC 8460 §4.3), which 'failed' counts too
  result   TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  UNIQUE (day, host, result)
) STRICT;
