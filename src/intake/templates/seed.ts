// Adds the starter templates to a practice's; a template that has the name of one already does not change.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { defaultLanguage, type MemberLanguage, memberLanguageOf } from '#src/kernel/language.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { kinds } from '#src/messages/kinds.ts';
import { createTemplate, type TemplateChange } from './change.ts';
import type { Preset } from './presets/build.ts';
import { requireTemplateRights, type TemplateDeps } from './routes.ts';
import { templateStore } from './store.ts';

/** Loaded when they are asked for: each practice needs them once. */
const presetsIn: Readonly<Record<MemberLanguage, () => Promise<{ readonly presets: readonly Preset[] }>>> = {
  de: () => import('./presets/de.ts'),
  en: () => import('./presets/en.ts'),
};

interface SeedResult {
  readonly created: readonly string[];
  readonly existing: readonly string[];
}

const createPreset = (db: TenantDb, preset: Preset, templateChange: TemplateChange): void => {
  const { name, description, kind, subject, document } = preset;
  // Opens and clicks of mail about appointments and health are private.
  const isTracked = kinds[kind].stream === 'marketing';
  const attributes = {
    name,
    description,
    message_kind: kind,
    track_opens: isTracked,
    track_clicks: isTracked,
    reply_to: null,
    images: 'linked',
  } as const;
  createTemplate(db, attributes, { subject, document }, templateChange);
};

/** Names of the templates that were created now, and of those that existed. */
export const seedPresets = (
  db: TenantDb,
  presets: readonly Preset[],
  templateChange: TemplateChange,
): SeedResult => {
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
    summary: 'Write the starter templates, in German or English; safe to repeat',
    description: 'In the language that Accept-Language asks for, in German where it asks for none.',
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
    handle: async ({ params }, { caller, change, namedLanguage }) => {
      requireTemplateRights(caller);
      const { presets } = await presetsIn[memberLanguageOf(namedLanguage ?? defaultLanguage)]();
      const templateChange = { change, now: clock.now(), tools: await tools() };
      return {
        status: 200,
        body: await files.write(params.id, (db) => seedPresets(db, presets, templateChange)),
      };
    },
  }),
];
