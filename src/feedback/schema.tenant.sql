-- What feedback/ keeps in the file of each tenant.

-- Addresses that get no mail.
CREATE TABLE suppressions (
  -- the order of lists and exports
  seq               INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  -- HMAC of the normalised address under a key of the installation, bound to the tenant
  address_hash      BLOB NOT NULL,
  -- null once the person's data has been erased: the hash still suppresses
  address           TEXT,
  scope             TEXT NOT NULL CHECK (scope IN ('team', 'project', 'route')),
  project_id        TEXT REFERENCES projects (id),
  route_id          TEXT REFERENCES routes (id),
  reason            TEXT NOT NULL
    CHECK (
      reason IN (
        'hard_bounce', 'soft_bounces', 'complaint', 'unsubscribe', 'unsubscribe_all', 'manual', 'import', 'erasure'
      )
    ),
  source_message_id TEXT,
  note              TEXT,
  -- for which channels the person came back since, by which entries of the ledger, as JSON; null: for none
  lifted_json       TEXT,
  created_at        INTEGER NOT NULL,
  CHECK ((project_id IS NOT NULL) = (scope = 'project') AND (route_id IS NOT NULL) = (scope = 'route'))
) STRICT;
CREATE UNIQUE INDEX suppressions_whom
  ON suppressions (address_hash, scope, coalesce(project_id, ''), coalesce(route_id, ''));

-- How messages ended at addresses that lately had a soft bounce: several without a delivery suppress the address.
CREATE TABLE soft_bounces (
  address_hash BLOB NOT NULL,
  message_seq  INTEGER NOT NULL,
  -- 0 where it arrived
  is_bounce    INTEGER NOT NULL CHECK (is_bounce IN (0, 1)),
  at           INTEGER NOT NULL,
  PRIMARY KEY (address_hash, message_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX soft_bounces_old ON soft_bounces (at);

-- Routes with a hard bounce or complaint in the window: from the UTC day `look_on` on, the next counted mail makes the
-- guardrail look again.
CREATE TABLE guardrail_watch (
  route_id TEXT PRIMARY KEY REFERENCES routes (id),
  look_on  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What the day of the last resumption had counted before it.
CREATE TABLE guardrail_baselines (
  route_id     TEXT PRIMARY KEY REFERENCES routes (id),
  day          INTEGER NOT NULL,
  sent         INTEGER NOT NULL,
  refused      INTEGER NOT NULL,
  hard_bounced INTEGER NOT NULL,
  soft_bounced INTEGER NOT NULL,
  complaints   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who objected to tracking, by the hash of suppressions, and the entry of the ledger that says so.
CREATE TABLE tracking_objections (
  address_hash BLOB PRIMARY KEY,
  consent_seq  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
