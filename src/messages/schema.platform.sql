-- What messages/ keeps in the registry.

-- Tenants whose queue may hold something: never later than the next due time in their file.
CREATE TABLE queue_due (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  due_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
