// A body that names a stored template in the place of subject, text and HTML: the rest is parsed at once, the template
// is filled in where the tenant's file is open.

import { resolveTemplate } from '#src/intake/templates/resolve.ts';
import { toMergeData } from '#src/intake/templates/schema.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { type Draft, frameOf, invalidField, nameOf, toDraft, withWriting } from './draft.ts';
import type { SendBody } from './schema.ts';

const instead = ['subject', 'text', 'text_body', 'html', 'html_body'] as const;
const beside = ['template_version', 'data'] as const;

/** A draft, or how to make it from what the tenant's file holds. Throws AppError for what cannot be understood. */
export const draftOf = (body: SendBody): Draft | ((db: TenantDb) => Draft) => {
  const { template, template_version: version } = body;
  if (template === undefined) {
    const stray = beside.find((field) => body[field] !== undefined);
    if (stray !== undefined) throw invalidField(stray, 'belongs to a template, and none is named');
    return toDraft(body);
  }
  const other = instead.find((field) => body[field] !== undefined);
  if (other !== undefined) throw invalidField(nameOf(body, other), 'cannot stand beside template');
  const frame = frameOf(body);
  const data = toMergeData(body.data ?? {});
  return (db) => {
    const { kind, route, settings, ...writing } = resolveTemplate(db, { template, version }, data);
    return withWriting(
      {
        ...frame,
        kind: frame.kind ?? kind,
        // Who names a kind says by it, and by the route, where it goes.
        route: frame.route ?? (frame.kind === null ? route : null),
        settings: { ...settings, ...frame.settings },
      },
      writing,
    );
  };
};
