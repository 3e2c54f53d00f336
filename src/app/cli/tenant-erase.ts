// `sendwerk tenant erase`: by the running daemon, or by this process where none runs.
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemChange } from '#src/kernel/change.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import type { Certificate } from '../erase-practice.ts';
import { type Cell, json, record } from './admin-text.ts';
import { byDaemonOrHere } from './beside-daemon.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandResult } from './config.ts';
import { showTenant, tenantNamed } from './tenant-list.ts';
import type { Terminal } from './terminal.ts';

interface Values {
  readonly tenant: string;
  readonly yes: string | undefined;
  readonly 'discard-queue': boolean;
  readonly certificate: string | undefined;
  readonly config: string;
  readonly json: boolean;
}

const erase = (
  values: Values,
  { id, slug }: { readonly id: string; readonly slug: string },
  environment: Environment,
  terminal: Terminal,
): Promise<Certificate> => {
  const request = { slug, discard_queue: values['discard-queue'] };
  return byDaemonOrHere(values.config, environment, terminal, {
    daemon: (api) => api.call<Certificate>('POST', `/api/practices/${id}/erase`, request),
    here: (app) => app.erasePractice(id, request, systemChange('practice.erase')),
  });
};

/** Before anything is erased, so that where it cannot be kept nothing is. Throws CommandError. */
const openCertificate = (path: string) => {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new CommandError(`${path} cannot be made (${(error as Error).message}): nothing was erased`);
  }
  return {
    write: (text: string): void => {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
    discard: (): void => {
      closeSync(descriptor);
      rmSync(path, { force: true });
    },
  };
};

const inWords = (certificate: Certificate, dataDirectory: string): string => {
  const { practice, consent_ledger, rows, signature } = certificate;
  return record([
    ['erased', `${practice.name} (${practice.slug}, ${practice.id})`],
    ['at', certificate.erased_at],
    ['by', certificate.erased_by],
    ['unsent copies', certificate.unsent],
    ['consent ledger', consent_ledger ? `${consent_ledger.entries} entries, ${consent_ledger.head}` : 'none'],
    ...Object.entries(rows).map(([table, count]): [string, Cell] => [`rows of ${table}`, count]),
    ['backups', certificate.backups],
    ...certificate.copies.map((path): [string, Cell] => [
      'still there',
      `put aside by a restore; to remove it: rm -r ${join(dataDirectory, path)}`,
    ]),
    ['SHA-256', certificate.sha256],
    ['signed by', signature.fingerprint],
  ]);
};

export const eraseTenant = async (
  values: Values,
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const { config } = loadConfig(values.config, environment);
  const tenant = await tenantNamed(config, values.tenant);
  if (values.yes === undefined) {
    const { output } = await showTenant({ ...values, json: false }, environment);
    return {
      exitCode: 1,
      output: `${output}\nNothing was erased. To erase all of it, for ever: --yes ${tenant.slug}\n`,
    };
  }
  if (values.yes !== tenant.slug)
    throw new UsageError(
      `tenant erase: --yes names another practice than ${tenant.slug}: nothing was erased`,
    );
  const keep = values.certificate === undefined ? null : openCertificate(values.certificate);
  let certificate: Certificate;
  try {
    certificate = await erase(values, tenant, environment, terminal);
  } catch (error) {
    keep?.discard();
    throw error;
  }
  const output = values.json ? json(certificate) : inWords(certificate, config.data_dir);
  try {
    keep?.write(json(certificate));
    return { exitCode: 0, output };
  } catch (error) {
    const why = `${values.certificate} could not be written (${(error as Error).message}): keep this`;
    return { exitCode: 1, output: `${output}${why}${values.json ? '' : `:\n${json(certificate)}`}\n` };
  }
};
