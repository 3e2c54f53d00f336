// The configuration of a running daemon: the file, checked as a whole, with its secrets read. All problems are reported
// at once, with line and column. Relative paths start at the working directory.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isEvidenceKey, keysNameOf } from '#src/kernel/evidence-key.ts';
import { metaText, type Schema, unwrap } from '#src/kernel/expected.ts';
import { Secret } from '#src/kernel/secret.ts';
import { ConfigError, type FileProblem, keyName, type Path, readYaml } from '#src/kernel/yaml-file.ts';
import { checkSections } from './checks.ts';
import { type DomainConnectConfig, publicKeyRecords, resolveDomainConnect } from './domain-connect.ts';
import { type ConfigFile, configSchema } from './schema.ts';
import { type Environment, type Findings, readSecret } from './secrets.ts';
import { type AcmeConfig, resolveAcme } from './tls.ts';

type SmtpEntry = Extract<ConfigFile['upstreams'][number], { kind: 'smtp' }>;

export type SmtpUpstreamConfig = Omit<SmtpEntry, 'password_file' | 'password_env' | 'events'> & {
  /** Null exactly if `user` is absent. */
  readonly password: Secret | null;
  /** Null: the relay reports by mail only. */
  readonly events: { readonly format: 'sns' | 'json'; readonly secret: Secret } | null;
};
export type CaptureUpstreamConfig = Extract<ConfigFile['upstreams'][number], { kind: 'capture' }>;
export type UpstreamConfig = SmtpUpstreamConfig | CaptureUpstreamConfig;
export type ZonesConfig = ConfigFile['dns']['zones'] & {
  readonly nameservers: string[];
  readonly hostmaster: string;
};

type ProviderSection = NonNullable<ConfigFile['dns']['provider']>;
export interface DnsProviderConfig extends Pick<ProviderSection, 'kind' | 'api'> {
  readonly token: Secret;
}

type StripeSection = NonNullable<ConfigFile['billing']['stripe']>;
export interface StripeConfig extends Pick<StripeSection, 'api_base' | 'price'> {
  readonly secretKey: Secret;
  readonly webhookSecret: Secret;
}

/** The sections that are in force as they are in the file. */
export type Settings = Omit<
  ConfigFile,
  'admin' | 'metrics' | 'secrets' | 'upstreams' | 'dns' | 'billing' | 'domain_connect' | 'tls'
>;

/** Keys are named as in the file; durations are milliseconds, `listen` is host and port, secrets are read. */
export type Config = Settings & {
  /** Null: no one can administer over HTTP. */
  readonly admin: { readonly token: Secret | null; readonly mail: string | null };
  /** `token` null: they are not served over HTTP, and the listener asks for none. */
  readonly metrics: Pick<ConfigFile['metrics'], 'listen'> & { readonly token: Secret | null };
  /** Base64 of 32 bytes. */
  readonly secrets: {
    readonly masterKey: Secret;
    /** The one before the last change of the master key; null where none is needed. */
    readonly formerMasterKey: Secret | null;
    /** PEM; null: it is made of the master key. */
    readonly evidenceKey: Secret | null;
  };
  readonly upstreams: readonly UpstreamConfig[];
  readonly dns: Omit<ConfigFile['dns'], 'authoritative' | 'zones' | 'provider'> & {
    readonly zones: ZonesConfig;
    /** Null: records are published by others. */
    readonly provider: DnsProviderConfig | null;
    readonly authoritative: NonNullable<ConfigFile['dns']['authoritative']> | null;
  };
  readonly billing: Pick<ConfigFile['billing'], 'provider' | 'grace'> & {
    /** Null exactly if the provider is none. */
    readonly stripe: StripeConfig | null;
  };
  readonly tls: {
    /** Null: certificates come from elsewhere. */
    readonly acme: AcmeConfig | null;
  };
  /** Null: no apply URLs are made. */
  readonly domain_connect: DomainConnectConfig | null;
};

export interface LoadedConfig {
  readonly config: Config;
  /** One line each, `file:line:column: key: text`. */
  readonly warnings: readonly string[];
  /** A warning found later, in the same form. */
  readonly warningAt: (path: Path, text: string) => string;
  /** Files that others must not read, by their keys; also private keys that are not read here. */
  readonly secretFiles: readonly { readonly key: string; readonly path: string }[];
}

const MASTER_KEY_BYTES = 32;
const TOKEN_EXPECTED = '16 to 512 visible ASCII characters without spaces';
const TOKEN = /^[\x21-\x7e]{16,512}$/;

const isMasterKey = (text: string): boolean =>
  /^[A-Za-z0-9+/]{43}=$/.test(text) && Buffer.from(text, 'base64').length === MASTER_KEY_BYTES;
const isToken = (text: string): boolean => TOKEN.test(text);
/** RFC 4616 §2: neither empty nor with NUL. A line break would be a mistake. */
const isPassword = (text: string): boolean =>
  text !== '' && ![...text].some((letter) => '\0\r\n'.includes(letter));

