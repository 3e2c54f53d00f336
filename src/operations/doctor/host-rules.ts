// What is to be said of the machine and of the service on it: configuration, secrets, data directory, disk, descriptors, clock,
// daemon, backup and replica. Facts in, verdicts out. Pure.
import { formatDuration } from '#src/kernel/expected.ts';
import { SECOND, toIso } from '#src/kernel/time.ts';
import { counted, fail, named, ok, skipped, type Verdict, warn } from './finding.ts';

const MIB = 1_024 * 1_024;
const mebibytes = (bytes: number): string => `${Math.floor(bytes / MIB).toLocaleString('en')} MiB`;

/** `problem`: why the file cannot be used; `warnings`: one line each. */
export const configurationVerdicts = (
  file: string,
  { problem, warnings }: { readonly problem: string | null; readonly warnings: readonly string[] },
): Verdict[] => {
  if (problem !== null)
    return [
      fail(
        `the configuration cannot be used, so that no start succeeds: ${problem}`,
        `mend the lines named, then: sendwerk config check --config ${file}`,
      ),
    ];
  if (warnings.length === 0) return [ok(`${file} is valid`)];
  return warnings.map((warning) =>
    warn(warning, `change the line named, then: sendwerk config check --config ${file}`),
  );
};

export interface SecretFacts {
  /** The key of the configuration. */
  readonly key: string;
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
}

const READ_BY_ALL = 0o004;
const WRITTEN_BY_OTHERS = 0o022;

/** `owners`: who may own such a file: root, and the user of the service. */
export const secretVerdicts = (files: readonly SecretFacts[], owners: readonly number[]): Verdict[] => {
  const bad = files.flatMap(({ key, path, mode, uid }): Verdict[] => {
    if ((mode & READ_BY_ALL) !== 0)
      return [fail(`every user of this machine can read ${path} (${key})`, `chmod 0640 ${path}`)];
    if ((mode & WRITTEN_BY_OTHERS) !== 0)
      return [warn(`others than its owner can write ${path} (${key})`, `chmod g-w,o-w ${path}`)];
    if (!owners.includes(uid))
      return [
        warn(
          `${path} (${key}) belongs to the user ${uid}, who is neither root nor the service, and can change it`,
          `chown root ${path}`,
        ),
      ];
    return [];
  });
  if (bad.length > 0) return bad;
  return [
    files.length === 0
      ? ok('no secret is in a file')
      : ok(`${counted(files.length, 'file')} with secrets are private`),
  ];
};

export interface DirectoryFacts {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  /** Databases below it that belong to someone else. */
  readonly strange: readonly string[];
  /** How long a write with its sync took, ms; or why it failed. */
  readonly sync: number | { readonly error: string } | null;
}

/** Each mail that is accepted waits for one. */
const SLOW_SYNC_MS = 200;

/** `sync` null: this user may not write there. */
export const directoryVerdicts = ({ path, mode, uid, strange, sync }: DirectoryFacts): Verdict[] => {
  const bad: Verdict[] = [];
  if (strange.length > 0)
    bad.push(
      fail(
        `${named(strange)} in ${path} ${strange.length === 1 ? 'belongs' : 'belong'} to another user than the directory, so the daemon cannot write there`,
        `chown -R --reference=${path} ${path}`,
      ),
    );
  if ((mode & 0o007) !== 0)
    bad.push(warn(`every user of this machine can look into ${path}`, `chmod 0700 ${path}`));
  if (typeof sync === 'object' && sync !== null)
    bad.push(
      fail(
        `nothing can be written and synced in ${path}: ${sync.error}`,
        'look at the disk (dmesg, mount): a file system that is read-only or full takes no mail',
      ),
    );
  if (typeof sync === 'number' && sync > SLOW_SYNC_MS)
    bad.push(
      warn(
        `a write with its sync takes ${Math.round(sync)} ms in ${path}, and each accepted mail waits for one`,
        'put data_dir on a local disk with a write cache that survives a power cut',
      ),
    );
  if (bad.length > 0) return bad;
  if (sync === null)
    return [
      skipped(`${path} belongs to the user ${uid}: writing and syncing were not tried by another user`),
    ];
  return [ok(`${path} can be written, and a sync takes ${Math.max(1, Math.round(Number(sync)))} ms`)];
};

export interface DiskFacts {
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly freeInodes: number;
  /** 0 where the file system makes them as they are needed. */
  readonly totalInodes: number;
}

/** Less than that is left of what a file system can ever have. */
const LOW_INODES = 0.05;

export const diskVerdict = (
  { freeBytes, totalBytes, freeInodes, totalInodes }: DiskFacts,
  least: { readonly percent: number; readonly bytes: number },
): Verdict => {
  const percent = totalBytes === 0 ? 0 : (100 * freeBytes) / totalBytes;
  const free = `${mebibytes(freeBytes)} of ${mebibytes(totalBytes)} are free (${Math.floor(percent)} %)`;
  if (freeBytes < least.bytes || percent < least.percent)
    return fail(
      `${free}, less than storage.min_free_mib or storage.min_free_percent: mail for mailboxes is asked to come later`,
      'make room or enlarge the disk of data_dir: old replaced-* directories there, backups on the same disk, journalctl --vacuum-size=1G',
    );
  if (totalInodes > 0 && freeInodes < totalInodes * LOW_INODES)
    return fail(
      `${freeInodes.toLocaleString('en')} of ${totalInodes.toLocaleString('en')} inodes are free, and each practice needs five`,
      'remove small files, or make the file system anew with more inodes (mkfs.ext4 -i)',
    );
  const inodes = totalInodes === 0 ? '' : `, and ${freeInodes.toLocaleString('en')} inodes`;
  return ok(`${free}${inodes}`);
};

