// `sendwerk fleet move`: `sendwerk tenant move` to a host of the fleet, by its short name, and the maps after it.
import type { Environment } from '#src/kernel/config/secrets.ts';
import { createAdminApi, readAdminAccess } from '../admin-api.ts';
import { CommandError } from '../command.ts';
import type { CommandResult } from '../config.ts';
import { moveTenant } from '../tenant-move.ts';
import type { Terminal } from '../terminal.ts';
import { gather, practiceNamed } from './directory.ts';
import { hostNamed, readFleet } from './file.ts';
import { writeMaps } from './maps.ts';

export interface FleetMoveValues {
  readonly practice: string;
  readonly to: string;
  readonly fleet: string;
  readonly out: string | undefined;
  readonly socket: string | undefined;
  readonly config: string;
}

export const moveInFleet = async (
  values: FleetMoveValues,
  environment: Environment,
  terminal: Pick<Terminal, 'printError' | 'isTerminal'>,
): Promise<CommandResult> => {
  const fleet = readFleet(values.fleet);
  const target = hostNamed(fleet, values.to);
  if (target.heir !== undefined) throw new CommandError(`${values.to} is lost`);
  const here = createAdminApi(readAdminAccess(values.config, environment));
  const { data } = await here.call<{ data: readonly { id: string; slug: string }[] }>(
    'GET',
    '/api/admin/moves',
  );
  // One that was cut off after this host had given it up: no host works on it before the command has run again.
  const cutOff = data.find(({ id, slug }) => [id, slug].includes(values.practice.toLowerCase()));
  const directory = await gather(fleet);
  const found = cutOff ?? practiceNamed(directory, values.practice);
  if ('host' in found && found.host === values.to)
    throw new CommandError(`${found.slug} works on ${values.to} already`);
  const local = await here.list<{ id: string }>('/api/admin/directory');
  if (cutOff === undefined && !local.data.some(({ id }) => id === found.id))
    throw new CommandError(
      `${found.slug} works on ${'host' in found ? found.host : 'another host'}: run this command there, where its file is`,
    );
  const { exitCode, output } = await moveTenant(
    {
      practice: found.id,
      to: target.url,
      'token-file': target.token_file,
      cancel: false,
      config: values.config,
    },
    environment,
    terminal,
  );
  const { out, socket } = values;
  if (out === undefined) return { exitCode, output };
  const { said, isWhole } = await writeMaps(values.fleet, { out, socket });
  return {
    exitCode: isWhole ? exitCode : 1,
    output: `${output}\n${said.map((line) => `${line}\n`).join('')}`,
  };
};
