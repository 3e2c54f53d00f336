// Metrics for Prometheus: those of all rooms, on a listener of their own or by a token on the daemon's HTTP. Where neither is
// configured nothing is loaded, counted or timed.
import type { Base } from '#src/kernel/base.ts';
import { nothingSent, unreadable } from '#src/kernel/credentials.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { Metric } from '#src/kernel/metrics.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Secret } from '#src/kernel/secret.ts';
import { isSecret, secretIn } from '#src/kernel/shared-secret.ts';
import { startMetricsListener } from './listener.ts';
import { createProcessMetrics } from './process-metrics.ts';
import { createMetricsText, type MetricsText } from './registry.ts';

const MEDIA_TYPE = 'text/plain';
const SEND_TOKEN = say`Send the token that the configuration names under \`metrics\` as \`Authorization: Bearer <token>\`, or as the password of HTTP Basic.`;

/** Throws `unauthorized`. */
const requireToken = (token: Secret, authorization: string | undefined): void => {
  if (authorization === undefined) throw nothingSent(SEND_TOKEN);
  const given = secretIn(authorization);
  if (given === null) throw unreadable(authorization, ['Bearer', 'Basic'], SEND_TOKEN);
  if (!isSecret(given, token))
    throw new AppError('unauthorized', say`The token for metrics is wrong.`, { hint: SEND_TOKEN });
};

/** `ofRooms` is asked once, at the start. */
export const openMetrics = (
  base: Pick<Base, 'config' | 'log' | 'version'>,
  ofRooms: () => readonly Metric[],
) => {
  const { listen, token } = base.config().metrics;
  const isOn = listen !== undefined || token !== null;
  const ofProcess = createProcessMetrics(base);
  let metrics: MetricsText | null = null;
  let listener: Awaited<ReturnType<typeof startMetricsListener>> | null = null;

  const route: Route = defineRoute({
    method: 'get',
    path: '/metrics',
    isAnsweredWhileDraining: true,
    tag: 'Service',
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    description:
      "In Prometheus' text format, where the configuration has a token for it (`metrics.token_file`); docs/operate/monitoring.md says what each is.",
    access: 'public',
    challenge: 'Bearer, Basic',
    stability: 'stable',
    responses: { 200: { description: 'The metrics as of now.', body: MEDIA_TYPE } },
    errors: ['unauthorized', 'not_found'],
    handle: async (_input, { header }) => {
      if (token === null || metrics === null)
        throw new AppError('not_found', say`There is nothing at this path.`);
      requireToken(token, header('authorization'));
      return { status: 200, contentType: metrics.contentType, body: Buffer.from(await metrics.text()) };
    },
  });

  return {
    routes: [route],
    /** The port of the listener; null where there is none. Rejects where its address is taken. */
    start: async (): Promise<number | null> => {
      if (!isOn) return null;
      metrics = await createMetricsText([...ofProcess.metrics, ...ofRooms()]);
      ofProcess.start();
      if (listen !== undefined)
        listener = await startMetricsListener({ listen, token, metrics, log: base.log });
      return listener?.port ?? null;
    },
    stop: async (): Promise<void> => {
      ofProcess.stop();
      await listener?.stop();
    },
  };
};
