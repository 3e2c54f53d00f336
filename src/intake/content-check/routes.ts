// The check beside the preview of a mail that is being written.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { documentSchema } from '#src/mail/document/schema.ts';
import { kindSchema } from '#src/messages/schema.ts';
import type { LoadTools } from '../documents/write-content.ts';
import type { IntakeContext } from '../intake-context.ts';
import { places, severities } from '../practice-mail/check-rules.ts';
import { bodyText, routeName, settings, subject } from '../send-fields.ts';
import { mergeDataSchema, toMergeData } from '../templates/schema.ts';
import type { CheckContent } from './check.ts';
import { effects } from './clients.ts';
import type { ProbeDeps } from './probe-links.ts';

/** Room for text and HTML at their bounds with every character escaped. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

const checkBody = z
  .strictObject({
    kind: kindSchema.default('transactional'),
    subject,
    document: documentSchema.optional().describe('in the place of text and html, which are made of it'),
    text: bodyText.optional(),
    html: bodyText.optional(),
    data: mergeDataSchema.default({}).describe('values of placeholders; what has none stays as it is'),
    check_links: z
      .boolean()
      .default(true)
      .describe('whether the hosts of the links are asked, at most 30 of them, once each in some minutes'),
    route: routeName.optional().describe('slug or UUID; as for a send of that kind where absent'),
    settings: settings.optional().describe("as of a send: overrides of the route's defaults"),
    project_id: idSchema.optional(),
  })
  .refine(({ text, html, document }) => (text ?? html ?? document) !== undefined, {
    path: ['text'],
    message: 'one of document, text and html is required',
  })
  .refine(({ text, html, document }) => document === undefined || (text ?? html) === undefined, {
    path: ['document'],
    message: 'cannot be given beside text and html, which are made of it',
  })
  .meta({
    examples: [
      {
        subject: 'Ihr Termin am Montag',
        html: '<p>Guten Tag Frau Muster,</p><p>bis Montag!</p>',
        check_links: false,
      },
    ],
  });

const share = z.int().min(0).max(100);

const checkSchema = z
  .strictObject({
    findings: z
      .array(
        z.strictObject({
          code: z.string(),
          severity: z.enum(severities),
          place: z.strictObject({
            part: z.enum(places),
            excerpt: z.string().nullable().describe('the beginning of what is meant'),
          }),
          message: z.string(),
          advice: z.string(),
        }),
      )
      .describe('the worst first, in German or English by Accept-Language'),
    links: z.array(
      z.strictObject({
        url: z.string(),
        text: z.string().nullable().describe('what is shown for it; null in plain text'),
        state: z
          .enum(['ok', 'own', 'unchecked', 'malformed', 'insecure', 'broken', 'failing', 'unreachable'])
          .describe('`own`: leads to this service; `unchecked`: not asked, or no clear answer in time'),
        status: z.int().nullable().describe('of the answer'),
        shows_other_host: z.boolean().describe('its text names another host than it leads to'),
      }),
    ),
    size: z.strictObject({
      html_bytes: z.int(),
      clipped_at: z.int().describe('of more, Gmail cuts off the rest'),
      image_bytes: z.int().describe('uploaded images that it shows'),
    }),
    clients: z
      .strictObject({
        as_of: z.iso.date().describe('of the data of caniemail.com'),
        readers_affected: share.describe(
          'of 100 readers, at least so many miss content or see things elsewhere',
        ),
        features: z.array(
          z.strictObject({
            title: z.string(),
            url: z.string(),
            effect: z.enum(effects).describe('what is lost: content, places, or decoration'),
            excerpt: z.string().describe('where the mail uses it first'),
            clients: z.array(z.strictObject({ name: z.string(), support: z.enum(['none', 'partial']) })),
            readers_without: share.describe('of 100, by an assumed spread of mail programs'),
            readers_in_part: share,
          }),
        ),
      })
      .describe('what it uses and not all mail programs show'),
  })
  .meta({ id: 'ContentCheck' });

export const contentCheckRoute = (intake: IntakeContext, tools: LoadTools, deps: ProbeDeps): Route => {
  let loaded: Promise<CheckContent> | null = null;
  /** Loaded with the first check. */
  const load = async (): Promise<CheckContent> => {
    const { createContentCheck } = await import('./check.ts');
    return createContentCheck(intake, deps);
  };
  return defineRoute({
    method: 'post',
    path: '/api/practices/{id}/content/check',
    tag: 'Practice mail',
    id: 'checkContent',
    usedBy: 'programs that write mail for a practice',
    summary: 'Check the content of a mail beside its preview',
    description:
      'What `practice-mail/check` finds, and beside it: links (also whether they lead somewhere), size, contrast, alternative texts, and what mail programs do not show. Nothing is stored and no scanner is asked.',
    access: 'messages.send',
    audit: { none: 'nothing is stored' },
    stability: 'beta',
    params: tenantParams,
    body: checkBody,
    bodyLimit: BODY_LIMIT_BYTES,
    responses: { 200: { description: 'What there is to say of it.', body: checkSchema } },
    errors: ['conflict', 'not_found', 'forbidden'],
    handle: async ({ params, body }, { caller, answerLanguage }) => {
      const { document, text = null, html = null, data, check_links, ...asked } = body;
      const loadedTools = document && (await tools());
      const made = loadedTools
        ? await intake.files.read(params.id, (db) => loadedTools.make(db, document, body.subject))
        : { text, html };
      const request = { tenantId: params.id, projects: caller.projects, language: answerLanguage };
      const content = { ...asked, ...made, data: toMergeData(data) };
      loaded ??= load();
      const check = await loaded;
      return { status: 200, body: await check(request, content, check_links) };
    },
  });
};