export interface DescriptorFacts {
  /** What the process may open. */
  readonly limit: number;
  readonly used: number;
  /** What the configuration may have it open. */
  readonly needed: number;
}

export const descriptorVerdict = ({ limit, used, needed }: DescriptorFacts): Verdict => {
  const facts = `the daemon may open ${limit.toLocaleString('en')} descriptors, uses ${used.toLocaleString('en')}, and by its configuration may need ${needed.toLocaleString('en')}`;
  if (limit >= needed) return ok(facts);
  const mend = `systemctl edit sendwerk: [Service] LimitNOFILE=${2 ** Math.ceil(Math.log2(needed))}, or a lower storage.max_open_tenants`;
  return used > limit * 0.8 ? fail(facts, mend) : warn(facts, mend);
};

/** `offset`: of this machine's clock, ms; positive: it is ahead. */
export const clockVerdict = (server: string, offset: number): Verdict => {
  const size = Math.abs(offset);
  const off = `this clock is ${size < SECOND ? `${Math.round(size)} ms` : formatDuration(Math.round(size / SECOND) * SECOND)} ${offset < 0 ? 'behind' : 'ahead of'} ${server}`;
  const mend = 'timedatectl set-ntp true; timedatectl timesync-status';
  if (size >= 5 * 60 * SECOND)
    return fail(
      `${off}: signatures, codes to sign in and certificates are judged by others at another time`,
      mend,
    );
  return size >= 2 * SECOND ? warn(off, mend) : ok(off);
};

export interface DaemonFacts {
  readonly status: string;
  /** Parts of health that are not well. */
  readonly unwell: readonly string[];
}

/** A process holds the data directory, and its HTTP listener is silent. */
export const daemonIsSilent = (error: string): Verdict =>
  fail(
    `a daemon works on this data directory, and does not answer at http.listen: ${error}`,
    'journalctl -u sendwerk -n 50; then: systemctl restart sendwerk',
  );

/** Null: none runs. */
export const daemonVerdict = (facts: DaemonFacts | null): Verdict => {
  if (facts === null)
    return fail(
      'no daemon works on this data directory: no mail is taken or sent',
      'systemctl start sendwerk; journalctl -u sendwerk -n 50',
    );
  const { status, unwell } = facts;
  if (status === 'ok') return ok('the daemon runs, and its health is ok');
  const parts = unwell.length === 0 ? '' : ` (${named(unwell)})`;
  const found = `the daemon runs, and its health is ${status}${parts}`;
  const mend = 'the page Health of the operator says more; journalctl -u sendwerk -p warning';
  return status === 'degraded' ? warn(found, mend) : fail(found, mend);
};

export interface BackupFacts {
  /** When the last was begun, ms; null: there is none. */
  readonly madeAt: number | null;
  readonly missing: readonly string[];
  readonly maxAge: number;
}

/** Null: no directory is configured, and none was made. */
export const backupVerdict = (facts: BackupFacts | null, now: number): Verdict => {
  if (facts === null)
    return warn(
      'no backups are made: a lost disk loses everything',
      'set backup.dir, then: systemctl enable --now sendwerk-backup.timer',
    );
  const { madeAt, missing, maxAge } = facts;
  if (madeAt === null)
    return fail(
      'no backup has been made yet',
      'sendwerk backup; systemctl enable --now sendwerk-backup.timer',
    );
  const age = now - madeAt;
  if (age > maxAge)
    return fail(
      `the last backup is of ${toIso(madeAt)}, older than backup.max_age`,
      'systemctl status sendwerk-backup; sendwerk backup',
    );
  if (missing.length > 0)
    return fail(
      `the last backup lacks ${named(missing)}, whose files could not be read`,
      'sendwerk backup, which says why',
    );
  return ok(`the last backup is of ${toIso(madeAt)}`);
};

export interface ReplicaFacts {
  readonly state: 'ok' | 'behind' | 'silent' | 'off';
  readonly behind: number;
  readonly lagSeconds: number;
}

export const replicaVerdict = ({ state, behind, lagSeconds }: ReplicaFacts): Verdict => {
  switch (state) {
    case 'off':
      return skipped('no replica is configured');
    case 'silent':
      return fail(
        'Litestream does not answer, so the replica gets nothing',
        'systemctl status sendwerk-litestream; systemctl restart sendwerk-litestream',
      );
    case 'behind':
      return fail(
        `the replica lacks something of ${counted(behind, 'file')}, since ${counted(lagSeconds, 'second')}`,
        'journalctl -u sendwerk-litestream',
      );
    case 'ok':
      return ok('the replica has what is stored');
    default:
      return state satisfies never;
  }
};
