// What a document makes, for those who write one: HTML and text with values in them and the practice's footer below. Nothing is kept.
import { z } from 'zod';
import { legalOf } from '#src/accounts/tenants/legal.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { languageOf } from '#src/content/language.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { unfit } from '#src/kernel/validate.ts';
import { FOOT } from '#src/mail/document/look.ts';
import { documentSchema } from '#src/mail/document/schema.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';
import { htmlFooter, textFooter } from '#src/messages/compose/footer.ts';
import { givenLegal } from '../store-message.ts';
import { practiceValues } from '../templates/practice-values.ts';
import { compileContent, TOO_LONG } from '../templates/render.ts';
import { mergeDataSchema, templateSubject, toMergeData } from '../templates/schema.ts';
import type { LoadTools } from './write-content.ts';

/** Room for the largest document with every character escaped. */
const BODY_LIMIT_BYTES = 2 * 1024 * 1024;

const renderBody = z
  .strictObject({
    document: documentSchema,
    subject: templateSubject.optional().describe('the title of the HTML'),
    data: mergeDataSchema.default({}),
    footer: z.boolean().default(true).describe('false: for a send, which puts the footer there itself'),
  })
  .meta({
    examples: [
      {
        document: {
          version: 1,
          content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Guten Tag {{name}},' }] }],
        },
        data: { name: 'Frau Muster' },
      },
    ],
  });

const renderedSchema = z
  .strictObject({
    html: z.string(),
    text: z.string(),
    missing: z.array(z.string()).describe('placeholders that no value was given for; they are left in place'),
    problems: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .describe('for which the document would not be stored; what has one is left out'),
  })
  .meta({ id: 'RenderedDocument' });

interface DocumentDeps {
  readonly files: TenantFiles;
  readonly config: () => Config;
  readonly tools: LoadTools;
}

export const documentRoutes = ({ files, config, tools: load }: DocumentDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/practices/{id}/documents/render',
    tag: 'Templates',
    id: 'renderDocument',
    summary: 'What a document makes of data',
    description:
      'With the letterhead and the footer of the practice, as recipients see it; nothing is stored.',
    access: 'messages.send',
    audit: { none: 'nothing is stored' },
    stability: 'stable',
    params: tenantParams,
    body: renderBody,
    bodyLimit: BODY_LIMIT_BYTES,
    responses: { 200: { description: 'HTML and text with the values in them.', body: renderedSchema } },
    handle: async ({ params, body }, { speak }) => {
      const tools = await load();
      const { document, subject = null } = body;
      const { made, practice, problems } = await files.read(params.id, (db) => ({
        made: tools.make(db, document, subject),
        practice: tenantStore(db).practice(),
        problems: tools.problemsOf(db, document, 'body.document'),
      }));
      const data: MergeData = { ...practiceValues(practice), ...toMergeData(body.data) };
      const compiled = compileContent({ subject: subject ?? '', ...made });
      if (compiled.isTooLong(data)) throw unfit([{ path: 'body.data', message: TOO_LONG }]);
      const { html, text } = compiled.render(data);
      const told = {
        missing: compiled.missing(data),
        problems: problems.map(({ path, message }) => ({ path, message: speak(message) })),
      };
      if (!body.footer) return { status: 200, body: { html, text, ...told } };
      const { name, public_origin } = config().service;
      const footer = {
        language: languageOf({ subject: '', text, html }),
        unsubscribe: null,
        powered_by: false,
        legal: { name: practice.name, ...givenLegal(legalOf(practice)) },
      };
      const copy = { unsubscribeUrl: null, preferencesUrl: null, service: { name, origin: public_origin } };
      return {
        status: 200,
        body: {
          html: (html ?? '').replace(FOOT, () => htmlFooter(footer, copy, false)),
          text: `${(text ?? '').trimEnd()}${textFooter(footer, copy, false)}`,
          ...told,
        },
      };
    },
  }),
];
