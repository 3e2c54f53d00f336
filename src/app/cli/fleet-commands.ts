// `sendwerk fleet list`, `plan`, `maps`, `move` and `take-over`.
import { type Command, configOption, defineCommand } from './command.ts';
import type { Terminal } from './terminal.ts';

const fleet = {
  value: 'FILE',
  default: '/etc/sendwerk/fleet.yaml',
  about: 'the hosts of the fleet',
} as const;
const json = { about: 'print JSON' } as const;
const socket = {
  value: 'PATH',
  about: 'the admin socket of HAProxy, which is told of the maps; without it, a reload does that',
} as const;
const out = { value: 'DIR', about: 'writes the maps of the proxy there afterwards' } as const;

export const fleetCommandsOf = (terminal: Terminal): readonly Command[] => [
  defineCommand({
    name: 'fleet list',
    summary: 'list the hosts of a fleet and which practice is on which',
    options: { fleet, json },
    run: async (values) => {
      const { listFleet } = await import('./fleet/list.ts');
      return listFleet(values);
    },
  }),
  defineCommand({
    name: 'fleet plan',
    summary: 'propose moves that make the hosts alike in data; a person runs them',
    options: { fleet, most: { value: 'COUNT', default: '10', about: 'how many moves at most' } },
    run: async (values) => {
      const { planFleet } = await import('./fleet/list.ts');
      return planFleet(values);
    },
  }),
  defineCommand({
    name: 'fleet maps',
    summary: 'write the maps by which HAProxy finds the host of a request, and say how it learns of them',
    options: {
      out: {
        value: 'DIR',
        required: true,
        about: 'where they are written, each whole and only where it changed',
      },
      socket,
      fleet,
    },
    run: async ({ fleet: file, ...values }) => {
      const { writeMaps } = await import('./fleet/maps.ts');
      const { said, isWhole } = await writeMaps(file, values);
      return { exitCode: isWhole ? 0 : 1, output: said.map((line) => `${line}\n`).join('') };
    },
  }),
  defineCommand({
    name: 'fleet move',
    summary: 'move a practice from this host to another one of the fleet while both run',
    options: {
      practice: { value: 'ID|SLUG', isArgument: true, required: true, about: 'the practice' },
      to: { value: 'HOST', required: true, about: 'the new host, as the fleet names it' },
      out,
      socket,
      fleet,
      config: configOption,
    },
    run: async (values, environment) => {
      const { moveInFleet } = await import('./fleet/move.ts');
      return moveInFleet(values, environment, terminal);
    },
  }),
  defineCommand({
    name: 'fleet take-over',
    summary: 'bring what a lost host had to this host and others, from its backup or its replica',
    options: {
      host: {
        value: 'HOST',
        isArgument: true,
        required: true,
        about: 'the lost host, as the fleet names it',
      },
      from: {
        value: 'DIR',
        required: true,
        about: 'holds its backups, or is one of them, or what `litestream-restore` made of its replica',
      },
      to: {
        value: 'HOST,HOST',
        about: 'the hosts that share what it had; the first is this one, and alone where absent',
      },
      out,
      socket,
      fleet,
      config: configOption,
    },
    run: async (values, environment) => {
      const { takeOver } = await import('./fleet/take-over.ts');
      return takeOver(values, environment, terminal);
    },
  }),
];
