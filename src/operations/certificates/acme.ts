// The certificates that the service gets by itself: which names have one, which are due, and what happens for each that is due:
//
// 1. A bound on orders that is reached, or a wait after a failure: the name is left for later.
// 2. The attempt and the time of the next one are written.
// 3. Our own lookup has to show that the name leads here.
// 4. The authority is asked. The new certificate is kept, and shown at the next handshake.
//
// A name of the service has a certificate from the start on. A name that only the registry knows gets one when a client first asks for
// it; that client still sees the service's own. What neither knows gets none, and is not remembered.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Base } from '#src/kernel/base.ts';
import { type Certificate, LEAST_TLS } from '#src/kernel/certificate.ts';
import type { AcmeConfig } from '#src/kernel/config/tls.ts';
import { HOUR, toIso } from '#src/kernel/time.ts';
import { createAttempts } from './attempts.ts';
import type { Challenges } from './challenges.ts';
import { Failure } from './failure.ts';
import { createKeep, type KeptCertificate } from './kept.ts';
import { type PointingDeps, requirePointing } from './pointing.ts';
import { mayOrderAt, RELOAD_PAUSE_MS, renewAtOf, waitAfter } from './rules.ts';

export interface AcmeDeps extends Pick<PointingDeps, 'lookup'> {
  readonly challenges: Challenges;
  /** Whether a name has HTTPS here because of something that the registry knows. */
  readonly isPolicyHost: (name: string) => boolean;
  /** Whether the built-in name server answers for the name. */
  readonly isInZone: (name: string) => boolean;
  /** The registered domain that a name belongs to, by which authorities count. */
  readonly organizationalDomain: (name: string) => string | null;
}

/** A context takes some 50 KiB. */
const MAX_CONTEXTS = 500;
/** Names of the registry that wait for their first certificate. */
const MAX_WANTED = 1_000;
/** Longer names would not fit a file's name with what is appended. */
const MAX_NAME = 200;
const NAME = /^(?=.*\.)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
/** An order that a crash cuts off is not begun again sooner. */
const CUT_OFF_MS = HOUR;

export interface NameState {
  readonly name: string;
  /** The service's own: without it something does not work for everyone. */
  readonly isOwn: boolean;
  readonly kept: KeptCertificate | null;
  readonly error: string | null;
  readonly hint: string;
  readonly failedAt: number | null;
  readonly nextAt: number | null;
}

