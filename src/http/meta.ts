// What clients can count on.
import { z } from 'zod';
import type { Limits } from '#src/kernel/limits.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';

interface SubmissionFacts {
  readonly host: string;
  readonly port: number | null;
  readonly implicit_port: number | null;
  readonly tls: boolean;
}

export interface ServiceFacts {
  readonly attachmentPolicy: Readonly<{
    max_count: number;
    max_bytes_each: number;
    max_bytes_total: number;
    allowed_types: readonly string[];
    allowed_extensions: readonly string[];
    rejected_extensions: readonly string[];
  }>;
  readonly name: string;
  readonly version: string;
  /** Whether that practice is in safe mode; with null, whether new ones start in it. */
  readonly safeMode: (tenantId: string | null) => Promise<boolean>;
  readonly limits: () => Limits;
  readonly passwordLogin: () => boolean;
  /** Whether any is configured. */
  readonly scanners: () => boolean;
  /** Where messages are taken over SMTP; null where they are not. */
  readonly submission: SubmissionFacts | null;
  readonly simulatorHost: string;
  /** Whether a payment provider is configured. */
  readonly billing: boolean;
  /** Whether mail from the world is. */
  readonly inbound: boolean;
}

const metaSchema = z
  .strictObject({
    service: z.string(),
    version: z.string(),
    attachment_policy: z.strictObject({
      max_count: z.int(),
      max_bytes_each: z.int(),
      max_bytes_total: z.int(),
      allowed_types: z.array(z.string()),
      allowed_extensions: z.array(z.string()),
      rejected_extensions: z.array(z.string()),
    }),
    safe_mode: z
      .boolean()
      .describe(
        'whether the practice of the token is in safe mode; for others, whether new ones start in it',
      ),
    limits: z.strictObject({ recipients: z.int(), batch: z.int(), body_bytes: z.int() }),
    simulator_host: z
      .string()
      .describe('of the mailbox simulator: what is sent to `success@` it is accepted, to `bounce@` refused'),
    submission: z
      .strictObject({
        host: z.string(),
        port: z.int().nullable().describe('where clients change to TLS by STARTTLS'),
        implicit_port: z.int().nullable().describe('where TLS begins with the first byte'),
        tls: z.boolean().describe('without it programs on the same machine alone can sign in'),
      })
      .nullable()
      .describe('where messages are taken over SMTP'),
    features: z.strictObject({
      inbound: z.boolean(),
      submission: z.boolean(),
      billing: z.boolean(),
      password_login: z.boolean(),
      tracking: z.boolean(),
      scanners: z.boolean(),
    }),
  })
  .meta({ id: 'Meta' });

export const metaRoute = (facts: ServiceFacts): Route =>
  defineRoute({
    method: 'get',
    path: '/api/meta',
    isAnsweredWhileDraining: true,
    tag: 'Service',
    id: 'getMeta',
    summary: 'Limits, policies and features of this installation',
    access: 'authenticated',
    stability: 'stable',
    responses: { 200: { description: 'What clients can count on.', body: metaSchema } },
    handle: async (_, { caller }) => {
      const { recipients, batch, body_bytes } = facts.limits();
      const body = {
        service: facts.name,
        version: facts.version,
        attachment_policy: facts.attachmentPolicy,
        safe_mode: await facts.safeMode(caller.tenantId),
        limits: { recipients, batch, body_bytes },
        simulator_host: facts.simulatorHost,
        submission: facts.submission,
        features: {
          inbound: facts.inbound,
          submission: facts.submission !== null,
          billing: facts.billing,
          password_login: facts.passwordLogin(),
          tracking: true,
          scanners: facts.scanners(),
        },
      };
      return { status: 200, body };
    },
  });
