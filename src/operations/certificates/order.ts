// One order of a certificate for one name (RFC 8555 §7.4), by acme-client: account, order, check of the name, key, certificate. The
// steps are ours, because the library's own way waits without an end at a stop. Loaded only when a certificate is needed.
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import * as acme from 'acme-client';
import type { Certificate } from '#src/kernel/certificate.ts';
import type { Secret } from '#src/kernel/secret.ts';
import { sleep } from '#src/kernel/time.ts';
import type { Challenges } from './challenges.ts';
import { Failure, hintFor, tidy } from './failure.ts';
import type { KeptAccount } from './kept.ts';
import { adapter, askAuthority, type Problem, Unreachable } from './requests.ts';
import { signingRequest } from './signing-request.ts';

export type ChallengeKind = 'http-01' | 'dns-01';

export interface OrderOptions {
  readonly name: string;
  readonly challenge: ChallengeKind;
  readonly directory: string;
  readonly email: string | undefined;
  readonly ca: string | undefined;
  readonly eab: { readonly keyId: string; readonly hmac: Secret } | null;
  readonly account: KeptAccount | null;
  readonly keepAccount: (account: KeptAccount) => Promise<void>;
  readonly challenges: Challenges;
  readonly signal: AbortSignal;
}

/** Authorities answer within seconds; one that is asked more often counts it against us. */
const PAUSES_MS = [500, 1_000, 2_000, 3_000, 5_000, 5_000, 10_000, 10_000, 10_000, 10_000, 15_000, 15_000];

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

/** Asks until `look` has something; undefined: not yet. */
const poll = async <T>(what: string, signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T> => {
  for (const pause of PAUSES_MS) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(pause, signal);
    signal.throwIfAborted();
  }
  throw new Failure('unreachable', `the authority does not end ${what} in time`, hintFor('', 'http-01', ''));
};

const clientFor = async (options: OrderOptions): Promise<acme.Client> => {
  const { directory, email, eab, keepAccount } = options;
  const kept = options.account?.directory === directory ? options.account : null;
  const key = kept?.key ?? newKey();
  // Before the authority has seen the key: the account would be lost with it.
  if (kept === null) await keepAccount({ directory, key, url: null });
  const client = new acme.Client({
    directoryUrl: directory,
    accountKey: key,
    ...(kept?.url ? { accountUrl: kept.url } : {}),
    ...(eab ? { externalAccountBinding: { kid: eab.keyId, hmacKey: eab.hmac.reveal() } } : {}),
  });
  if (!kept?.url) {
    const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
    await client.createAccount({ termsOfServiceAgreed: true, ...contact });
    await keepAccount({ directory, key, url: client.getAccountUrl() });
  }
  return client;
};

type Authorization = Awaited<ReturnType<acme.Client['getAuthorizations']>>[number];

/** What the authority says of a check that failed. */
const refusalOf = ({ challenges, identifier }: Authorization, kind: ChallengeKind): Failure => {
  const found = challenges.find(({ type }) => type === kind) as
    | { readonly error?: { readonly type?: string; readonly detail?: string } }
    | undefined;
  const type = found?.error?.type?.split(':').at(-1) ?? '';
  const said = found?.error?.detail ?? 'the check failed';
  return new Failure('refused', tidy(said), hintFor(type, kind, identifier.value));
};

const prove = async (
  client: acme.Client,
  order: acme.Order,
  authorization: Authorization,
  { challenge: kind, challenges, name, signal }: OrderOptions,
): Promise<void> => {
  if (authorization.status === 'valid') return;
  const challenge = authorization.challenges.find(({ type }) => type === kind);
  if (challenge === undefined)
    throw new Failure(
      'refused',
      `the authority does not offer ${kind}`,
      'Set tls.acme.challenge to the other way, or take another authority.',
    );
  const answer = await client.getChallengeKeyAuthorization(challenge);
  const withdraw =
    kind === 'http-01'
      ? challenges.publishToken(challenge.token, answer)
      : challenges.publishText(name, answer);
  try {
    await client.completeChallenge(challenge);
    await poll('its check', signal, async () => {
      const [now] = await client.getAuthorizations(order);
      if (now?.status === 'invalid') throw refusalOf(now, kind);
      return now?.status === 'valid' ? true : undefined;
    });
  } finally {
    withdraw();
  }
};

const checked = (cert: string, key: string, name: string): Certificate => {
  const certificate = new X509Certificate(cert);
  if (certificate.checkHost(name) === undefined || !certificate.checkPrivateKey(createPrivateKey(key)))
    throw new Failure('refused', `the authority gave a certificate that is not for ${name}`, '');
  return { cert, key };
};

const order = async (options: OrderOptions): Promise<Certificate> => {
  const { name, signal } = options;
  const client = await clientFor(options);
  const made = await client.createOrder({ identifiers: [{ type: 'dns', value: name }] });
  for (const authorization of await client.getAuthorizations(made))
    await prove(client, made, authorization, options);
  const key = newKey();
  await client.finalizeOrder(made, signingRequest(name, createPrivateKey(key)));
  const ready = await poll('the order', signal, async () => {
    const now = await client.getOrder(made);
    if (now.status === 'invalid') throw new Failure('refused', 'the order has become invalid', '');
    return now.status === 'valid' ? now : undefined;
  });
  return checked(await client.getCertificate(ready), key, name);
};

const failureOf = (error: unknown, problem: Problem | null, { challenge, name }: OrderOptions): Failure => {
  if (error instanceof Failure) return error;
  const said = tidy(error instanceof Error ? error.message : String(error));
  if (error instanceof Unreachable || problem === null || problem.status >= 500)
    return new Failure('unreachable', said, hintFor('unreachable', challenge, name), problem?.retryAfterMs);
  const isLimit = problem.type === 'rateLimited' || problem.status === 429;
  const type = isLimit ? 'rateLimited' : problem.type;
  return new Failure(
    isLimit ? 'limited' : 'refused',
    said,
    hintFor(type, challenge, name),
    problem.retryAfterMs,
    type,
  );
};

/** Rejects with Failure, or where `signal` aborts with its reason. */
export const orderCertificate = (options: OrderOptions): Promise<Certificate> => {
  // The library has one way of making requests for all its clients.
  acme.axios.defaults.adapter = adapter as never;
  return askAuthority(options, async (problem) => {
    try {
      return await order(options);
    } catch (error) {
      options.signal.throwIfAborted();
      throw failureOf(error, problem(), options);
    }
  });
};
