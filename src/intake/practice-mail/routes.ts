// Helpers for people who write a practice's mail: what the kinds mean, a check of a mail, an invitation as calendar programs get it,
// and a sample appointment by mail.
import { z } from 'zod';
import { isVisible } from '#src/accounts/tenants/project-routes.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { senderDomain } from '#src/intake/gates/envelope-gates.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { languages, type MemberLanguage, memberLanguageOf } from '#src/kernel/language.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { prefers } from '#src/kernel/page.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { addressDomain } from '#src/mail/address.ts';
import { parsedMessage } from '#src/messages/compose/parsed-message.ts';
import { channels, kindNames } from '#src/messages/kinds.ts';
import { messageStore } from '#src/messages/store.ts';
import { SEND_ERRORS } from '../accept.ts';
import { draftWith, parseFrom } from '../draft.ts';
import { evaluate } from '../evaluate.ts';
import { acceptedResult } from '../http-send.ts';
import type { IntakeContext } from '../intake-context.ts';
import { toInvitation } from '../invitation.ts';
import { type SendAnswer, sendAnswer } from '../schema.ts';
import { calendar, from } from '../send-fields.ts';
import { sampleAddress, sampleRecipient, sendSample } from '../send-test.ts';
import { calendarSchema, presentCalendar } from './calendar.ts';
import { checkAnswer, checkBody, checkMail } from './check.ts';
import { appointmentDraft } from './sample-appointment.ts';
import { channelSemantics, kindSemantics, presentChannel, presentKind } from './semantics.ts';

const semanticsAnswer = z
  .strictObject({ kinds: z.array(kindSemantics), channels: z.array(channelSemantics) })
  .meta({ id: 'PracticeSemantics' });

const SAMPLE_PATIENT = 'erika@example.org';
const CALENDAR_TYPE = 'text/calendar; charset=utf-8; method=REQUEST';

const previewBody = calendar
  .extend({
    from: from.optional().describe("organizes it; the practice's default From where absent"),
    to: sampleAddress.optional().describe(`who is invited; ${SAMPLE_PATIENT} where absent`),
  })
  .meta({
    examples: [{ summary: 'Vorsorge', starts_at: '2026-12-07T09:30:00', location: 'Am Markt 1' }],
  });

const { starts_at, summary, location, time_zone } = calendar.shape;
const testTerminBody = z
  .strictObject({
    to: sampleAddress,
    starts_at: starts_at
      .optional()
      .describe('with an offset, or local time in `time_zone`; the next working day at 9:30 where absent'),
    summary: summary.optional(),
    location: location.describe('street and city of the legal block where absent'),
    time_zone,
    language: z.enum(languages).optional().describe('by Accept-Language where absent'),
    project_id: idSchema.optional(),
  })
  .meta({ examples: [{ to: 'erika@example.org' }] });

/** The invitation in a message as each of its copies has it. */
const storedCalendar = (db: TenantDb, messageId: string, language: MemberLanguage) => {
  const store = messageStore(db);
  const message = store.byId(messageId);
  const body = message && store.body(message.seq);
  if (!message || !body || body.calendar_json === null)
    throw new Error(`the message ${messageId} was stored with an invitation`);
  const { from: sender, to } = parsedMessage(message);
  const [attendee] = to;
  if (!attendee) throw new Error(`the message ${messageId} has a recipient`);
  const { internet_message_id: internetMessageId, created_at: date } = message;
  return presentCalendar(
    JSON.parse(body.calendar_json),
    { internetMessageId, date, from: sender },
    attendee,
    language,
  );
};

