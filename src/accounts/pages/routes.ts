// How a practice's public pages look: its colour and its logo. The name and the Impressum are those of the practice.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { requireCurrent } from '#src/events/require-current.ts';
import type { Base } from '#src/kernel/base.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { type PageSettingsRow, pageSettingsStore } from './store.ts';

const MAX_LOGO_BYTES = 64 * 1024;

/** The first bytes of the file decide its type. */
const imageTypes: readonly (readonly [type: string, begins: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/gif', /^GIF8[79]a/],
];

const logoSchema = z
  .base64()
  .max(Math.ceil(MAX_LOGO_BYTES / 3) * 4)
  .transform((text, context) => {
    const content = Buffer.from(text, 'base64');
    const head = content.toString('latin1', 0, 16);
    const type = imageTypes.find(([, begins]) => begins.test(head))?.[0];
    if (type !== undefined && content.length <= MAX_LOGO_BYTES) return { type, content };
    context.addIssue({ code: 'custom', message: 'expected a PNG, JPEG, WebP or GIF of at most 64 KiB' });
    return z.NEVER;
  })
  .describe('PNG, JPEG, WebP or GIF of at most 64 KiB in base64; null: none');

const settingsSchema = z
  .strictObject({
    colour: z.string().nullable(),
    logo: z.strictObject({ content_type: z.string(), size_bytes: z.int(), content: z.base64() }).nullable(),
  })
  .meta({ id: 'PageSettings' });

const body = z
  .strictObject({
    colour: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'expected a colour as in #0b57d0')
      .toLowerCase()
      .nullable()
      .optional()
      .describe(
        'of buttons and links, darkened or lightened where it could not be read; null: the usual one',
      ),
    logo: logoSchema.nullable().optional(),
  })
  .meta({ id: 'PatchPageSettings', examples: [{ colour: '#0b57d0' }] });

const present = ({ colour, logo, logo_type }: PageSettingsRow): z.input<typeof settingsSchema> => ({
  colour,
  logo:
    logo === null || logo_type === null
      ? null
      : { content_type: logo_type, size_bytes: logo.length, content: logo.toString('base64') },
});

/** The audit does not keep the logo's bytes. */
const noted = ({ colour, logo }: PageSettingsRow) => ({
  colour,
  logo_sha256: logo && createHash('sha256').update(logo).digest('hex'),
});

export const pageRoutes = ({
  storage: { tenants: files },
  clock,
}: Pick<Base, 'storage' | 'clock'>): Route[] => {
  const shared = {
    path: '/api/practices/{id}/pages',
    tag: 'Practices',
    access: 'practice.manage',
    stability: 'stable',
    params: tenantParams,
    version: (settings: z.input<typeof settingsSchema>): unknown => settings,
    responses: { 200: { description: 'Colour and logo.', body: settingsSchema } },
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      id: 'getPageSettings',
      summary: 'How the public pages of a practice look',
      handle: async ({ params }: { params: z.output<typeof tenantParams> }) => ({
        status: 200,
        body: await files.read(params.id, (db) => present(pageSettingsStore(db).get())),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'patch',
      id: 'updatePageSettings',
      summary: 'Change how the public pages of a practice look',
      description:
        'On the pages where people subscribe, confirm, choose among their lists and unsubscribe. The logo is part of the page: nothing is loaded.',
      audit: 'pages.update',
      body,
      handle: async (
        {
          params: { id },
          body: given,
        }: { params: z.output<typeof tenantParams>; body: z.output<typeof body> },
        request,
      ) => ({
        status: 200,
        body: await files.write(id, (db) => {
          const store = pageSettingsStore(db);
          const before = store.get();
          const target = { type: 'practice', id: tenantStore(db).practice().id };
          requireCurrent(db, request, present(before), {
            targetId: target.id,
            actions: [request.change.action],
          });
          const { colour = before.colour, logo } = given;
          const after: PageSettingsRow =
            logo === undefined
              ? { ...before, colour }
              : { colour, logo: logo?.content ?? null, logo_type: logo?.type ?? null };
          store.put(after);
          auditStore(db).record(
            request.change,
            { target, before: noted(before), after: noted(after) },
            clock.now(),
          );
          return present(after);
        }),
      }),
    }),
  ];
};
