// What setup finds on the machine before it asks.
import { createSocket } from 'node:dgram';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWithin } from '#src/kernel/ip-networks.ts';
import type { Installation } from './plan.ts';
import { type Machine, WEB_PORTS } from './questions.ts';

const SMTP_PORT = 25;
const DNS_PORT = 53;

/** No address in these is reached from the world (RFC 1918, 3927, 4193, 4291, 6598). */
const UNREACHABLE = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
];

/** Whether another program has it. Who may not bind it learns nothing. */
const isTaken = (listen: (done: (error?: Error) => void) => { close: () => unknown }): Promise<boolean> =>
  new Promise((done) => {
    const server = listen((error) => {
      if (error === undefined) server.close();
      done(error !== undefined && (error as NodeJS.ErrnoException).code === 'EADDRINUSE');
    });
  });
const isTcpTaken = (port: number): Promise<boolean> =>
  isTaken((done) =>
    createServer()
      .once('error', done)
      .listen(port, '0.0.0.0', () => done()),
  );
const isUdpTaken = (port: number): Promise<boolean> =>
  isTaken((done) =>
    createSocket('udp4')
      .once('error', done)
      .bind(port, '0.0.0.0', () => done()),
  );

export const lookAtMachine = async (): Promise<Machine> => {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const taken: (readonly [number, boolean])[] = [[DNS_PORT, await isUdpTaken(DNS_PORT)]];
  for (const port of [SMTP_PORT, DNS_PORT, ...WEB_PORTS]) taken.push([port, await isTcpTaken(port)]);
  return {
    hostName: hostname(),
    publicAddresses: addresses
      .map(({ address }) => address)
      .filter((address) => !isWithin(address, UNREACHABLE)),
    takenPorts: taken.flatMap(([port, isUsed]) => (isUsed ? [port] : [])),
  };
};

const TREE = fileURLToPath(new URL('../../..', import.meta.url));
/** A version of its own that `sendwerk update` switches to, or that of the Debian package. */
const CURRENT = '/opt/sendwerk/current';
const PACKAGED_PROGRAM = '/usr/lib/sendwerk';
const PACKAGED_COMMAND = '/usr/bin/sendwerk';
const UNITS = '/etc/systemd/system';
const PACKAGED = ['/usr/lib/systemd/system', '/lib/systemd/system', '/usr/lib/tmpfiles.d'];
const TMPFILES = 'sendwerk.tmpfiles.conf';

/** Below `root`, where that is not the machine's own, nothing runs. */
export const lookAtInstallation = (root: string): Installation => {
  const isHere = root === '/';
  const isPackaged = (name: string): boolean => PACKAGED.some((place) => existsSync(join(root, place, name)));
  // The Debian package has them in their places, and none beside the program.
  const brings = existsSync(join(TREE, 'systemd')) ? readdirSync(join(TREE, 'systemd')) : [];
  const places = brings.flatMap((source): (readonly [source: string, path: string])[] => {
    if (source === TMPFILES)
      return isPackaged('sendwerk.conf') ? [] : [[source, '/etc/tmpfiles.d/sendwerk.conf']];
    return /\.(?:service|timer)$/.test(source) && !isPackaged(source) ? [[source, `${UNITS}/${source}`]] : [];
  });
  return {
    runsSystemd: isHere && existsSync('/run/systemd/system'),
    brought: Object.fromEntries(
      places.map(([source, path]) => [path, readFileSync(join(TREE, 'systemd', source), 'utf8')]),
    ),
    program: existsSync(join(root, PACKAGED_COMMAND)) ? null : `${CURRENT}/bin/sendwerk`,
  };
};

/** The command as it is run here; null where this program is not the installed one, so that the units would start another. */
export const installedCommand = (): string | null => {
  if (TREE === `${PACKAGED_PROGRAM}/`) return PACKAGED_COMMAND;
  return existsSync(CURRENT) && realpathSync(TREE) === realpathSync(CURRENT)
    ? `${CURRENT}/bin/sendwerk`
    : null;
};
