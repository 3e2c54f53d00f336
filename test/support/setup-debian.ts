// `npm run setup:debian`: installs the Debian packages that are missing for the tests and benchmarks. Services that their
// installation starts disturb no test: tests use ports of their own.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { missingPackages } from './debian.ts';

/** Another run of apt may hold the lock: another checkout comes here, too. A mirror may be away for a moment. */
const APT = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=5'];

const run = (command: readonly string[], input?: string): void => {
  const asRoot = process.getuid?.() === 0 ? command : ['sudo', ...command];
  const { error, status } = spawnSync(asRoot[0] ?? '', asRoot.slice(1), {
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
    ...(input === undefined ? {} : { input }),
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${asRoot.join(' ')} ended with ${status}`);
};

const wanted = missingPackages();
if (wanted.length > 0) {
  process.stdout.write(`installing ${wanted.join(' ')}\n`);
  // Without a configuration, Debian's Postfix starts nothing; the tests bring their own.
  if (wanted.includes('postfix'))
    run(['debconf-set-selections'], 'postfix postfix/main_mailer_type select No configuration\n');
  run([...APT, 'update']);
  run([...APT, 'install', '-y', '--no-install-recommends', ...wanted]);
}
const missing = missingPackages();
process.stdout.write(missing.length === 0 ? 'all packages are installed\n' : `still missing: ${missing}\n`);
process.exitCode = missing.length === 0 ? 0 : 1;
