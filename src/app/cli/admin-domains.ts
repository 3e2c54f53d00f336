// `sendwerk admin`: DKIM keys, checks of the DNS, and the approval of a practice for going live.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { practiceSchema } from '#src/accounts/tenants/schema.ts';
import type { dnsCheckSchema } from '#src/domains/custom/domain-schema.ts';
import type { dkimKeysSchema } from '#src/domains/keys/key-schema.ts';
import { adminCommand, practiceOption } from './admin-command.ts';
import { paragraph, record, table } from './admin-text.ts';
import { CommandError } from './command.ts';

type Keys = z.infer<typeof dkimKeysSchema>;
type Check = z.infer<typeof dnsCheckSchema>;

const hostOption = { value: 'HOST', about: 'the host' } as const;

const keysText = ({ data }: Keys): string =>
  table(
    ['HOST', 'SELECTOR', 'ALGORITHM', 'ROLE', 'IMPORTED', 'NEXT STEP', 'AT', 'HINT'],
    data.map((key) => [
      key.host,
      key.selector,
      key.algorithm,
      key.role,
      key.imported,
      key.next_step,
      key.next_step_at,
      key.hint,
    ]),
    'There are no keys.',
  );

type Finding =
  | Check['records'][number]
  | (Check['conflicts'][number] & { readonly status: 'conflict'; readonly required: true });

/** Shows the expected record, because hints refer to it. */
const explained = (finding: Finding): string => {
  const { type, name, found, hint, status } = finding;
  const shown = status === 'ok' || status === 'conflict' ? null : finding;
  const lines = [
    ...(shown ? [`expected: ${shown.priority === null ? '' : `${shown.priority} `}${shown.value}`] : []),
    ...(found.length > 0 ? [`found:    ${found.join(' | ')}`] : []),
    hint,
  ];
  return `\n${type} ${name}\n${paragraph(lines.join('\n'))}`;
};

const checkText = ({ host, pending, ok, dkim_verified, checked_at, conflicts, ...check }: Check): string => {
  const found: Finding[] = [
    ...check.records,
    ...check.inbound,
    ...conflicts.map((one) => ({ ...one, status: 'conflict' as const, required: true as const })),
  ];
  const head = record([
    ['host', host],
    ['pending', pending],
    ['ok', ok],
    ['dkim verified', dkim_verified],
    ['checked at', checked_at],
  ]);
  const rows = found.map(({ status, required, type, name }) => [status, required, type, name]);
  const hints = found
    .filter(({ status, hint, required }) => hint !== '' && (required || status !== 'missing'))
    .map(explained);
  return `${head}\n${table(['STATUS', 'REQUIRED', 'TYPE', 'NAME'], rows, 'There are no records.')}${hints.join('')}`;
};

const readKeyFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
};

export const domainCommands = [
  adminCommand({
    name: 'dkim-keys',
    summary: 'list the DKIM keys of a practice and what happens to them next',
    options: { practice: practiceOption },
    ask: async (api, { practice }) => {
      const keys = await api.call<Keys>('GET', `${await api.pathOfPractice(practice)}/dkim-keys`);
      return { json: keys, text: keysText(keys) };
    },
  }),
  adminCommand({
    name: 'rotate-dkim',
    summary: 'let the next DKIM key of a practice sign',
    options: {
      practice: practiceOption,
      host: { ...hostOption, about: 'of this host; of the one in use where absent' },
      compromised: { about: 'withdraw the keys that sign now at once, because someone else may have them' },
    },
    ask: async (api, { practice, host, compromised }) => {
      const path = `${await api.pathOfPractice(practice)}/dkim-keys/rotate`;
      const keys = await api.call<Keys>('POST', path, { host, compromised });
      return { json: keys, text: keysText(keys) };
    },
  }),
  adminCommand({
    name: 'import-dkim-key',
    summary: 'sign for the custom domain of a practice with a key that it has in its DNS',
    options: {
      practice: practiceOption,
      selector: {
        value: 'SELECTOR',
        required: true,
        about: 'the key is published at SELECTOR._domainkey.HOST',
      },
      key: { value: 'FILE', required: true, about: 'the private key as PEM, without passphrase' },
      host: { ...hostOption, about: 'for this domain; the pending one or the one in use where absent' },
    },
    ask: async (api, { practice, selector, key, host }) => {
      const private_key = readKeyFile(key);
      const path = `${await api.pathOfPractice(practice)}/dkim-keys/import`;
      const keys = await api.call<Keys>('POST', path, { selector, private_key, host });
      return { json: keys, text: keysText(keys) };
    },
  }),
  adminCommand({
    name: 'check-dns',
    summary: 'look at the DNS records of a practice now',
    options: { practice: practiceOption },
    ask: async (api, { practice }) => {
      const check = await api.call<Check>('POST', `${await api.pathOfPractice(practice)}/check-dns`);
      return { json: check, text: checkText(check) };
    },
  }),
  adminCommand({
    name: 'approve',
    summary: 'approve a practice for going live',
    options: {
      practice: practiceOption,
      withdraw: { about: 'take the approval back instead' },
    },
    ask: async (api, { practice, withdraw }) => {
      const path = `${await api.pathOfPractice(practice)}/approval`;
      const changed = await api.call<z.infer<typeof practiceSchema>>('POST', path, { approved: !withdraw });
      const text = `${changed.slug} is ${changed.approved_at === null ? 'not approved' : 'approved'}.\n`;
      return { json: changed, text };
    },
  }),
];
