// Message submission over SMTP: part of the composition root.

import type { createAuthenticate } from '#src/accounts/people/authenticate.ts';
import type { AcceptDeps } from '#src/intake/accept.ts';
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { Limits } from '#src/kernel/limits.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import { createSubmission, type SubmissionPorts } from '#src/smtp/submission.ts';
import { readCertificate, renewCertificate } from '#src/smtp/tls.ts';

export interface SubmissionPartsDeps {
  /** As it is now. */
  readonly config: () => Config;
  readonly intake: AcceptDeps;
  readonly authenticate: ReturnType<typeof createAuthenticate>;
  readonly limits: () => Limits;
  readonly clock: Clock;
  readonly log: Log;
}

export interface SubmissionFacts {
  /** Whether all that are configured do. */
  readonly listening: boolean;
  readonly connections: number;
}

export interface SubmissionParts {
  readonly isConfigured: boolean;
  start(): Promise<SubmissionPorts>;
  stop(timeoutMs: number): Promise<void>;
  /** Reads the certificate again. */
  renewCertificate(): void;
  /** What health shows of it; null where it is off. */
  facts(): SubmissionFacts | null;
}

/** Content under way, of all connections together: five of the largest messages, two of them from one address. */
const HELD_BYTES = 256 * 1_024 * 1_024;

const certificateFiles = ({ smtp }: Config) => smtp.submission?.tls ?? smtp.inbound?.tls ?? null;

const off: SubmissionParts = {
  isConfigured: false,
  start: async () => ({ port: null, implicitPort: null }),
  stop: async () => undefined,
  renewCertificate: () => undefined,
  facts: () => null,
};

/** Throws where the certificate cannot be used. */
export const submissionParts = (deps: SubmissionPartsDeps): SubmissionParts => {
  const { config, intake, authenticate, limits, clock, log } = deps;
  const { service, smtp } = config();
  if (smtp.submission === undefined) return off;
  const { listen, implicit_listen } = smtp.submission;
  const files = certificateFiles(config());
  const submission = createSubmission({
    listen: listen ?? null,
    implicitListen: implicit_listen ?? null,
    hostName: service.host,
    certificate: files && readCertificate(files),
    budget: createByteBudget(HELD_BYTES),
    intake,
    authenticate: (token, clientAddress) =>
      authenticate(
        { bearer: token, adminToken: null, cookie: null, csrfToken: null, isWrite: true },
        clientAddress,
      ),
    limits,
    clock,
    log,
  });
  return {
    isConfigured: true,
    start: submission.start,
    stop: submission.stop,
    renewCertificate: () => {
      if (files) renewCertificate(certificateFiles(config()) ?? files, submission.listeners, log);
    },
    facts: () => {
      const stats = submission.listeners.map((listener) => listener.stats());
      return {
        listening: stats.every(({ listening }) => listening),
        connections: stats.reduce((sum, { connections }) => sum + connections, 0),
      };
    },
  };
};