/** `changed` is called with each new certificate. */
export const createAcme = (
  { config, clock, log, key }: Pick<Base, 'config' | 'clock' | 'log' | 'key'>,
  settings: AcmeConfig,
  own: readonly string[],
  deps: AcmeDeps,
  changed: (name: string, certificate: Certificate) => void,
) => {
  const { data_dir: dataDirectory, dns, service } = config();
  const sealing = key('certificates');
  const keep = createKeep(dataDirectory, sealing, log);
  const attempts = createAttempts(keep.folder);
  const kept = new Map(keep.certificates.map((one) => [one.name, one]));
  const contexts = new Map<string, SecureContext>();
  const wanted = new Set<string>();
  const pointing: PointingDeps = { ...deps, addresses: dns.zones.addresses, ownHost: service.host };
  const ownNames = own.filter((name) => NAME.test(name) && name.length <= MAX_NAME);
  let isSealedAgain = sealing.former === null;

  const challengeFor = (name: string): 'http-01' | 'dns-01' => {
    if (settings.challenge !== 'auto') return settings.challenge;
    return deps.isInZone(deps.challenges.recordOf(name)) ? 'dns-01' : 'http-01';
  };

  const contextFor = (asked: string): SecureContext | null => {
    const name = asked.toLowerCase().replace(/\.$/, '');
    const made = contexts.get(name);
    if (made !== undefined) {
      contexts.delete(name);
      contexts.set(name, made);
      return made;
    }
    const found = kept.get(name);
    if (found !== undefined) {
      const context = createSecureContext({ cert: found.cert, key: found.key, minVersion: LEAST_TLS });
      for (const [oldest] of contexts) if (contexts.size >= MAX_CONTEXTS) contexts.delete(oldest);
      contexts.set(name, context);
      return context;
    }
    if (wanted.size < MAX_WANTED && name.length <= MAX_NAME && NAME.test(name) && deps.isPolicyHost(name))
      wanted.add(name);
    return null;
  };

  const isRightful = (name: string): boolean => ownNames.includes(name) || deps.isPolicyHost(name);

  const isDue = (name: string, now: number): boolean => {
    const found = kept.get(name);
    const isWanted = found === undefined || found.directory !== settings.directory || now >= found.renewAt;
    return isWanted && isRightful(name) && now >= (attempts.of(name)?.nextAt ?? 0);
  };

  const order = async (name: string, signal: AbortSignal): Promise<void> => {
    const challenge = challengeFor(name);
    const first =
      kept.has(name) || ownNames.includes(name) ? null : (deps.organizationalDomain(name) ?? name);
    await requirePointing(name, challenge, pointing);
    const now = clock.now();
    const freeAt = mayOrderAt(attempts.orders(), { name, first }, settings.new_names_per_week, now);
    if (freeAt > now)
      throw new Failure(
        'limited',
        `so many certificates were asked for that ${name} has to wait`,
        'The bounds keep the limits of the authority from being met: tls.acme.new_names_per_week says how many new names a week it takes.',
        freeAt - now,
      );
    await attempts.addOrder({ at: now, name, first });
    const { orderCertificate } = await import('./order.ts');
    const { cert, key: privateKey } = await orderCertificate({
      ...{ name, challenge, signal, challenges: deps.challenges },
      ...{ directory: settings.directory, email: settings.email, eab: settings.eab },
      ca: settings.ca_file === undefined ? undefined : readFileSync(settings.ca_file, 'utf8'),
      account: keep.account(),
      keepAccount: keep.writeAccount,
    });
    const { validFromDate, validToDate } = new X509Certificate(cert);
    const validity = { from: validFromDate.getTime(), to: validToDate.getTime() };
    const renewAt = renewAtOf(validity, Math.random());
    const next = { ...{ name, cert, key: privateKey, renewAt }, ...validity, directory: settings.directory };
    await keep.writeCertificate(next);
    kept.set(name, next);
    contexts.delete(name);
    wanted.delete(name);
    changed(name, next);
    await attempts.succeeded(name, clock.now());
    log.info(
      { name, challenge, expires_at: toIso(next.to), renewed_at: toIso(renewAt) },
      'there is a new certificate',
    );
  };

  const attempt = async (name: string, signal: AbortSignal): Promise<void> => {
    const at = clock.now();
    const failures = (attempts.of(name)?.failures ?? 0) + 1;
    const begun = {
      failures,
      at,
      nextAt: at + CUT_OFF_MS,
      error: null,
      hint: '',
      kind: 'unreachable',
    } as const;
    await attempts.put(name, begun);
    try {
      await order(name, signal);
    } catch (error) {
      const wait = { ...begun, failures: failures - 1, nextAt: at };
      // Nothing was found out about the name.
      if (signal.aborted) return attempts.put(name, wait);
      const failure = error instanceof Failure ? error : new Failure('refused', String(error), '');
      const { kind, message, hint, retryAfterMs, type } = failure;
      if (type === 'accountDoesNotExist') await keep.forgetAccount();
      const nextAt = clock.now() + waitAfter(kind, failures, retryAfterMs, Math.random());
      await attempts.put(name, { ...begun, nextAt, error: message, hint, kind });
      log.warn({ name, error: message, hint, next_attempt_at: toIso(nextAt) }, 'no new certificate');
    }
  };

  const tidyUp = async (now: number): Promise<void> => {
    if (!isSealedAgain) for (const one of kept.values()) await keep.writeCertificate(one);
    const account = isSealedAgain ? null : keep.account();
    if (account !== null) await keep.writeAccount(account);
    isSealedAgain = true;
    for (const { name, to } of [...kept.values()])
      if (now > to && !isRightful(name)) {
        kept.delete(name);
        contexts.delete(name);
        await keep.remove(name);
      }
    for (const name of wanted) if (!isRightful(name)) wanted.delete(name);
  };

  return {
    certificateOf: (name: string): Certificate | null => kept.get(name) ?? null,
    contextFor,
    /** Asks for what is due, one name after the other. */
    renew: async (signal: AbortSignal): Promise<void> => {
      await tidyUp(clock.now());
      for (const name of new Set([...ownNames, ...kept.keys(), ...wanted])) {
        if (signal.aborted) return;
        if (isDue(name, clock.now())) await attempt(name, signal);
      }
    },
    /** The operator has mended something. */
    bringForward: (): void => attempts.bringForward(clock.now() - RELOAD_PAUSE_MS, clock.now()),
    states: (): NameState[] =>
      [...new Set([...ownNames, ...kept.keys(), ...wanted])].map((name) => {
        const last = attempts.of(name);
        const found = kept.get(name) ?? null;
        return {
          name,
          isOwn: ownNames.includes(name),
          kept: found,
          error: last?.error ?? null,
          hint: last?.hint ?? '',
          failedAt: last?.error ? last.at : null,
          nextAt: last?.nextAt ?? found?.renewAt ?? null,
        };
      }),
  };
};
