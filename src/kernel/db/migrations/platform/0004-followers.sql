-- Tenants whose events somebody follows: a start looks at their files, and at no others', for what is still to be told.
CREATE TABLE event_followers (
  tenant_id TEXT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  follower  TEXT NOT NULL CHECK (follower IN ('webhooks', 'alerts')),
  PRIMARY KEY (tenant_id, follower)
) STRICT, WITHOUT ROWID;
