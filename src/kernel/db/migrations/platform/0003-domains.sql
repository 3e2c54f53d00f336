-- Custom domains change hands, keys are renewed, and both are looked after by schedule.

-- When what is due of a tenant's domain and keys is looked at again.
CREATE TABLE domain_work (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  -- of its records in the DNS; null: it has no custom domain
  check_at  INTEGER,
  -- of its DKIM keys
  keys_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_work_check ON domain_work (check_at) WHERE check_at IS NOT NULL;
CREATE INDEX domain_work_keys ON domain_work (keys_at);
-- The first look finds what there is to do.
INSERT INTO domain_work (tenant_id, check_at, keys_at) SELECT id, 0, 0 FROM tenants;
