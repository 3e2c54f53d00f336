-- What comes back: reputation, tracking, the full-text index, retention.

-- Refused for good by the upstream, never sent; recipients who opened and clicked, once each, machines not counted.
ALTER TABLE counters ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN opens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counters ADD COLUMN clicks INTEGER NOT NULL DEFAULT 0;

-- The last resumption: the guardrail counts from there.
ALTER TABLE practice ADD COLUMN resumed_at INTEGER;
-- 0: the owners are still to be told of the pause that stands
ALTER TABLE practice ADD COLUMN pause_told INTEGER NOT NULL DEFAULT 1 CHECK (pause_told IN (0, 1));
-- Less than the configuration keeps, in days; null: as it says.
ALTER TABLE practice ADD COLUMN keep_bodies INTEGER;
ALTER TABLE practice ADD COLUMN keep_attachments INTEGER;
ALTER TABLE practice ADD COLUMN keep_events INTEGER;
