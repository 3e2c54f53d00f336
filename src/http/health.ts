// The health of the daemon: how it is altogether, and what each room says of its parts.
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import type { HealthPart } from '#src/kernel/health.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';

const ABOUT_PROCESS = {
  status: z
    .enum(['ok', 'degraded', 'draining', 'failing'])
    .describe(
      'degraded: an upstream is set aside, and mail waits; a scanner fails, or the DNS by which mail that comes in is checked; the data of a practice cannot be read or written; or the disk is nearly full. failing: no one can be served',
    ),
  version: z.string(),
  uptime_seconds: z.number(),
};

/** What `of` gives for each part, by the part's name; parts for which it gives undefined are left out. */
const pick = <T>(
  parts: Readonly<Record<string, HealthPart>>,
  of: (part: HealthPart, name: string) => T | undefined,
): Record<string, T> =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => {
      const picked = of(part, name);
      return picked === undefined ? [] : [[name, picked]];
    }),
  );

/** The time that the daemon runs is counted from this call. */
export const healthRoutes = (
  { draining, version }: Pick<Base, 'draining' | 'version'>,
  parts: Readonly<Record<string, HealthPart>>,
): Route[] => {
  const started = performance.now();
  const shown = pick(parts, (part) => part.shown);

  const look = () => {
    const facts = pick(parts, ({ schema, now }) => schema.parse(now()));
    const states = Object.values(pick(parts, (part, name) => part.state?.(facts[name])));
    const state = (['failing', 'degraded'] as const).find((one) => states.includes(one)) ?? 'ok';
    return {
      status: draining() ? ('draining' as const) : state,
      version,
      uptime_seconds: Math.round((performance.now() - started) / 1_000),
      facts,
    };
  };

  const healthSchema = z.strictObject({ ...ABOUT_PROCESS, ...shown }).meta({ id: 'Health' });
  return [
    defineRoute({
      method: 'get',
      path: '/healthz',
      isAnsweredWhileDraining: true,
      tag: 'Service',
      id: 'getHealth',
      summary: 'Health',
      access: 'public',
      stability: 'stable',
      responses: {
        200: { description: 'It accepts and sends, or accepts and keeps what waits.', body: healthSchema },
        503: { description: 'It accepts nothing: shutting down, or its storage fails.', body: healthSchema },
      },
      handle: () => {
        const { facts, ...about } = look();
        const body = { ...about, ...pick(parts, (part, name) => part.shown?.parse(facts[name])) };
        return { status: ['draining', 'failing'].includes(about.status) ? 503 : 200, body };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/admin/health',
      tag: 'Platform administration',
      id: 'getOperatorHealth',
      summary: 'Health with databases and queue',
      access: 'operator',
      stability: 'stable',
      responses: {
        200: {
          description: 'At this moment.',
          body: z
            .strictObject({ ...ABOUT_PROCESS, ...pick(parts, ({ schema }) => schema) })
            .meta({ id: 'OperatorHealth' }),
        },
      },
      handle: () => {
        const { facts, ...about } = look();
        return { status: 200, body: { ...about, ...facts } };
      },
    }),
  ];
};
