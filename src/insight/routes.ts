// What a practice is shown of itself: overview, wizard, go-live checklist, deliverability, channel mix, placement. Who is
// limited to projects sees the mail of theirs only; of a route that projects share, the counts of all of them.

import type { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import { createRateCheck, perMinute } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { DAY } from '#src/kernel/time.ts';
import { channelMixOf } from './channel-mix.ts';
import { deliverabilityOf, SUBJECTS_LOOKED_AT } from './deliverability.ts';
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

export interface InsightDeps extends GoLiveDeps {
  readonly serviceHost: string;
  readonly simulatorDomain: string;
  /** Addresses, or domains with a leading @, in lower case. */
  readonly testers: () => readonly string[];
  readonly origin: OriginProbe;
}

const RECIPIENTS_LOOKED_AT = 10_000;
/** Reading and rating so many subjects and recipients keeps everybody else waiting for some 50 ms. */
const REPORTS_PER_MINUTE = 30;
const LONGEST_MIX_DAYS = 400;
const LONGEST_REPORT_DAYS = 90;

interface PlacementQuestion {
  readonly caller: Caller;
  readonly language: Language;
  readonly days: number;
  readonly testers: readonly string[];
  readonly simulatorDomain: string;
  readonly now: number;
}

const placementOf = (
  db: TenantDb,
  { caller, language, days, testers, simulatorDomain, now }: PlacementQuestion,
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
  const { files, clock, installation, serviceHost, simulatorDomain, testers, origin } = deps;
  const limitReports = createRateCheck(
    clock,
    () => perMinute(REPORTS_PER_MINUTE),
    'Too many reports for this practice.',
  );
  const shared = { tag: 'Overview', stability: 'stable', params: tenantParams } as const;
  const reading = { ...shared, method: 'get', access: 'stats.view' } as const;
  return [
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/overview',
      summary: 'A practice at a glance',
      responses: {
        200: {
          description: 'Usage, domain, reputation per route, and what is left before it goes live.',
          body: overviewSchema,
        },
      },
      handle: async ({ params }, { caller }) => ({
        status: 200,
        body: await files.read(params.id, (db) => overviewOf(db, installation, caller, clock.now())),
      }),
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/rates',
      summary: 'What became of mails, per route and day, and how near the guardrail they are',
      description:
        'The guardrail pauses the practice where hard bounces reach 5 % of the messages of a route, or complaints 0.1 % of those delivered, with at least 20 messages.',
      query: ratesQuery,
      responses: {
        200: {
          description: 'Of the routes that the caller may know; a rate is a share, 1 is all.',
          body: ratesSchema,
        },
      },
      handle: async ({ params, query: { days, route } }, { caller }) => ({
        status: 200,
        body: await files.read(params.id, (db) => ratesFor(db, { caller, days, route, now: clock.now() })),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/practices/{id}/onboarding',
      summary: 'The steps to the first real mail',
      description: 'In German or English, by Accept-Language.',
      access: 'authenticated',
      responses: {
        200: { description: 'In their order, each with the call that does it.', body: onboardingSchema },
      },
      handle: async ({ params }, { language }) => ({
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
      summary: 'Go-live checklist',
      description: 'In German or English, by Accept-Language.',
      responses: { 200: { description: 'Required checks first, then advice.', body: goLiveSchema } },
      handle: async ({ params }, { language }) => ({
        status: 200,
        body: await files.read(params.id, (db) => describeGoLive(db, installation, language, clock.now())),
      }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/practices/{id}/cutover',
      summary: 'Go live',
      description:
        'Switches safe mode off where all required checks are passed; else nothing changes, and the hint names what is missing. Harmless where it is off.',
      access: 'practice.manage',
      audit: 'practice.go_live',
      responses: { 200: { description: 'The checklist as it stands now.', body: goLiveSchema } },
      errors: ['conflict'],
      handle: async ({ params }, { change, language }) => ({
        status: 200,
        body: await goLive(deps, params.id, change, language),
      }),
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/deliverability',
      summary: 'How mail is authenticated, and what else decides whether it arrives',
      description: 'By the last check of the records; words in German or English, by Accept-Language.',
      query: daysQuery(LONGEST_REPORT_DAYS),
      responses: {
        200: { description: 'Of the pending domain while there is one.', body: deliverabilitySchema },
      },
      handle: async ({ params, query: { days } }, { caller, language }) => {
        limitReports(params.id);
        const health = { ...(await origin.check()), url: installation.publicOrigin };
        const body = await files.read(params.id, (db) => {
          const now = clock.now();
          return deliverabilityOf(db, { days, caller, language, serviceHost, origin: health, now });
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/channel-mix',
      summary: 'Mails per channel',
      query: daysQuery(LONGEST_MIX_DAYS),
      responses: { 200: { description: "Of the caller's projects.", body: channelMixSchema } },
      handle: async ({ params, query: { days } }, { caller }) => ({
        status: 200,
        body: await files.read(params.id, (db) => channelMixOf(db, caller, days, clock.now())),
      }),
    }),
    defineRoute({
      ...reading,
      path: '/api/practices/{id}/placement',
      summary: 'What subjects risk, and how receivers take the mail',
      description: 'Why and advice are in German or English, by Accept-Language.',
      query: daysQuery(LONGEST_REPORT_DAYS),
      responses: {
        200: {
          description:
            "Of the newest messages of the caller's projects; at most 20,000 are looked at to find them.",
          body: placementSchema,
        },
      },
      handle: async ({ params, query: { days } }, { caller, language }) => {
        limitReports(params.id);
        const asked = { caller, language, days, testers: testers(), simulatorDomain };
        const body = await files.read(params.id, (db) => placementOf(db, { ...asked, now: clock.now() }));
        return { status: 200, body };
      },
    }),
  ];
};
