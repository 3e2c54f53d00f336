// The keys of HTTPS and of certificates that the service gets by itself (ACME, RFC 8555).
import { z } from 'zod';
import * as v from './values.ts';

export const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

export const httpTls = z.strictObject({
  listen: v.listen.meta({ example: '0.0.0.0:443' }).describe('Where HTTPS is served.'),
  redirect: v.listen
    .meta({ example: '0.0.0.0:80' })
    .optional()
    .describe(
      'Where plain HTTP leads to HTTPS; certificate authorities ask there as well (HTTP-01), at port 80 of each name. Off where absent.',
    ),
  cert: v.filePath
    .meta({ example: 'certs/mail.crt' })
    .optional()
    .describe(
      'Certificate with its chain, PEM, where another program gets it; read again when it changes. That of tls.acme where absent.',
    ),
  key: v.filePath
    .meta({ example: 'certs/mail.key' })
    .optional()
    .describe('Private key of the certificate, PEM.'),
});

const eab = z.strictObject({
  key_id: v.text(500).meta({ example: 'kid-1' }).describe('Key identifier that the authority gave.'),
  hmac_file: v.secretFile
    .meta({ example: 'config/eab.key' })
    .optional()
    .describe('File with the key that it gave: base64url.'),
  hmac_env: v.secretVariable
    .meta({ example: 'ACME_EAB_KEY' })
    .optional()
    .describe('Environment variable with that key, instead of hmac_file.'),
});

const acme = z.strictObject({
  directory: v.httpUrl
    .prefault(LETS_ENCRYPT)
    .describe(
      "Directory of the certificate authority: Let's Encrypt where absent. To try things out there is its staging, https://acme-staging-v02.api.letsencrypt.org/directory, with generous limits and certificates that no one trusts.",
    ),
  agree_to_terms: z
    .boolean()
    .meta({ example: true })
    .describe("Whether the operator agrees to the authority's terms of service; it gives nothing otherwise."),
  email: v.mailAddress
    .meta({ example: 'operator@example.net' })
    .optional()
    .describe('Where the authority writes to about the account.'),
  names: v
    .listOf(v.hostName)
    .meta({ example: ['smtp.example.com'] })
    .prefault([])
    .describe(
      'Further names of the service that lead here, such as one at which clients submit mail. service.host and the host of service.public_origin have certificates anyway, and names of MTA-STS policies get them when they are first asked for.',
    ),
  challenge: z
    .enum(['auto', 'http-01', 'dns-01'])
    .prefault('auto')
    .describe(
      'How the authority checks a name: at port 80 of it, or by a TXT record. auto: by the record where the name lies in a zone that dns.authoritative serves.',
    ),
  new_names_per_week: v
    .whole(1, 100_000)
    .prefault(40)
    .describe(
      "How many names below one registered domain get their first certificate within a week; Let's Encrypt gives 50. Renewals and the service's own names do not count.",
    ),
  ca_file: v.filePath
    .meta({ example: 'certs/acme-ca.crt' })
    .optional()
    .describe(
      "Certificate authorities, PEM, that are trusted in the place of the public ones where the directory is asked: for an authority in one's own network.",
    ),
  eab: eab.optional().describe('External account binding, where the authority asks for it.'),
});

export const tls = z.strictObject({
  acme: acme
    .optional()
    .describe(
      'The service gets certificates by itself (ACME) and renews them: for http.tls and for SMTP listeners that name no files. Off where absent.',
    ),
});
