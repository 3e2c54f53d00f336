// Adds the presets to a practice's templates; a template that has the name of one already does not change.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { kinds } from '#src/messages/kinds.ts';
import { createTemplate, type TemplateChange } from './change.ts';
import { type Preset, presetHtml, presets, presetText } from './presets.ts';
import { requireTemplateRights, type TemplateDeps } from './routes.ts';
import { templateStore } from './store.ts';

interface SeedResult {
  readonly created: readonly string[];
  readonly existing: readonly string[];
}

const createPreset = (db: TenantDb, preset: Preset, templateChange: TemplateChange): void => {
  const { name, description, kind, subject } = preset;
  // Opens and clicks of mail about appointments and health are private.
  const isTracked = kinds[kind].stream === 'marketing';
  const attributes = {
    name,
    description,
    message_kind: kind,
    track_opens: isTracked,
    track_clicks: isTracked,
    reply_to: null,
  };
  createTemplate(
    db,
    attributes,
    { subject, text: presetText(preset), html: presetHtml(preset) },
    templateChange,
  );
};

/** Names of the templates that were created now, and of those that existed. */
export const seedPresets = (db: TenantDb, templateChange: TemplateChange): SeedResult => {
  const isThere = ({ name }: Preset) => templateStore(db).byName(name) !== undefined;
  const { existing = [], missing = [] } = Object.groupBy(presets, (preset) =>
    isThere(preset) ? 'existing' : 'missing',
  );
  for (const preset of missing) createPreset(db, preset, templateChange);
  if (missing.length === 0) {
    const present = existing.map(({ name }) => name);
    const target = { type: 'template', id: 'presets' };
    auditStore(db).record(
      templateChange.change,
      { target, before: present, after: present },
      templateChange.now,
    );
  }
  return { created: missing.map(({ name }) => name), existing: existing.map(({ name }) => name) };
};

const names = z.array(z.string());

export const presetRoutes = ({ files, clock, tools }: TemplateDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/practices/{id}/presets/seed',
    tag: 'Templates',
    id: 'seedTemplates',
    summary: 'Write the German starter templates; safe to repeat',
    access: 'messages.send',
    audit: 'template.seed',
    stability: 'stable',
    params: tenantParams,
    query: z.strictObject({}),
    responses: {
      200: {
        description:
          'Names of the templates that were created now, and of those that existed and did not change.',
        body: z.strictObject({ created: names, existing: names }),
      },
    },
    errors: ['conflict'],
    handle: async ({ params }, { caller, change }) => {
      requireTemplateRights(caller);
      const templateChange = { change, now: clock.now(), tools: await tools() };
      return { status: 200, body: await files.write(params.id, (db) => seedPresets(db, templateChange)) };
    },
  }),
];
