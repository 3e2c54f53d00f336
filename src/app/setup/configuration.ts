// The text of service.yaml as setup proposes it: what the answers say, with a reason above each part; everything else keeps its
// default. The same answers make the same text, by which a later run sees what a person changed. Pure.
import { stringify } from 'yaml';
import { applies } from './asked.ts';
import type { Answers } from './questions.ts';

export const CONFIG_DIRECTORY = '/etc/sendwerk';
export const CONFIG_FILE = `${CONFIG_DIRECTORY}/service.yaml`;
export const RELAY_PASSWORD_FILE = `${CONFIG_DIRECTORY}/relay.password`;
export const ADMIN_TOKEN_FILE = `${CONFIG_DIRECTORY}/admin.token`;
export const MASTER_KEY_FILE = `${CONFIG_DIRECTORY}/master.key`;
export const STATE_DIRECTORY = '/var/lib/sendwerk';
export const BACKUP_DIRECTORY = '/var/backups/sendwerk';
export const HTTP_LISTEN = '127.0.0.1:8080';

const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();

export const entriesOf = (list: string): string[] => (list === '' ? [] : list.split(', '));
/** Names have no colon, and end in a label that is no number. */
const isNetwork = (entry: string): boolean => /:|^[\d.]+(?:\/\d+)?$/.test(entry);

const relayLines = (answers: Answers): string[] => [
  '  - kind: smtp',
  '    name: relay',
  `    host: ${flow(answers.relay_host)}`,
  `    port: ${answers.relay_port}`,
  `    tls: ${answers.relay_tls}`,
  ...(answers.relay_user === ''
    ? []
    : [`    user: ${flow(answers.relay_user)}`, `    password_file: ${RELAY_PASSWORD_FILE}`]),
  '    # dsn: its notices say what was delivered; accept: for a relay that sends none.',
  `    delivered_on: ${answers.delivered_on}`,
];

const zoneLines = (answers: Answers): string[] => {
  const spf = entriesOf(answers.relay_spf);
  const lists = [
    ['addresses', entriesOf(answers.addresses)],
    ['spf_includes', spf.filter((entry) => !isNetwork(entry))],
    ['spf_addresses', spf.filter(isNetwork)],
    ['nameservers', answers.dns === 'builtin' ? [answers.nameserver] : []],
  ] as const;
  return lists.flatMap(([key, list]) => (list.length === 0 ? [] : [`    ${key}: ${flow(list)}`]));
};

const dnsLines = (answers: Answers): string[] =>
  answers.dns === 'builtin'
    ? [
        '  # Answers for service.host and service.managed_suffix, which are delegated to it.',
        `  authoritative: { listen: "${answers.dns_listen}" }`,
      ]
    : ['  # Another server has the zones: `sendwerk dns zone` prints them, also after each change.'];

/** The service gets its certificates itself. */
export const hasOwnCertificates = (answers: Answers): boolean =>
  applies('agree_to_terms', answers) && answers.agree_to_terms === 'yes';

const httpLines = (answers: Answers): string[] => {
  const { proxy, addresses } = answers;
  if (proxy !== 'none')
    return ['  # The proxy in front says from where a request comes.', '  trust_proxy: 1'];
  if (!hasOwnCertificates(answers)) return [];
  const host = addresses.includes(':') ? '[::]' : '0.0.0.0';
  return [
    '  # HTTPS for the world; port 80 leads to it, and the authority asks there.',
    `  tls: { listen: "${host}:443", redirect: "${host}:80" }`,
  ];
};

const certificateLines = (answers: Answers): string[] =>
  hasOwnCertificates(answers)
    ? [
        "# Certificates of Let's Encrypt for HTTPS and mail, got and renewed by the service.",
        'tls:',
        `  acme: { agree_to_terms: true, email: ${flow(answers.operator)} }`,
        '',
      ]
    : [];

export const configurationText = (answers: Answers): string =>
  `# Configuration of Sendwerk, written by \`sendwerk setup\`. What is not here has its default: \`sendwerk config example\` prints every
# key. Change what you like: setup leaves a changed file as it is. After a change: \`sendwerk config check\`, then
# \`systemctl reload sendwerk\`. docs/operate/install.md has the rest.
service:
  name: Sendwerk
  public_origin: https://${answers.host}
  # EHLO name, target of the MX records, parent of the DKIM and SPF records.
  host: ${answers.host}
  # Practices send from <their name>.<this zone> until they bring a domain of their own.
  managed_suffix: ${answers.managed_suffix}

http:
${['  # Without TLS, on this machine alone: for commands, and for a proxy.', `  listen: ${HTTP_LISTEN}`, ...httpLines(answers)].join('\n')}

${certificateLines(answers)
  .map((line) => `${line}\n`)
  .join('')}smtp:
  # Mail, bounces and reports come in here. Without it no bounce is ever read.
  inbound:
    listen: "${answers.smtp_listen}"
    postmaster: ${flow(answers.operator)}

admin:
  token_file: ${ADMIN_TOKEN_FILE}
  mail: ${flow(answers.operator)}
# They sign in at /app by a code that the service mails, or by \`sendwerk admin sign-in-link\`.
operators: [${flow(answers.operator)}]

secrets:
  # Keep a copy of it apart from the backups: no backup can be read without it.
  master_key_file: ${MASTER_KEY_FILE}

upstreams:
${relayLines(answers).join('\n')}

dns:
${dnsLines(answers).join('\n')}
  zones:
    # A and AAAA records of service.host, and who may send in its SPF record.
${zoneLines(answers).join('\n')}

backup:
  # Made each night by sendwerk-backup.timer. Another disk, or another machine, is better.
  dir: ${BACKUP_DIRECTORY}
  keep: 7d4w12m
`;
