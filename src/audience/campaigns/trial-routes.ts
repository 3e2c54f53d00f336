// Campaigns over HTTP before they are sent: their rating, a test of their message, and how many people would get it.
import { z } from 'zod';
import { SEND_ERRORS } from '#src/intake/accept.ts';
import { sendAnswer } from '#src/intake/schema.ts';
import { scoreAnswer } from '#src/intake/score.ts';
import { mergeDataSchema, toMergeData } from '#src/intake/templates/schema.ts';
import { placeholderLack } from '#src/kernel/error-table.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { withoutConsent } from './choose.ts';
import { presentPlaceholders } from './no-recipients.ts';
import { countAudience, storedCampaign } from './preview.ts';
import { campaignParams, ONE, requireSending, requireWhole, shared } from './routes.ts';
import { type CampaignContext, scoreCampaign, testCampaign } from './try.ts';

const MAX_ADDRESS = 1_000;
const MAX_TESTED = 10;
const TESTS_PER_MINUTE = 5;
/** Each looks for its first person among a thousand. */
const SCORES_PER_MINUTE = 30;

const audienceSchema = z
  .strictObject({
    people: z
      .int()
      .describe(
        'on its lists, each once, also those not matching; of those whose turn has come while it is sent, only those matching',
      ),
    matching: z.int().describe('for whom it is by its filter'),
    will_receive: z
      .int()
      .describe('of those matching; while it is being sent, with those who got it already'),
    suppressed: z.int(),
    without_consent: z.int().describe('have not confirmed, or have left, bounced or complained'),
    missing_values: z.int().describe('lack a value that the content needs'),
    placeholders: z.array(placeholderLack).describe('that people whose turn has not come lack a value for'),
    left_out: z.record(z.string(), z.int()).describe('all who get no message, by reason'),
  })
  .meta({ id: 'CampaignAudience' });

const testBody = z
  .strictObject({
    to: z
      .array(z.string().max(MAX_ADDRESS))
      .min(1)
      .max(MAX_TESTED)
      .describe("active members, the mailbox simulator, or the operator's allowlist"),
    data: mergeDataSchema.optional().describe('values of placeholders'),
  })
  .meta({ examples: [{ to: ['success@simulator.example'] }] });

export const campaignTrialRoutes = (context: CampaignContext): Route[] => {
  const { clock, limitCounts } = context;
  const limitTests = createRateCheck(
    clock,
    () => perMinute(TESTS_PER_MINUTE),
    say`Campaigns are tested ${TESTS_PER_MINUTE} times a minute at most.`,
  );
  const limitScores = createRateCheck(
    clock,
    () => perMinute(SCORES_PER_MINUTE),
    say`Campaigns are rated ${SCORES_PER_MINUTE} times a minute at most.`,
  );
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path: `${ONE}/test`,
      id: 'testCampaign',
      summary: 'Send its message to mailboxes of the practice',
      description:
        'With `[Test]` before the subject. Placeholders show `data`, or their own names in brackets, and no values of a subscriber. These are messages like others: the gates and caps hold for them. Needs `messages.send` besides.',
      audit: { none: 'a message is its own record' },
      params: campaignParams,
      body: testBody,
      responses: {
        202: {
          description: 'The messages, in the order of `to`.',
          body: z.strictObject({
            messages: z.array(z.strictObject({ address: z.string(), message: sendAnswer })),
          }),
        },
      },
      errors: [...SEND_ERRORS, 'rate_limited'],
      handle: async ({ params, body }, { caller }) => {
        requireWhole(caller);
        requireSending(caller);
        limitTests(params.id);
        const asked = { to: body.to, data: toMergeData(body.data ?? {}) };
        const messages = await testCampaign(context, params.id, params.campaignID, asked);
        return { status: 202, body: { messages } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${ONE}/score`,
      id: 'scoreCampaign',
      summary: 'Rate its message without sending it',
      description: 'As `POST …/send/score` does, for the first person who would get it.',
      audit: { none: 'nothing is stored' },
      params: campaignParams,
      responses: { 200: { description: 'What would become of it.', body: scoreAnswer } },
      errors: ['forbidden', 'not_found', 'conflict', 'rate_limited'],
      handle: async ({ params }, exchange) => {
        requireWhole(exchange.caller);
        limitScores(params.id);
        return {
          status: 200,
          body: await scoreCampaign(context, params.id, params.campaignID, exchange),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: `${ONE}/audience`,
      id: 'getCampaignAudience',
      summary: 'How many people get it, and how many not and why',
      params: campaignParams,
      responses: { 200: { description: 'Counted now, over all people of its lists.', body: audienceSchema } },
      errors: ['forbidden', 'not_found', 'rate_limited'],
      handle: async ({ params }, { caller }) => {
        requireWhole(caller);
        limitCounts(params.id);
        const find = storedCampaign(params.campaignID);
        const count = await countAudience(context, params.id, { find });
        const { people, willReceive, leftOut } = count;
        const sum = (...reasons: readonly string[]): number =>
          reasons.reduce((total, reason) => total + (leftOut.get(reason) ?? 0), 0);
        return {
          status: 200,
          body: {
            people,
            matching: willReceive + sum(...leftOut.keys()),
            will_receive: willReceive,
            suppressed: sum('suppressed'),
            without_consent: sum(...withoutConsent),
            missing_values: sum('missing_value', 'unusable_value'),
            placeholders: presentPlaceholders(count),
            left_out: Object.fromEntries(leftOut),
          },
        };
      },
    }),
  ];
};
