// The reports about a practice: overview, wizard, go-live checklist, deliverability, channel mix, placement. A caller that
// is limited to projects sees only the mail of these, also where it shares a route, and no number of the whole practice.

import type { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { listOf } from '#src/kernel/list.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { DAY } from '#src/kernel/time.ts';
import { channelMixOf } from './channel-mix.ts';
import { type DeliverabilityQuery, deliverabilityOf, SUBJECTS_LOOKED_AT } from './deliverability.ts';
import { practiceFacts } from './facts.ts';
import { describeGoLive, type GoLiveDeps, goLive } from './go-live.ts';
import { onboardingOf } from './onboarding.ts';
import { overviewOf } from './overview.ts';
import { providerReport, subjectReport, testerReport, withoutSimulator, worstSubjects } from './placement.ts';
import type { OriginProbe } from './public-origin.ts';
import { ratesFor } from './rates.ts';
import { ratesQuery, ratesSchema } from './rates-schema.ts';
import { deliverabilitySchema, placementSchema } from './reports-schema.ts';
import { channelMixSchema, daysQuery, goLiveSchema, onboardingSchema, overviewSchema } from './schema.ts';
import { insightStore } from './store.ts';
import { summariesFor, summariesQuery, summarySchema } from './summary.ts';

export interface InsightDeps extends GoLiveDeps {
  readonly storage: Storage;
  readonly serviceHost: string;
  readonly simulatorDomain: string;
  /** Addresses, or domains with a leading @, in lower case. */
  readonly testers: () => readonly string[];
  readonly origin: OriginProbe;
  readonly outsideSpf: DeliverabilityQuery['outsideSpf'];
}

const RECIPIENTS_LOOKED_AT = 10_000;
/** A report blocks the event loop for about 50 ms while it reads and rates subjects and recipients. */
const REPORTS_PER_MINUTE = 30;
const LONGEST_MIX_DAYS = 400;
const LONGEST_REPORT_DAYS = 90;

interface PlacementQuery {
  readonly caller: Caller;
  readonly language: MemberLanguage;
  readonly days: number;
  readonly testers: readonly string[];
  readonly simulatorDomain: string;
  readonly now: number;
}

const placementOf = (
  db: TenantDb,
  { caller, language, days, testers, simulatorDomain, now }: PlacementQuery,
): z.infer<typeof placementSchema> => {
  const store = insightStore(db);
  const since = now - days * DAY;
  const projects = caller.projects && [...caller.projects];
  const subjects = store.subjects(since, SUBJECTS_LOOKED_AT, projects);
  const { rated, ...subject_risk } = subjectReport(subjects, language);
  const recipients = store.recipients(since, RECIPIENTS_LOOKED_AT, projects);
  const real = withoutSimulator(recipients, simulatorDomain);
  return {
    days,
    subject_risk,
    ...(caller.permissions.has('messages.view') ? { worst_subjects: worstSubjects(rated) } : {}),
    recipients_sampled: real.length,
    providers: providerReport(real),
    testers: testerReport(testers, real),
  };
};

export const insightRoutes = (deps: InsightDeps): Route[] => {
  const { files, clock, installation, serviceHost, simulatorDomain, testers, origin, outsideSpf } = deps;
  const limitReports = createRateCheck(
    clock,
    () => perMinute(REPORTS_PER_MINUTE),
    say`Too many reports for this practice.`,
  );
  const shared = { tag: 'Overview', stability: 'stable', params: tenantParams } as const;
  const reading = { ...shared, method: 'get', access: 'stats.view' } as const;
  return [
    defineRoute({
      method: 'get',
      path: '/api/practices/summary',
      tag: shared.tag,
      id: 'listPracticeSummaries',
      summary: "The caller's practices at a glance",
      description:
        'Each with the state of its domain, its rates, its plan, its last mail and what waits. Of each practice the caller sees what their role there may see.',
      access: 'authenticated',
      stability: 'stable',
      query: summariesQuery,
      responses: {
        200: {
          description:
            'In the order of their creation. A page may hold fewer than `limit` while `next_cursor` is set: with `q` a call looks at 200 practices at most.',
          body: listOf(summarySchema),
        },
      },
      handle: async ({ query }, { caller, log }) => ({
        status: 200,
        body: await summariesFor(deps, caller, query, log),
      }),
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/overview',
      id: 'getOverview',
      summary: 'A practice at a glance',
      responses: {
        200: {
          description: 'Usage, domain, reputation per route, and what is left before it goes live.',
          body: overviewSchema,
        },
      },
      handle: async ({ params }, { caller, speak }) => ({
        status: 200,
        body: await files.read(params.id, (db) => overviewOf(db, installation, caller, clock.now(), speak)),
      }),
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/rates',
      id: 'getRates',
      summary: 'Outcomes of mails per route and day, and how near each route is to the guardrail',
      description:
        'The guardrail pauses the practice when hard bounces reach 5 % of the messages of a route, or complaints 0.1 % of those that did not bounce, with at least 20 messages.',
      query: ratesQuery,
      responses: {
        200: {
          description: 'The routes that the caller may see. A rate is a share: 1 means all.',
          body: ratesSchema,
        },
      },
      handle: async ({ params, query: { days, route } }, { caller }) => ({
        status: 200,
        body: await files.read(params.id, (db) => ratesFor(db, caller, days, route, clock.now())),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/onboarding',
      id: 'getOnboarding',
      summary: 'The steps to the first real mail',
      description: 'In German or English, by Accept-Language.',
      access: 'authenticated',
      responses: {
        200: {
          description: 'The steps in their order, each with the API call that completes it.',
          body: onboardingSchema,
        },
      },
      handle: async ({ params }, { answerLanguage: language }) => ({
        status: 200,
        body: await files.read(params.id, (db) => {
          const now = clock.now();
          return onboardingOf(practiceFacts(db, installation, now), language, now);
        }),
      }),
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/cutover',
      id: 'getCutover',
      summary: 'Go-live checklist',
      description: 'In German or English, by Accept-Language.',
      responses: { 200: { description: 'Required checks first, then advice.', body: goLiveSchema } },
      handle: async ({ params }, { answerLanguage: language }) => ({
        status: 200,
        body: await files.read(params.id, (db) => describeGoLive(db, installation, language, clock.now())),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/cutover',
      id: 'goLive',
      summary: 'Go live',
      description:
        'Switches safe mode off if all required checks are passed; otherwise nothing changes, and the hint names what is missing. If safe mode is off already, the call changes nothing.',
      access: 'practice.manage',
      audit: 'practice.go_live',
      responses: { 200: { description: 'The checklist as it is now.', body: goLiveSchema } },
      errors: ['conflict'],
      handle: async ({ params }, { change, answerLanguage: language }) => ({
        status: 200,
        body: await goLive(deps, params.id, change, language),
      }),
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/deliverability',
      id: 'getDeliverability',
      summary: 'How mail is authenticated, and what else decides whether it arrives',
      description: 'Uses the last check of the records.',
      query: daysQuery(LONGEST_REPORT_DAYS),
      responses: {
        200: {
          description: 'The report; while a domain is pending, it is about that domain.',
          body: deliverabilitySchema,
        },
      },
      handle: async ({ params, query: { days } }, { caller, speak }) => {
        limitReports(params.id);
        const health = { ...(await origin.check()), url: installation.publicOrigin };
        const body = await files.read(params.id, (db) => {
          const now = clock.now();
          const query = { days, caller, serviceHost, origin: health, outsideSpf, now, speak };
          return deliverabilityOf(db, query);
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/channel-mix',
      id: 'getChannelMix',
      usedBy: 'programs that report what a practice sends',
      summary: 'Mails per channel',
      query: daysQuery(LONGEST_MIX_DAYS),
      responses: { 200: { description: "The mix of the caller's projects.", body: channelMixSchema } },
      handle: async ({ params, query: { days } }, { caller }) => ({
        status: 200,
        body: await files.read(params.id, (db) => channelMixOf(db, caller, days, clock.now())),
      }),
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/placement',
      id: 'getPlacement',
      summary: 'The risk of subjects, and the outcome of mail at each provider',
      description: '`why` and `advice` are in German or English, by Accept-Language.',
      query: daysQuery(LONGEST_REPORT_DAYS),
      responses: {
        200: {
          description:
            "The newest messages of the caller's projects, found among the newest 20,000 of the practice.",
          body: placementSchema,
        },
      },
      handle: async ({ params, query: { days } }, { caller, answerLanguage: language }) => {
        limitReports(params.id);
        const query = { caller, language, days, testers: testers(), simulatorDomain };
        const body = await files.read(params.id, (db) => placementOf(db, { ...query, now: clock.now() }));
        return { status: 200, body };
      },
    }),
  ];
};
