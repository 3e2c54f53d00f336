// Checks a mail as a practice would write it, before it is sent to anyone: the content rules and the gates about sender and
// content look at it as at a send.
import { z } from 'zod';
import { isVisible } from '#src/accounts/tenants/project-routes.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { bodyText, routeName, settings, subject } from '#src/intake/send-fields.ts';
import { usualRoute } from '#src/intake/templates/resolve.ts';
import type { Caller } from '#src/kernel/access.ts';
import { idSchema } from '#src/kernel/fields.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { kindSchema } from '#src/messages/schema.ts';
import { draftWith } from '../draft.ts';
import { evaluate } from '../evaluate.ts';
import type { IntakeContext } from '../intake-context.ts';
import { places, severities } from './check-rules.ts';
import { issuesOf } from './issues.ts';
import { hintsOf, kindSemantics, presentKind } from './semantics.ts';

export const checkBody = z
  .strictObject({
    kind: kindSchema,
    subject,
    text: bodyText.optional(),
    html: bodyText.optional(),
    route: routeName.optional().describe('slug or UUID; as for a send of that kind where absent'),
    settings: settings.optional().describe("as of a send: overrides of the route's defaults"),
    project_id: idSchema.optional(),
  })
  .refine(({ text, html }) => text !== undefined || html !== undefined, {
    path: ['text'],
    message: 'one of text and html is required',
  })
  .meta({
    examples: [
      {
        kind: 'termin',
        subject: 'Ihr Termin am Montag',
        text: 'Guten Tag Frau Muster, Ihr Termin ist am Montag um 9:30 Uhr.',
      },
    ],
  });

export const checkAnswer = z
  .strictObject({
    kind: kindSemantics.extend({ hints: z.array(z.string()).describe('what such mail may and should do') }),
    route: z.string().describe('slug of the route that was assumed'),
    tracking: z
      .strictObject({ track_opens: z.boolean(), track_clicks: z.boolean() })
      .describe('what a send would track'),
    issues: z
      .array(
        z.strictObject({
          id: z.string(),
          severity: z.enum(severities),
          why: z.string(),
          advice: z.string(),
          found_in: z.array(z.enum(places)),
          code: z.string().nullable().describe('the code with which a send is refused for it'),
        }),
      )
      .describe('the worst first'),
  })
  .meta({ id: 'MailCheck' });

type CheckAnswer = z.infer<typeof checkAnswer>;

/** Whose mail is checked, and whose words are wanted. */
export interface CheckRequest {
  readonly tenantId: string;
  readonly projects: Caller['projects'];
  readonly language: MemberLanguage;
}

const orNull = (text: string | undefined): string | null =>
  text === undefined || text.trim() === '' ? null : text;

/** Throws AppError where a send could not even be evaluated: there is no such route or project. */
export const checkMail = (
  intake: IntakeContext,
  { tenantId, projects, language }: CheckRequest,
  asked: z.output<typeof checkBody>,
): Promise<CheckAnswer> =>
  intake.files.read(tenantId, (db) => {
    const { kind } = asked;
    const written = { subject: asked.subject, text: orNull(asked.text), html: orNull(asked.html) };
    const draft = draftWith({
      to: [],
      ...written,
      kind,
      route: asked.route ?? usualRoute(kind),
      settings: asked.settings ?? {},
    });
    const candidate = { source: 'api', projects, projectId: asked.project_id ?? null, draft } as const;
    const evaluation = evaluate(db, intake, candidate, intake.content.rate, {
      now: intake.clock.now(),
      kinds: ['sender', 'content'],
      pastRefusals: true,
    });
    const { route, facts, result } = evaluation;
    const routes = tenantStore(db)
      .routes()
      .filter((row) => isVisible({ projects }, row));
    const { track_opens = false, track_clicks = false } = evaluation.draft.settings;
    return {
      kind: { ...presentKind(kind, routes), hints: hintsOf(kind, language) },
      route: route.slug,
      tracking: { track_opens, track_clicks },
      issues: issuesOf({ kind, ...written, result }, facts.content, language),
    };
  });
