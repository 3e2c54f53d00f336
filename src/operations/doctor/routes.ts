// What `sendwerk doctor` finds, for the operator's page, and for the command where the daemon has to do it.
import { z } from 'zod';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { findingStates } from './finding.ts';
import type { DoctorWatch } from './watch.ts';

const findingSchema = z
  .strictObject({
    number: z.int().describe('of the check: docs/operate/troubleshooting.md names them'),
    name: z.string(),
    state: z.enum(findingStates),
    found: z.string().describe('one sentence'),
    mend: z.string().nullable().describe('the command, record or line of the configuration that mends it'),
    checked_at: z.iso.datetime(),
  })
  .meta({ id: 'DoctorFinding' });

const stateSchema = z
  .strictObject({
    running: z.boolean().describe('a look is going on; `findings` are of the one before until it ends'),
    ended_at: z.iso
      .datetime()
      .nullable()
      .describe('when the last look ended; null: none has since the start'),
    findings: z.array(findingSchema).describe('by number; one check may find several things'),
  })
  .meta({ id: 'DoctorState' });

const bodySchema = z
  .strictObject({
    round_trip: z
      .boolean()
      .default(false)
      .describe(
        'also sends two messages through each relay to the service itself, and waits for what comes back',
      ),
  })
  .meta({ examples: [{ round_trip: false }] });

export const doctorRoutes = ({ state, ask }: Pick<DoctorWatch, 'state' | 'ask'>): Route[] => {
  const present = (): z.input<typeof stateSchema> => {
    const { isRunning, endedAt, findings } = state();
    return {
      running: isRunning,
      ended_at: toIsoOrNull(endedAt),
      findings: findings.map(({ checkedAt, ...finding }) => ({ ...finding, checked_at: toIso(checkedAt) })),
    };
  };
  const shared = {
    path: '/api/admin/doctor',
    tag: 'Platform administration',
    access: 'operator',
    stability: 'stable',
  } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      id: 'getDoctor',
      summary: 'What the last check of the installation found',
      responses: {
        200: { description: 'By the hourly check, or the last that was asked for.', body: stateSchema },
      },
      handle: () => ({ status: 200, body: present() }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      id: 'runDoctor',
      summary: 'Check the installation',
      description: 'A look that is going on is joined. GET says when it has ended, and what it found.',
      audit: { none: 'it looks, and changes nothing' },
      body: bodySchema,
      responses: { 202: { description: 'It has begun.', body: stateSchema } },
      errors: ['rate_limited'],
      handle: ({ body: { round_trip } }) => {
        ask({ trips: round_trip });
        return { status: 202, body: present() };
      },
    }),
  ];
};
