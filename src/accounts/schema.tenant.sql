-- What accounts/ keeps in the file of each tenant.

CREATE TABLE practice (
  only               INTEGER PRIMARY KEY CHECK (only = 1),
  id                 TEXT NOT NULL,
  number             INTEGER NOT NULL,
  name               TEXT NOT NULL,
  slug               TEXT NOT NULL,
  managed_host       TEXT NOT NULL,
  -- the custom domain in use, verified
  custom_domain      TEXT,
  custom_verified_at INTEGER,
  -- a custom domain that is not verified yet
  pending_domain     TEXT,
  plan               TEXT NOT NULL,
  safe_mode          INTEGER NOT NULL CHECK (safe_mode IN (0, 1)),
  -- as the registry says it: 'system' sends the service's own mail
  purpose            TEXT NOT NULL DEFAULT 'practice' CHECK (purpose IN ('practice', 'system')),
  -- 1: switched on by the operator, whose approval alone ends it
  safe_mode_held     INTEGER NOT NULL DEFAULT 0 CHECK (safe_mode_held IN (0, 1)),
  -- by the operator, on the plan that needs it before going live
  approved_at        INTEGER,
  pause_reason       TEXT,
  pause_by           TEXT,
  paused_at          INTEGER,
  -- the last resumption: the guardrail counts from there
  resumed_at         INTEGER,
  -- 0: the owners are not yet notified of the pause or resumption
  pause_told         INTEGER NOT NULL DEFAULT 1 CHECK (pause_told IN (0, 1)),
  -- who paused or resumed last, or what the guardrail counted
  pause_facts_json   TEXT,
  legal_street       TEXT,
  legal_city         TEXT,
  legal_privacy_url  TEXT,
  legal_email          TEXT,
  legal_phone          TEXT,
  legal_represented_by TEXT,
  legal_register       TEXT,
  legal_vat_id         TEXT,
  legal_authority      TEXT,
  legal_imprint_url    TEXT,
  -- where answers to mail without a Reply-To go; null: to the practice's mailbox, while it receives mail
  reply_address      TEXT,
  -- 0: mail without a Reply-To leaves without one
  adds_reply_to      INTEGER NOT NULL DEFAULT 1 CHECK (adds_reply_to IN (0, 1)),
  warmup_started_at  INTEGER,
  bimi_logo_url        TEXT,
  bimi_certificate_url TEXT,
  -- retention in days where it is shorter than the configured one; null: as configured
  keep_bodies        INTEGER,
  keep_attachments   INTEGER,
  keep_events        INTEGER,
  keep_messages      INTEGER,
  keep_consent_ip    INTEGER,
  keep_consent_user_agent INTEGER,
  created_at         INTEGER NOT NULL
) STRICT;

-- The keys of its hashes, links and return paths, sealed under the master key, so that the file needs no registry to be of use again.
CREATE TABLE lasting_keys (
  only   INTEGER PRIMARY KEY CHECK (only = 1),
  sealed BLOB NOT NULL
) STRICT;

