// The certificates of all listeners: from files of another program, from an authority by ACME, or self-signed where there is no other.
// Each listener gets a source, and is told when what it shows changes.
import { isIP } from 'node:net';
import { z } from 'zod';
import type { Base } from '#src/kernel/base.ts';
import type { Certificate, CertificateSource } from '#src/kernel/certificate.ts';
import { AppError } from '#src/kernel/errors.ts';
import { healthPart } from '#src/kernel/health.ts';
import type { Job } from '#src/kernel/job.ts';
import { certificateExpiry } from '#src/kernel/metrics.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { DAY, toIsoOrNull } from '#src/kernel/time.ts';
import { type AcmeDeps, createAcme } from './acme.ts';
import { CHALLENGE_PATH, type Challenges } from './challenges.ts';
import { type CertificateFiles, type WatchedFiles, watchFiles } from './files.ts';
import { type CertificateFacts, factsOf, healthSchema, summaryOf, validityOf } from './health.ts';
import { ownCertificate } from './own-certificate.ts';

export const CERTIFICATES_JOB = 'renew certificates';

const FILES_HINT =
  'Have the program that renews them write both files, or reload this service once both are there.';

const challengeRoute = (challenges: Challenges): Route =>
  defineRoute({
    method: 'get',
    path: `${CHALLENGE_PATH}{token}`,
    tag: 'Service',
    id: 'getAcmeChallenge',
    usedBy: 'certificate authorities that check a name (RFC 8555, HTTP-01)',
    summary: 'Answer to the check of a name',
    description: 'While a certificate is being asked for; also over plain HTTP.',
    access: 'public',
    stability: 'stable',
    params: z.strictObject({
      token: z
        .string()
        .min(1)
        .max(200)
        .meta({ examples: ['evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA'] }),
    }),
    responses: { 200: { description: 'The key authorization.', body: 'application/octet-stream' } },
    errors: ['not_found'],
    handle: ({ params }) => {
      const body = challenges.answerTo(params.token);
      if (body === null) throw new AppError('not_found', say`No check of a name with this token is pending.`);
      return { status: 200, contentType: 'application/octet-stream', body };
    },
  });

interface Watched {
  readonly name: string;
  readonly files: WatchedFiles;
}

