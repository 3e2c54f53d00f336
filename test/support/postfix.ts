// A Postfix instance of one's own: configuration, queue and data in a directory under the system's temporary one,
// listening on a free loopback port, ended with all its children. The system's own instance is not touched, and
// neither is the command `postfix`, which asks for entries in the system's main.cf: master(8) is started directly.
// It must be root: Postfix changes users.
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import {
  endProcess,
  freePort,
  processTree,
  spawnMortal,
  until,
  untilListening,
} from '#test/support/process.ts';

const MASTER = '/usr/lib/postfix/sbin/master';
/** Ends by itself after that, should whoever started it die. */
const LIFETIME_S = 1_800;
/** What master(8) and its children expect to find; owner and mode as `postfix set-permissions` would leave them. */
const QUEUES = 'active bounce corrupt defer deferred flush hold incoming maildrop private public saved trace';

export interface PostfixOptions {
  /** The loopback port that everything is relayed to. */
  readonly relayTo?: number;
  /** Domains that are relayed to another loopback port. */
  readonly routes?: Readonly<Record<string, number>>;
  /** Every address is local and delivered into `mailboxDir`. */
  readonly mailbox?: boolean;
  /** Path of a milter's unix socket. */
  readonly milterSocket?: string;
  /** Write a log, which `log()` returns. Costs a third of the speed. */
  readonly logging?: boolean;
  /** More lines for main.cf. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface Postfix {
  readonly smtpPort: number;
  /** The process id of master(8). */
  readonly pid: number;
  /** The maildir's `new`, where asked for. */
  readonly mailboxDir: string;
  /** What was logged so far; empty without `logging`. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  if (userInfo().uid !== 0) throw new Error('a Postfix instance can only be started by root');
  const directory = await mkdtemp(path.join(tmpdir(), 'postfix-'));
  await chmod(directory, 0o755);
  const smtpPort = await freePort();
  const owner = { uid: numericId('-u'), gid: numericId('-g') };
  await makeDirectories(directory, owner);
  const mainFile = path.join(directory, 'etc/main.cf');
  await writeFile(mainFile, mainCf(directory, options, owner));
  // Postfix waits two seconds for a file that has just been written, lest somebody be at it still.
  await utimes(mainFile, 0, 0);
  await writeFile(path.join(directory, 'etc/master.cf'), masterCf(smtpPort));

  // A process group of its own: master(8) passes a signal on to its group.
  const child = spawnMortal(MASTER, ['-c', path.join(directory, 'etc'), '-d', '-e', String(LIFETIME_S)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.on('error', (error) => {
    said += error.message;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const log = () => readFile(path.join(directory, 'log'), 'utf8').catch(() => '');
  await untilListening({ host: '127.0.0.1', port: smtpPort }, child, () => said);

  return {
    smtpPort,
    pid: child.pid ?? 0,
    mailboxDir: path.join(directory, 'mailbox/inbox/new'),
    log,
    stop: async () => {
      const members = processTree(child.pid ?? 0);
      await endProcess(child);
      await until('the children of Postfix have ended', async () => !(await anyLives(members)));
      await rm(directory, { recursive: true });
    },
  };
}

function numericId(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postfix'], { encoding: 'utf8' }));
}

async function anyLives(pids: readonly number[]): Promise<boolean> {
  for (const pid of pids) {
    const name = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (name !== '') return true;
  }
  return false;
}

async function makeDirectories(directory: string, owner: { uid: number; gid: number }): Promise<void> {
  for (const name of ['etc', 'queue', 'queue/pid']) await mkdir(path.join(directory, name));
  const owned = ['data', 'mailbox', ...QUEUES.split(' ').map((name) => `queue/${name}`)];
  for (const name of owned) {
    await mkdir(path.join(directory, name), { mode: 0o700 });
    await chown(path.join(directory, name), owner.uid, owner.gid);
  }
}

function mainCf(directory: string, options: PostfixOptions, owner: { uid: number; gid: number }): string {
  const { relayTo, routes = {}, mailbox, milterSocket, logging, parameters } = options;
  const loopback = (port: number) => `smtp:[127.0.0.1]:${port}`;
  const values: Record<string, string | undefined> = {
    compatibility_level: '3.6',
    config_directory: path.join(directory, 'etc'),
    queue_directory: path.join(directory, 'queue'),
    data_directory: path.join(directory, 'data'),
    myhostname: 'mta.example.org',
    mydestination: '',
    alias_maps: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    // No name service: nothing here leaves the machine.
    smtpd_peername_lookup: 'no',
    smtp_dns_support_level: 'disabled',
    default_transport: relayTo === undefined ? 'error:no relay' : loopback(relayTo),
    transport_maps: Object.entries(routes)
      .map(([domain, port]) => `inline:{ { ${domain} = ${loopback(port)} } }`)
      .join(' '),
    smtpd_milters: milterSocket === undefined ? '' : `unix:${milterSocket}`,
    milter_default_action: 'tempfail',
    maillog_file: logging === true ? path.join(directory, 'log') : undefined,
    maillog_file_prefixes: logging === true ? directory : undefined,
    ...(mailbox === true
      ? {
          virtual_mailbox_domains: 'static:all',
          virtual_mailbox_maps: 'static:inbox/',
          virtual_mailbox_base: path.join(directory, 'mailbox'),
          virtual_uid_maps: `static:${owner.uid}`,
          virtual_gid_maps: `static:${owner.gid}`,
        }
      : {}),
    ...parameters,
  };
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');
}

/** Debian's master.cf less chroot, local delivery and the sendmail command's way in. */
function masterCf(smtpPort: number): string {
  return `# service type private unpriv chroot wakeup maxproc command
127.0.0.1:${smtpPort} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
}