CREATE TABLE projects (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  slug        TEXT NOT NULL UNIQUE,
  is_default  INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  archived_at INTEGER,
  -- null: as the practice says
  reply_address TEXT,
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX projects_default ON projects (is_default) WHERE is_default = 1;

CREATE TABLE routes (
  id                  TEXT PRIMARY KEY,
  slug                TEXT NOT NULL UNIQUE,
  name                TEXT NOT NULL,
  type                TEXT NOT NULL CHECK (type IN ('transactional', 'marketing')),
  project_id          TEXT REFERENCES projects (id),
  is_default          INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  track_opens         INTEGER NOT NULL CHECK (track_opens IN (0, 1)),
  track_clicks        INTEGER NOT NULL CHECK (track_clicks IN (0, 1)),
  plain_text_fallback INTEGER NOT NULL CHECK (plain_text_fallback IN (0, 1)),
  -- null: as the project says
  reply_address       TEXT,
  created_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX routes_default ON routes (is_default) WHERE is_default = 1;

-- Mails (one a recipient) per route, project and UTC day; `day` counts from the epoch. A route may be that of all projects.
CREATE TABLE counters (
  day          INTEGER NOT NULL,
  route_id     TEXT NOT NULL REFERENCES routes (id),
  project_id   TEXT NOT NULL REFERENCES projects (id),
  accepted     INTEGER NOT NULL,
  sent         INTEGER NOT NULL DEFAULT 0,
  -- refused for good by the upstream, never sent
  refused      INTEGER NOT NULL DEFAULT 0,
  delivered    INTEGER NOT NULL DEFAULT 0,
  hard_bounced INTEGER NOT NULL DEFAULT 0,
  soft_bounced INTEGER NOT NULL DEFAULT 0,
  complaints   INTEGER NOT NULL DEFAULT 0,
  unsubscribes INTEGER NOT NULL DEFAULT 0,
  -- recipients who opened and clicked, once each, machines not counted
  opens        INTEGER NOT NULL DEFAULT 0,
  clicks       INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, route_id, project_id)
) STRICT, WITHOUT ROWID;

-- Accepted mails (one a recipient) per channel, project and UTC day.
CREATE TABLE channel_counters (
  day        INTEGER NOT NULL,
  project_id TEXT NOT NULL,
  channel    TEXT NOT NULL,
  accepted   INTEGER NOT NULL,
  PRIMARY KEY (day, project_id, channel)
) STRICT, WITHOUT ROWID;

-- Mails (one a recipient) accepted in a UTC month, those of them whose From is on a domain of the practice's own, and the
-- highest share of the cap (70, 90, 100 %) that the owners were notified of.
CREATE TABLE monthly_usage (
  month      TEXT PRIMARY KEY,
  accepted   INTEGER NOT NULL,
  own_domain INTEGER NOT NULL DEFAULT 0,
  told       INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Mails that go out on a UTC day, per stream, whenever they were accepted. The warm-up's caps read it.
CREATE TABLE daily_volume (
  day    INTEGER NOT NULL,
  stream TEXT NOT NULL CHECK (stream IN ('transactional', 'marketing')),
  mails  INTEGER NOT NULL,
  PRIMARY KEY (stream, day)
) STRICT, WITHOUT ROWID;

-- How the tenant's public pages look.
CREATE TABLE page_settings (
  only      INTEGER PRIMARY KEY CHECK (only = 1),
  -- #rrggbb
  colour    TEXT,
  logo      BLOB,
  logo_type TEXT
) STRICT;

-- The practice at the payment provider: its customer and subscription, as they were when the provider was last asked.
CREATE TABLE billing (
  only               INTEGER PRIMARY KEY CHECK (only = 1),
  customer_id        TEXT NOT NULL,
  -- the last checkout that was begun here
  checkout_at        INTEGER,
  -- null until there is a subscription; so are the columns that follow
  subscription_id    TEXT,
  status             TEXT,
  since              INTEGER,
  current_period_end INTEGER,
  -- when it ends, because it was cancelled for then
  cancels_at         INTEGER,
  -- until when the plan is kept although a payment failed
  grace_until        INTEGER,
  -- when the provider was last asked
  confirmed_at       INTEGER,
  -- what the owners are not yet notified of, and when it happened
  notice             TEXT CHECK (notice IN ('payment_failed', 'plan_ended')),
  notice_at          INTEGER
) STRICT;

CREATE TABLE api_tokens (
  id           TEXT PRIMARY KEY,
  -- SHA-256 of the token, by which the registry lets its bearer in
  hash         BLOB NOT NULL,
  name         TEXT NOT NULL,
  scope        TEXT NOT NULL CHECK (scope IN ('team', 'project')),
  project_id   TEXT REFERENCES projects (id),
  expires_at   INTEGER,
  allowed_json TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

-- Custom roles; those of the system are in the program.
CREATE TABLE roles (
  id               TEXT PRIMARY KEY,
  name             TEXT NOT NULL COLLATE NOCASE UNIQUE,
  permissions_json TEXT NOT NULL,
  created_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  id               TEXT PRIMARY KEY,
  email_key        TEXT NOT NULL UNIQUE,
  email            TEXT NOT NULL,
  -- of the system or of `roles`
  role_id          TEXT NOT NULL,
  -- 'invited' until the address has accepted
  status           TEXT NOT NULL CHECK (status IN ('invited', 'active')),
  all_projects     INTEGER NOT NULL CHECK (all_projects IN (0, 1)),
  project_ids_json TEXT NOT NULL,
  created_at       INTEGER NOT NULL,
  accepted_at      INTEGER,
  -- of the account, when it became a member
  language         TEXT NOT NULL CHECK (language <> ''),
  -- SHA-256 of the token in the link, and until when that is valid; null: no invitation is open
  invitation_hash       BLOB,
  invitation_expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX members_role ON members (role_id);