/** Throws where configured files cannot be used. */
export const openCertificates = (base: Base, deps: AcmeDeps) => {
  const { config, clock, log } = base;
  const { service, smtp, http, tls, data_dir: dataDirectory } = config();
  const originHost = new URL(service.public_origin).hostname;
  /** What each listener of ACME's certificates was told to call, by the name whose certificate it shows. */
  const users = new Map<string, ((certificate: Certificate) => void)[]>();
  const watched: Watched[] = [];
  const own = () => ownCertificate(dataDirectory, service.host, clock.now());
  let showsOwn = false;

  const tell = (uses: readonly ((certificate: Certificate) => void)[], certificate: Certificate): void => {
    for (const use of uses) use(certificate);
  };
  const ownNames = [originHost, service.host, ...(tls.acme?.names ?? [])];
  const acme =
    tls.acme &&
    createAcme(
      base,
      tls.acme,
      [...new Set(ownNames)].filter((name) => isIP(name) === 0),
      deps,
      (name, certificate) => tell(users.get(name) ?? [], certificate),
    );
  const contextFor = acme?.contextFor ?? (() => null);

  const byFiles = (name: string, files: () => CertificateFiles): CertificateSource => {
    const uses: ((certificate: Certificate) => void)[] = [];
    const pair = watchFiles(files, (certificate) => tell(uses, certificate), log);
    watched.push({ name, files: pair });
    return {
      current: pair.current,
      issued: pair.current,
      contextFor: () => null,
      watch: (use) => uses.push(use),
    };
  };
  const byAcme = (name: string): CertificateSource => ({
    current: () => acme?.certificateOf(name) ?? own(),
    issued: () => acme?.certificateOf(name) ?? null,
    contextFor,
    watch: (use) => users.set(name, [...(users.get(name) ?? []), use]),
  });
  const bySelf = (): CertificateSource => {
    showsOwn = true;
    const certificate = own();
    return {
      current: () => certificate,
      issued: () => null,
      contextFor: () => null,
      watch: () => undefined,
    };
  };

  /** The pair that is configured now; a reload may name others. */
  const inboundFiles = () => config().smtp.inbound?.tls;
  const submissionFiles = () => config().smtp.submission?.tls ?? inboundFiles();
  const filesOr = (name: string, files: () => CertificateFiles | undefined): CertificateSource | null => {
    const first = files();
    return first === undefined ? null : byFiles(name, () => files() ?? first);
  };
  const httpFiles = (): CertificateFiles | undefined => {
    const { cert, key } = config().http.tls ?? {};
    return cert === undefined || key === undefined ? undefined : { cert, key };
  };
  const acmeFor = (name: string): CertificateSource | null => (acme ? byAcme(name) : null);
  const sources = {
    /** Null where the listener is off, or shows no certificate. */
    inbound: smtp.inbound
      ? (filesOr('smtp.inbound', inboundFiles) ?? acmeFor(service.host) ?? bySelf())
      : null,
    submission: smtp.submission
      ? (filesOr('smtp.submission', submissionFiles) ?? acmeFor(service.host))
      : null,
    http: http.tls ? acmeWithFiles() : null,
  };
  /** Files show the service's own name; others may have certificates of their own. */
  function acmeWithFiles(): CertificateSource {
    const files = filesOr('http.tls', httpFiles);
    return files ? { ...files, contextFor } : (acmeFor(originHost) ?? bySelf());
  }

  const factsOfFiles = (now: number): CertificateFacts[] =>
    watched.map(({ name, files }) => {
      const found = factsOf(name, 'files', validityOf(files.current()), now);
      const error = files.problem();
      if (error === null) return found;
      return { ...found, state: found.state === 'ok' ? 'not read' : found.state, error, hint: FILES_HINT };
    });
  const factsOfNames = (now: number, isOwn: boolean): CertificateFacts[] =>
    (acme?.states() ?? [])
      .filter((one) => one.isOwn === isOwn)
      .map(({ name, kept, error, hint, nextAt }) => ({
        ...factsOf(name, 'acme', kept, now),
        next_attempt_at: toIsoOrNull(nextAt),
        error,
        hint: error === null || hint === '' ? null : hint,
      }));
  /** Those whose state is that of the service. */
  const counted = (now: number): CertificateFacts[] => [
    ...factsOfFiles(now),
    ...factsOfNames(now, true),
    ...(showsOwn ? [factsOf(service.host, 'self-signed', validityOf(own()), now)] : []),
  ];

  let saidAt = Number.NEGATIVE_INFINITY;
  const warn = (): void => {
    const now = clock.now();
    const ending = counted(now).filter(({ state }) => state === 'expiring' || state === 'expired');
    if (ending.length === 0 || now - saidAt < DAY) return;
    saidAt = now;
    for (const { name, source, expires_at, error, hint } of ending)
      log.warn({ name, source, expires_at, error, hint }, 'a certificate ends soon and was not renewed');
  };
  const look = (always: boolean): void => {
    for (const { files } of watched) files.look(always);
    warn();
  };

  const jobs: Job[] = [
    { name: 'look at certificates', schedule: '* * * * *', run: async () => look(false) },
    { name: CERTIFICATES_JOB, schedule: '* * * * *', run: async (signal) => acme?.renew(signal) },
  ];
  return {
    sources,
    /** What the HTTP server takes; null where no HTTPS is configured. */
    secure: sources.http && {
      certificates: sources.http,
      isServed: (name: string): boolean => ownNames.includes(name) || deps.isPolicyHost(name),
      challengeAt: deps.challenges.answerAt,
    },
    /** After a reload: files are read again, and what failed is asked for again. */
    reload: () => {
      look(true);
      acme?.bringForward();
    },
    routes: [challengeRoute(deps.challenges)],
    jobs,
    metrics: [
      certificateExpiry(() => {
        const endOf = (source: CertificateSource | null): number | null => {
          const issued = source?.issued() ?? null;
          return issued === null ? null : validityOf(issued).to;
        };
        const { inbound, submission, http: https } = sources;
        return { inbound: endOf(inbound), submission: endOf(submission), https: endOf(https) };
      }),
    ],
    health: {
      certificates: healthPart({
        schema: healthSchema,
        now: () => summaryOf(counted(clock.now()), factsOfNames(clock.now(), false)),
        state: ({ bad }) => (bad > 0 ? 'degraded' : 'ok'),
      }),
    },
  };
};
