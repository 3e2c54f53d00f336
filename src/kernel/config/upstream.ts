// The entries of `upstreams`: one shape per kind. `direct` is planned and refused by name until it exists.
import { z } from 'zod';
import * as v from './values.ts';

const events = z
  .strictObject({
    format: z
      .enum(['sns', 'json'])
      .meta({ example: 'sns' })
      .describe('sns: Amazon SNS with events of Amazon SES; json: the form described in /reference.'),
    secret_file: v.secretFile
      .meta({ example: 'config/relay-events.secret' })
      .optional()
      .describe('File with the secret that the relay sends: 16 or more visible ASCII characters.'),
    secret_env: v.secretVariable
      .meta({ example: 'RELAY_EVENTS_SECRET' })
      .optional()
      .describe('Environment variable with the secret, instead of secret_file.'),
  })
  .describe(
    'Reports by HTTP, to <public_origin>/api/upstreams/<name>/events, from a relay that tells so what became of mail; off where absent. The secret goes as a bearer token or as the password of HTTP Basic.',
  );

const smtpUpstream = z
  .strictObject({
    kind: z.literal('smtp').describe('Relays to a smarthost.'),
    name: v.upstreamName.meta({ example: 'relay' }).describe('Name in logs and message details; unique.'),
    host: v.hostOrAddress
      .meta({ example: 'relay.example.net' })
      .describe('Host name or IP address of the smarthost.'),
    port: v.port.prefault(587).describe('Its port.'),
    tls: z
      .enum(['none', 'opportunistic', 'required', 'implicit'])
      .prefault('required')
      .describe(
        'none: never; opportunistic: STARTTLS where offered, unverified; required: STARTTLS with a verified certificate; implicit: TLS from the first byte, verified. A password is never sent without TLS, except to this machine.',
      ),
    user: v
      .text(200)
      .meta({ example: 'sendwerk' })
      .optional()
      .describe('User name for AUTH; no AUTH where absent.'),
    password_file: v.secretFile
      .meta({ example: 'config/relay.password' })
      .optional()
      .describe("File with the user's password."),
    password_env: v.secretVariable
      .meta({ example: 'RELAY_PASSWORD' })
      .optional()
      .describe('Environment variable with the password, instead of password_file.'),
    ca_file: v.filePath
      .meta({ example: 'certs/relay-ca.crt' })
      .optional()
      .describe("Certificate authorities to verify the relay against, PEM; the system's where absent."),
    pool: v.whole(1, 100).prefault(8).describe('Connections at a time.'),
    rate: z
      .number()
      .min(0.01)
      .max(10_000)
      .meta({ example: 50 })
      .optional()
      .describe('Messages per second at most; unlimited where absent.'),
    events: events.optional(),
    delivered_on: z
      .enum(['dsn', 'accept'])
      .prefault('dsn')
      .describe(
        'dsn: a recipient counts as delivered when a success notice says so; accept: when the relay has taken the message.',
      ),
  })
  .describe(
    'A smarthost. The first healthy upstream takes a message; the next one takes over when it fails.',
  );

const captureUpstream = z
  .strictObject({
    kind: z.literal('capture').describe('Keeps messages in a local mailbox and delivers nothing.'),
    name: v.upstreamName.meta({ example: 'capture' }).describe('Name in logs and message details; unique.'),
    keep: v.whole(1, 100_000).prefault(1_000).describe('Messages kept per tenant; the oldest go first.'),
  })
  .describe('A local mailbox for trying things out: the default of a fresh install.');

export const upstream = z.discriminatedUnion('kind', [captureUpstream, smtpUpstream], {
  error: ({ code, input }) => {
    if (code !== 'invalid_union') return undefined;
    const direct = typeof input === 'object' && input !== null && 'kind' in input && input.kind === 'direct';
    return direct ? 'smtp or capture: direct is not available in this version' : 'smtp or capture';
  },
});
