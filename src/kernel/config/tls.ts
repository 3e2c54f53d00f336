// Checks the keys of HTTPS and certificates that depend on each other, and reads the key by which the certificate authority knows
// the operator.
import type { Secret } from '#src/kernel/secret.ts';
import type { ConfigFile } from './schema.ts';
import { checkAuthorities, checkFile, type Environment, type Findings, readSecret } from './secrets.ts';
import { isLoopback } from './values.ts';

type AcmeSection = NonNullable<ConfigFile['tls']['acme']>;

export type AcmeConfig = Omit<AcmeSection, 'eab'> & {
  /** Null: the authority asks for none. */
  readonly eab: { readonly keyId: string; readonly hmac: Secret } | null;
};

const HMAC_EXPECTED = 'the key as the authority gave it, base64url';
const isHmac = (text: string): boolean => /^[A-Za-z0-9_-]{16,512}={0,2}$/.test(text);

/** Null where certificates come from elsewhere. */
export const resolveAcme = (
  section: AcmeSection | undefined,
  environment: Environment,
  findings: Findings,
): AcmeConfig | null => {
  if (section === undefined) return null;
  const { eab, ...rest } = section;
  if (eab === undefined) return { ...rest, eab: null };
  const path = ['tls', 'acme', 'eab'];
  const { key_id: keyId, hmac_file: file, hmac_env: variable } = eab;
  if (file === undefined && variable === undefined)
    findings.problem(path, 'hmac_file or hmac_env', 'neither');
  const hmac = readSecret(
    { path, name: 'hmac', file, variable },
    HMAC_EXPECTED,
    isHmac,
    environment,
    findings,
  );
  return { ...rest, eab: hmac && { keyId, hmac } };
};

const checkAcme = (
  { tls, http, dns, service }: Partial<ConfigFile>,
  { problem, warning }: Findings,
): void => {
  const acme = tls?.acme;
  if (!acme) return;
  const directory = new URL(acme.directory);
  if (directory.protocol === 'http:' && !isLoopback(directory.hostname))
    problem(['tls', 'acme', 'directory'], 'an https address', JSON.stringify(acme.directory));
  if (!acme.agree_to_terms)
    problem(
      ['tls', 'acme', 'agree_to_terms'],
      'true, because the authority gives certificates only to those who agree to its terms of service',
      'false',
    );
  if (acme.challenge === 'dns-01' && dns && !dns.authoritative)
    problem(['tls', 'acme', 'challenge'], 'dns.authoritative, which publishes the record', 'none');
  if (acme.challenge !== 'dns-01' && http && !dns?.authoritative && !http.tls?.redirect)
    warning(
      ['tls', 'acme'],
      'names are checked at their port 80: set http.tls.redirect to 0.0.0.0:80, or let the proxy there hand /.well-known/acme-challenge/ on to http.listen',
    );
  if (service?.public_origin.startsWith('http:'))
    warning(['tls', 'acme'], 'service.public_origin is not https, so links and sign-in stay in clear');
};

export const checkTls = (sections: Partial<ConfigFile>, findings: Findings): void => {
  const { http, tls } = sections;
  const files = http?.tls;
  checkAcme(sections, findings);
  if (tls?.acme?.ca_file !== undefined)
    checkAuthorities(['tls', 'acme', 'ca_file'], tls.acme.ca_file, findings);
  if (!files) return;
  if ((files.cert === undefined) !== (files.key === undefined))
    findings.problem(['http', 'tls'], 'cert and key together', 'one of them');
  if (files.cert === undefined && tls && !tls.acme)
    findings.problem(['http', 'tls'], 'cert and key, or tls.acme', 'neither');
  if (files.cert !== undefined) checkFile(['http', 'tls', 'cert'], files.cert, false, findings);
  if (files.key !== undefined) checkFile(['http', 'tls', 'key'], files.key, true, findings);
};