const resolveEvents = (
  events: SmtpEntry['events'],
  path: Path,
  environment: Environment,
  findings: Findings,
): SmtpUpstreamConfig['events'] => {
  if (events === undefined) return null;
  const { format, secret_file: file, secret_env: variable } = events;
  if (file === undefined && variable === undefined)
    findings.problem(path, 'secret_file or secret_env', 'neither');
  const source = { path, name: 'secret', file, variable };
  const secret = readSecret(source, TOKEN_EXPECTED, isToken, environment, findings);
  return secret === null ? null : { format, secret };
};

const resolveUpstream = (
  entry: ConfigFile['upstreams'][number],
  index: number,
  environment: Environment,
  findings: Findings,
): UpstreamConfig => {
  if (entry.kind === 'capture') return entry;
  const { password_file: file, password_env: variable, events, ...rest } = entry;
  const source = { path: ['upstreams', index], name: 'password', file, variable };
  return {
    ...rest,
    events: resolveEvents(events, ['upstreams', index, 'events'], environment, findings),
    password: readSecret(source, 'one line with a password', isPassword, environment, findings),
  };
};

const resolveProvider = (
  section: ProviderSection | undefined,
  environment: Environment,
  findings: Findings,
): DnsProviderConfig | null => {
  if (section === undefined) return null;
  const { kind, api, token_file: file, token_env: variable } = section;
  const path = ['dns', 'provider'];
  if (file === undefined && variable === undefined)
    findings.problem(path, 'token_file or token_env', 'neither');
  const source = { path, name: 'token', file, variable };
  const token = readSecret(source, TOKEN_EXPECTED, isToken, environment, findings);
  return token && { kind, api, token };
};

const stripeSecrets = {
  secret_key: { expected: 'a secret or restricted key, sk_… or rk_…', form: /^[sr]k_[\x21-\x7e]{8,500}$/ },
  webhook_secret: {
    expected: 'the signing secret of a webhook, whsec_…',
    form: /^whsec_[\x21-\x7e]{8,500}$/,
  },
} as const;

const resolveStripe = (
  billing: ConfigFile['billing'] | undefined,
  environment: Environment,
  findings: Findings,
): StripeConfig | null => {
  if (billing?.provider !== 'stripe') return null;
  const { stripe } = billing;
  if (stripe === undefined) {
    findings.problem(['billing', 'provider'], 'billing.stripe beside it', 'none');
    return null;
  }
  const path = ['billing', 'stripe'];
  const read = (name: keyof typeof stripeSecrets): Secret | null => {
    const source = { path, name, file: stripe[`${name}_file`], variable: stripe[`${name}_env`] };
    if (source.file === undefined && source.variable === undefined)
      findings.problem(path, `${name}_file or ${name}_env`, 'neither');
    const { expected, form } = stripeSecrets[name];
    return readSecret(source, expected, (text) => form.test(text), environment, findings);
  };
  const [secretKey, webhookSecret] = [read('secret_key'), read('webhook_secret')];
  const { api_base, price } = stripe;
  return secretKey && webhookSecret && { api_base, price, secretKey, webhookSecret };
};

const resolveDns = (
  { zones, authoritative, ...rest }: ConfigFile['dns'],
  host: string,
  provider: DnsProviderConfig | null,
): Config['dns'] => ({
  ...rest,
  provider,
  zones: {
    ...zones,
    nameservers: zones.nameservers ?? [`ns1.${host}`],
    hostmaster: zones.hostmaster ?? `hostmaster@${host}`,
  },
  authoritative: authoritative ?? null,
});

const resolve = (sections: Partial<ConfigFile>, environment: Environment, findings: Findings) => {
  const admin = sections.admin ?? {};
  const secrets = sections.secrets ?? {};
  const token = readSecret(
    { path: ['admin'], name: 'token', file: admin.token_file, variable: admin.token_env },
    TOKEN_EXPECTED,
    isToken,
    environment,
    findings,
  );
  const { token_file, token_env } = sections.metrics ?? {};
  const metricsToken = readSecret(
    { path: ['metrics'], name: 'token', file: token_file, variable: token_env },
    TOKEN_EXPECTED,
    isToken,
    environment,
    findings,
  );
  const readMasterKey = (name: string, file: string | undefined, variable: string | undefined) =>
    readSecret(
      { path: ['secrets'], name, file, variable },
      'base64 of 32 bytes, as `openssl rand -base64 32` makes it',
      isMasterKey,
      environment,
      findings,
    );
  const masterKey = readMasterKey('master_key', secrets.master_key_file, secrets.master_key_env);
  const formerMasterKey = readMasterKey(
    'former_master_key',
    secrets.former_master_key_file,
    secrets.former_master_key_env,
  );
  const evidenceKey =
    secrets.evidence_key_file === undefined
      ? null
      : readSecret(
          { path: ['secrets'], name: 'evidence_key', file: secrets.evidence_key_file, variable: undefined },
          'an Ed25519 private key, PEM without a passphrase',
          isEvidenceKey,
          environment,
          findings,
        );
  const unnamed = secrets.master_key_file === undefined && secrets.master_key_env === undefined;
  if (sections.secrets && unnamed)
    findings.problem(['secrets'], 'master_key_file or master_key_env', 'neither');
  const upstreams = (sections.upstreams ?? []).map((entry, index) =>
    resolveUpstream(entry, index, environment, findings),
  );
  const domainConnect = resolveDomainConnect(sections.domain_connect, environment, findings);
  const provider = resolveProvider(sections.dns?.provider, environment, findings);
  const stripe = resolveStripe(sections.billing, environment, findings);
  const acme = resolveAcme(sections.tls?.acme, environment, findings);
  const others = { upstreams, domainConnect, provider, stripe, acme };
  return { token, metricsToken, masterKey, formerMasterKey, evidenceKey, ...others };
};

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    throw new ConfigError([{ file, line: 1, column: 1, key: '', expected: 'a readable file', got }]);
  }
};