export const practiceMailRoutes = (intake: IntakeContext): Route[] => {
  const { files, clock } = intake;
  const shared = { stability: 'stable', params: tenantParams } as const;
  const helper = {
    ...shared,
    method: 'post',
    tag: 'Practice mail',
    access: 'messages.send',
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/practice-semantics',
      tag: 'Practice mail',
      id: 'getPracticeSemantics',
      usedBy: 'programs that show members what a kind of mail means',
      summary: 'Read what the message kinds and the channels of consent mean in this practice',
      description:
        'By the facts that sending itself uses, with the routes as the practice has set them. An unsubscription ends all mail of the route by which the mail came, whatever its kind.',
      access: 'messages.view',
      responses: { 200: { description: 'All kinds and channels.', body: semanticsAnswer } },
      handle: async ({ params }, { caller }) => {
        const rows = await files.read(params.id, (db) => tenantStore(db).routes());
        const routes = rows.filter((row) => isVisible(caller, row));
        const body = {
          kinds: kindNames.map((kind) => presentKind(kind, routes)),
          channels: channels.map((channel) => presentChannel(channel, routes)),
        };
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...helper,
      path: '/api/practices/{id}/practice-mail/check',
      id: 'checkPracticeMail',
      usedBy: 'programs that write mail for a practice',
      summary: 'Check a mail as a practice would write it',
      description:
        'German and English mail is understood; words are German or English by Accept-Language. Asks no scanner and stores nothing; `send/score` rates a whole send.',
      audit: { none: 'nothing is stored' },
      body: checkBody,
      bodyLimit: defaultLimits.body_bytes,
      responses: { 200: { description: 'What there is to say of it.', body: checkAnswer } },
      errors: ['conflict', 'not_found', 'forbidden'],
      handle: async ({ params, body }, { caller, answerLanguage }) => {
        const asker = { tenantId: params.id, projects: caller.projects, language: answerLanguage };
        return { status: 200, body: await checkMail(intake, asker, body) };
      },
    }),
    defineRoute({
      ...helper,
      path: '/api/practices/{id}/integrations/ics-preview',
      id: 'previewInvitation',
      usedBy: 'programs that show an appointment before they send it',
      summary: 'Show the calendar invitation that a send would attach',
      description:
        'Takes the `calendar` of a send, and refuses what a send refuses of it. What is sent differs in two values only, which each message has of its own: UID is its Message-ID, DTSTAMP the time at which it was accepted.',
      audit: { none: 'nothing is stored' },
      body: previewBody,
      responses: {
        200: { description: 'The invitation.', body: calendarSchema, otherwise: CALENDAR_TYPE },
      },
      errors: ['invalid_recipient', ...senderDomain.errors, 'conflict', 'not_found', 'forbidden'],
      handle: async ({ params, body: { from: sender, to, ...appointment } }, context) => {
        const invitation = toInvitation(appointment, 'body');
        const attendee = sampleRecipient(to ?? SAMPLE_PATIENT);
        const draft = draftWith({
          from: parseFrom(sender),
          to: [attendee],
          subject: invitation.summary,
          calendar: invitation,
        });
        const { projects } = context.caller;
        const candidate = { source: 'api', projects, projectId: null, draft } as const;
        const now = clock.now();
        const { facts, result } = await files.read(params.id, (db) =>
          evaluate(db, intake, candidate, () => null, { now, kinds: ['sender'], pastRefusals: true }),
        );
        const [refusal] = result.refusals.filter(({ code }) =>
          senderDomain.errors.some((one) => one === code),
        );
        if (refusal) throw refusal;
        const internetMessageId = `<preview@${addressDomain(facts.from.address)}>`;
        const message = { internetMessageId, date: now, from: facts.from };
        const preview = presentCalendar(invitation, message, attendee, context.answerLanguage);
        return prefers(context, 'text/calendar')
          ? { status: 200, body: preview.calendar, contentType: CALENDAR_TYPE }
          : { status: 200, body: preview };
      },
    }),
    defineRoute({
      ...helper,
      path: '/api/practices/{id}/integrations/test-termin',
      id: 'sendTestAppointment',
      usedBy: 'who connects an appointment book',
      summary: 'Send a sample appointment with its calendar invitation',
      description:
        'As a message of kind `termin` over the route `outgoing`, through all that a send goes through.',
      audit: { none: 'a message is its own record' },
      body: testTerminBody,
      responses: {
        202: {
          description: 'It is on the disk and will be sent.',
          body: sendAnswer.extend({ invitation: calendarSchema }).meta({ id: 'AcceptedAppointment' }),
        },
      },
      errors: SEND_ERRORS,
      handle: async ({ params, body: { to, language, project_id, ...asked } }, context) => {
        const written = memberLanguageOf(language ?? context.language);
        const recipient = sampleRecipient(to);
        const accepted = await sendSample(intake, {
          tenantId: params.id,
          projects: context.caller.projects,
          projectId: project_id ?? null,
          draft: (practice) => appointmentDraft(recipient, asked, practice, written, clock.now()),
        });
        const result = acceptedResult(accepted, context.answerLanguage);
        if (accepted.kind === 'blocked') return result;
        const { id } = accepted.answer;
        const invitation = await files.read(params.id, (db) =>
          storedCalendar(db, id, context.answerLanguage),
        );
        return { ...result, body: { ...(result.body as SendAnswer), invitation } };
      },
    }),
  ];
};
