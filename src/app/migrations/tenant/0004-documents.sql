-- Documents of templates, and the letterhead around what is made of them: intake/documents/.

-- What text and HTML were made of; null: they are source.
ALTER TABLE template_versions ADD COLUMN document_json TEXT;
-- The MJML that the HTML was made of; null: the HTML was written, or made of a document.
ALTER TABLE template_versions ADD COLUMN mjml TEXT;

-- One row; none until something is chosen.
CREATE TABLE letterheads (
  number    INTEGER PRIMARY KEY CHECK (number = 1),
  -- id of an image
  logo      TEXT,
  logo_alt  TEXT NOT NULL,
  -- #rrggbb
  colour    TEXT,
  -- lines with placeholders
  signature TEXT
) STRICT;