const SECRET_KEY = /(?:key|token|password|secret)_file$|(?:^|\.)tls\.key$/;

const secretFilesIn = (value: unknown, key = ''): LoadedConfig['secretFiles'] => {
  if (typeof value === 'string') return SECRET_KEY.test(key) ? [{ key, path: value }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    secretFilesIn(inner, key === '' ? name : `${key}.${name}`),
  );
};

/** Reads, checks and resolves the file. Throws ConfigError with all problems, in the order of the file. */
export const loadConfig = (file: string, environment: Environment): LoadedConfig => {
  const { value, problems: found, problemAt } = readYaml(file, readText(file), configSchema);
  const problems: FileProblem[] = [...found];
  const warnings: string[] = [];
  const warningAt = (path: Path, text: string): string => {
    const { line, column } = problemAt(path, '');
    return `${file}:${line}:${column}: ${keyName(path)}: ${text}`;
  };
  const findings: Findings = {
    problem: (path, expected, got) => problems.push(problemAt(path, expected, got)),
    warning: (path, text) => warnings.push(warningAt(path, text)),
  };
  checkSections(value, findings);
  const resolved = resolve(value, environment, findings);
  const { masterKey, formerMasterKey, evidenceKey, provider, stripe } = resolved;
  if (problems.length > 0 || masterKey === null)
    throw new ConfigError(problems.sort((a, b) => a.line - b.line || a.column - b.column));
  const whole = value as ConfigFile;
  const config = {
    ...whole,
    admin: { token: resolved.token, mail: whole.admin.mail ?? null },
    metrics: { listen: whole.metrics.listen, token: resolved.metricsToken },
    secrets: { masterKey, formerMasterKey, evidenceKey },
    upstreams: resolved.upstreams,
    dns: resolveDns(whole.dns, whole.service.host, provider),
    billing: { ...whole.billing, stripe },
    domain_connect: resolved.domainConnect,
    tls: { acme: resolved.acme },
  };
  return { config, warnings, warningAt, secretFiles: secretFilesIn(whole) };
};

const liveKeys = (schema: Schema, path: string): string[] => {
  if (metaText(schema, 'live') === 'yes') return [path];
  const bare = unwrap(schema);
  if (!(bare instanceof z.ZodObject)) return [];
  return Object.entries(bare.def.shape).flatMap(([key, inner]) =>
    liveKeys(inner, path === '' ? key : `${path}.${key}`),
  );
};
const LIVE_KEYS = liveKeys(configSchema, '');

const isSection = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Secret);

const comparable = (value: unknown): unknown => {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(comparable);
  return isSection(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, comparable(inner)]))
    : value;
};

const changedKeys = (before: unknown, after: unknown, path: string): string[] => {
  if (!isSection(before) || !isSection(after))
    return isDeepStrictEqual(comparable(before), comparable(after)) ? [] : [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    changedKeys(before[key], after[key], path === '' ? key : `${path}.${key}`),
  );
};

/** Paths of the keys that differ, split by whether a reload can apply them. A list counts as one key. */
export const liveChanges = (before: Config, after: Config): { live: string[]; restart: string[] } => {
  const changed = changedKeys(before, after, '').sort();
  const isLive = (path: string): boolean =>
    LIVE_KEYS.some((key) => path === key || path.startsWith(`${key}.`));
  return { live: changed.filter(isLive), restart: changed.filter((path) => !isLive(path)) };
};

/** What the operator's zones are made from. `now` is in milliseconds; the serial grows with it. */
export const zoneSettings = ({ service, dns, domain_connect }: Config, now: () => number) => ({
  serviceHost: service.host,
  managedSuffix: service.managed_suffix,
  addresses: dns.zones.addresses,
  spfAddresses: dns.zones.spf_addresses,
  spfIncludes: dns.zones.spf_includes,
  nameservers: dns.zones.nameservers,
  hostmaster: dns.zones.hostmaster,
  mtaSts: { mode: dns.mta_sts.mode, maxAge: dns.mta_sts.max_age, also: dns.mta_sts.also },
  keysName: keysNameOf(service.public_origin),
  extra: domain_connect === null ? [] : publicKeyRecords(domain_connect, service.host),
  serial: () => Math.floor(now() / 1_000),
});
