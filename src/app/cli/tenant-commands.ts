// `sendwerk tenant list`, `show`, `export`, `import`, `move` and `erase`.
import { type Command, configOption, defineCommand } from './command.ts';
import type { Terminal } from './terminal.ts';

const json = { about: 'print JSON' } as const;
const tenant = { value: 'ID|SLUG', isArgument: true, required: true, about: 'the practice' } as const;
const passphrase = {
  value: 'FILE',
  about: 'a file whose first line is the passphrase',
} as const;

export const tenantCommandsOf = (terminal: Terminal): readonly Command[] => [
  defineCommand({
    name: 'tenant list',
    summary: 'list the practices by their files, beside a running or a stopped daemon',
    options: { config: configOption, json },
    run: async (values, environment) => {
      const { listTenants } = await import('./tenant-list.ts');
      return listTenants(values, environment);
    },
  }),
  defineCommand({
    name: 'tenant show',
    summary: 'show one practice, with the rows of each table',
    options: { tenant, config: configOption, json },
    run: async (values, environment) => {
      const { showTenant } = await import('./tenant-list.ts');
      return showTenant(values, environment);
    },
  }),
  defineCommand({
    name: 'tenant export',
    summary: 'copy one practice into one encrypted file, for another host or for the practice',
    options: {
      tenant,
      file: { value: 'FILE', isArgument: true, required: true, about: 'is made; encrypted by age' },
      'passphrase-file': passphrase,
      key: { value: 'age1…|FILE', about: 'instead: the public key of age that opens it, or a file of them' },
      config: configOption,
    },
    run: async (values, environment) => {
      const { exportTenant } = await import('./tenant-export.ts');
      return exportTenant(values, environment, terminal);
    },
  }),
  defineCommand({
    name: 'tenant import',
    summary: 'take an exported practice, into a running or a stopped daemon',
    options: {
      file: { value: 'FILE', isArgument: true, required: true, about: 'made by `tenant export`' },
      'passphrase-file': passphrase,
      key: {
        value: 'FILE',
        about: 'instead: the file with the secret key of age (AGE-SECRET-KEY-…)',
      },
      slug: {
        value: 'SLUG',
        about: 'its short name here; the one that it had, or one like it, where absent',
      },
      resume: {
        about:
          'hold none of the mail that is queued in the export: only where the other host sends nothing of it',
      },
      config: configOption,
    },
    run: async (values, environment) => {
      const { importTenant } = await import('./tenant-import.ts');
      return importTenant(values, environment, terminal);
    },
  }),
  defineCommand({
    name: 'tenant move',
    summary: 'move a practice to another host while both run; run again, it goes on where it was cut off',
    options: {
      practice: tenant,
      to: { value: 'URL', required: true, about: 'the new host: https://mail.example.com' },
      'token-file': { value: 'FILE', required: true, about: 'holds the admin token of the new host' },
      cancel: { about: 'give up a move that has not ended' },
      config: configOption,
    },
    run: async (values, environment) => {
      const { moveTenant } = await import('./tenant-move.ts');
      return moveTenant(values, environment, terminal);
    },
  }),
  defineCommand({
    name: 'tenant erase',
    summary: 'erase one practice with all that it holds, and print the certificate of it',
    options: {
      tenant,
      yes: {
        value: 'SLUG',
        about: 'its short name once more; without it, only what would be erased is shown',
      },
      'discard-queue': { about: 'erase it although mail is still to be sent' },
      certificate: { value: 'FILE', about: 'where the signed certificate is written too, as JSON' },
      config: configOption,
      json,
    },
    run: async (values, environment) => {
      const { eraseTenant } = await import('./tenant-erase.ts');
      return eraseTenant(values, environment, terminal);
    },
  }),
];
