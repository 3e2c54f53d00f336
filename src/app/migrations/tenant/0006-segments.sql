-- Choices of people that are saved under a name, for campaigns: audience/segments/.

CREATE TABLE segments (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
  list_ids_json TEXT NOT NULL,
  -- conditions as a campaign has them
  filter_json   TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;
