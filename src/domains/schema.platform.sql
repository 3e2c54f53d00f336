-- What domains/ keeps in the registry.

CREATE TABLE domains (
  name         TEXT PRIMARY KEY,
  -- the organizational domain that a custom domain belongs to, or is
  organization TEXT,
  tenant_id    TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  kind         TEXT NOT NULL CHECK (kind IN ('managed', 'custom')),
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX domains_tenant ON domains (tenant_id);
CREATE INDEX domains_organization ON domains (organization) WHERE organization IS NOT NULL;

-- What the DNS serves at <token>.dkim.<service host>; the private half is sealed in the tenant's file.
CREATE TABLE dkim_tokens (
  token      TEXT PRIMARY KEY,
  tenant_id  TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  domain     TEXT NOT NULL,
  record     TEXT NOT NULL,
  position   INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX dkim_tokens_domain ON dkim_tokens (domain, position);
CREATE INDEX dkim_tokens_tenant ON dkim_tokens (tenant_id);

-- Public halves of the keys that sign evidence of consent. Those that were replaced stay, so that what they signed can be checked.
CREATE TABLE evidence_keys (
  fingerprint TEXT PRIMARY KEY,
  x           TEXT NOT NULL, -- 32 bytes, base64url
  since       INTEGER NOT NULL,
  until       INTEGER -- null: it signs
) STRICT, WITHOUT ROWID;

-- When a tenant's domain and keys are looked at again.
CREATE TABLE domain_work (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  -- the records in the DNS; null: no custom domain
  check_at  INTEGER,
  -- the DKIM keys
  keys_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_work_check ON domain_work (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX domain_work_keys ON domain_work (keys_at);
