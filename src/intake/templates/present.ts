// Rows as the API shows them.
import { toIso } from '#src/kernel/time.ts';
import type { TemplateHead, TemplateRow, VersionHead, VersionRow } from './store.ts';

const flagOf = (value: 0 | 1 | null): boolean | null => (value === null ? null : value === 1);

/** Without text and HTML: what lists and the audit show. */
export const presentHead = (row: TemplateHead) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  message_kind: row.message_kind,
  track_opens: flagOf(row.track_opens),
  track_clicks: flagOf(row.track_clicks),
  version: row.current_version,
  variables: JSON.parse(row.fields_json) as string[],
  subject: row.subject,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

/** `content` is its current version. */
export const presentTemplate = (row: TemplateRow, content: VersionRow) => ({
  ...presentHead({ ...row, subject: content.subject, fields_json: content.fields_json }),
  text: content.text,
  html: content.html,
});

export const presentVersionHead = ({
  version,
  subject,
  fields_json,
  created_at,
  created_by,
}: VersionHead) => ({
  version,
  subject,
  variables: JSON.parse(fields_json) as string[],
  created_at: toIso(created_at),
  created_by,
});

export const presentVersion = (row: VersionRow) => ({
  ...presentVersionHead(row),
  text: row.text,
  html: row.html,
});
