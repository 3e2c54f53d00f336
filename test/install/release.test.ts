// @module-tag slow
// @module-tag soak
// @module-tag debian/python3 debian/python3-setuptools debian/python3-wheel
// What `npm run release` makes of this tree, as its users get it: by sums and bill, as a Debian package, as a tarball, as an image.
import { spawnSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { arch, env, execPath } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { defaults, keptSecret } from '#test/support/daemon.ts';
import { endProcess, freePort, spawnMortal, until } from '#test/support/process.ts';
import { testInFull } from '#test/support/soak.ts';
import { canMount, createDebian } from './debian-root.ts';
import { createMachine } from './machine.ts';

const BUILD_MS = 600_000;
const VERSION_OF_ALL = JSON.parse(readFileSync('package.json', 'utf8')).version;
const DEBIAN_ARCH = arch === 'x64' ? 'amd64' : arch;
/** The image's user. */
const IMAGE_USER = 10_001;

const machine = createMachine();
const directory = mkdtempSync(join(tmpdir(), 'sendwerk-release-test-'));
const at = (...names: string[]): string => join(directory, ...names);
afterAll(() => {
  machine.remove();
  rmSync(directory, { recursive: true, force: true });
});

const run = (command: readonly string[], cwd: string) => {
  const { status, stdout, stderr } = spawnSync(command[0] ?? '', command.slice(1), {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return { status, output: `${stdout}${stderr}` };
};

const runWell = (command: readonly string[], cwd: string): string => {
  const { status, output } = run(command, cwd);
  expect(status, output).toBe(0);
  return output;
};

/** A clone with the packages of this checkout. */
const clone = (name: string): void => {
  runWell(['git', 'clone', '--quiet', at('origin'), at(name)], directory);
  symlinkSync(resolve('node_modules'), at(name, 'node_modules'));
};

const build = (name: string, ...options: string[]) =>
  run(
    [execPath, 'bin/release.ts', '--draft', '--arch', arch, '--out', at(`${name}.out`), ...options],
    at(name),
  );

let version: string;
let tarball: string;

beforeAll(async () => {
  machine.copySources(at('origin'));
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
  runWell(['git', 'init', '--quiet'], at('origin'));
  runWell(['git', 'add', '--all'], at('origin'));
  runWell(['git', ...identity, 'commit', '--quiet', '--message', 'a version'], at('origin'));
  clone('one');
  const { status, output } = build('one');
  expect(status, output).toBe(0);
  tarball = readdirSync(at('one.out')).find((name) => name.endsWith('.tar.gz')) ?? '';
  mkdirSync(at('unpacked'));
  runWell(['tar', '-xzf', at('one.out', tarball), '--strip-components=1'], at('unpacked'));
  version = /^sendwerk-(.*)-linux-/.exec(tarball)?.[1] ?? '';
}, BUILD_MS);

test('a tree without the tag of its version is refused', () => {
  const { status, output } = run([execPath, 'bin/release.ts', '--dry-run'], at('one'));
  expect(status).toBe(1);
  expect(output).toContain(`this commit has no tag v${VERSION_OF_ALL}`);
  runWell(['git', 'tag', `v${VERSION_OF_ALL}`], at('one'));
  expect(runWell([execPath, 'bin/release.ts', '--dry-run'], at('one'))).toMatch(
    / of commit [0-9a-f]{40} for x64 and arm64/,
  );
  writeFileSync(at('one/README.md'), 'changed');
  expect(run([execPath, 'bin/release.ts', '--dry-run'], at('one')).output).toContain('not committed');
  runWell(['git', 'checkout', '--quiet', 'README.md'], at('one'));
});

test('the sums are those of all files, and the bill names each package that is in the tarball', () => {
  runWell(['sha256sum', '--check', '--strict', 'SHA256SUMS'], at('one.out'));
  const summed = readFileSync(at('one.out/SHA256SUMS'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(66));
  expect(summed).toEqual(
    readdirSync(at('one.out'))
      .filter((name) => name !== 'SHA256SUMS')
      .sort(),
  );
  const bom = JSON.parse(readFileSync(at('one.out', tarball.replace('.tar.gz', '.cdx.json')), 'utf8'));
  const billed: string[] = bom.components.map(
    ({
      name,
      version: of,
      licenses: [first],
    }: {
      name: string;
      version: string;
      licenses: { license?: { id: string }; expression?: string }[];
    }) => `${name} ${of} ${first?.license?.id ?? first?.expression}`,
  );
  const shipped = globSync('node_modules/**/package.json', { cwd: at('unpacked') })
    .filter((path) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(at('unpacked', path), 'utf8')))
    .map((one) => `${one.name} ${one.version} ${String(one.license).replace(/^\((.*)\)$/, '$1')}`);
  expect(shipped.length).toBeGreaterThan(200);
  expect(new Set(shipped).difference(new Set(billed))).toEqual(new Set());
  // What is billed and no package is in the pages.
  const inPages = [...new Set(billed).difference(new Set(shipped))].map((one) => one.split(' ')[0] ?? '');
  expect(inPages).toEqual(expect.arrayContaining(['preact', '@codemirror/view']));
  const licences = readFileSync(at('unpacked/dist/LICENSES.txt'), 'utf8');
  expect(inPages.filter((name) => !licences.includes(`${name} `))).toEqual([]);
});

test('it has no name of a builder, no time of a build and nothing that only builds', () => {
  const listed = runWell(
    ['tar', '-tvzf', at('one.out', tarball), '--full-time', '--numeric-owner'],
    directory,
  )
    .trimEnd()
    .split('\n');
  const commitTime = runWell(
    ['git', 'show', '-s', '--format=%cd', '--date=format-local:%Y-%m-%d %H:%M:%S'],
    at('one'),
  ).trim();
  expect(listed.filter((line) => !line.includes(' 0/0 ') || !line.includes(commitTime))).toEqual([]);
  expect(
    listed.filter((line) =>
      /esbuild|\/src\/dashboard\/|linux-[^/]+\/test\/|node_modules\/.*\.d\.[mc]?ts|\.map$|prebuilds\/(?!linux-|$)/.test(
        line,
      ),
    ),
  ).toEqual([]);
});

testInFull('two clones of a commit give the same bytes, whatever the umask', { timeout: BUILD_MS }, () => {
  clone('two');
  runWell(
    [
      'sh',
      '-c',
      'umask 077; exec "$@"',
      'sh',
      execPath,
      'bin/release.ts',
      '--draft',
      '--arch',
      arch,
      '--out',
      at('two.out'),
    ],
    at('two'),
  );
  expect(readFileSync(at('two.out/SHA256SUMS'), 'utf8')).toBe(readFileSync(at('one.out/SHA256SUMS'), 'utf8'));
});

describe.skipIf(!canMount())('installed', () => {
  let debian: Awaited<ReturnType<typeof createDebian>>;
  let port: number;
  const bare = (): string => join(debian.root, 'image');
  const well = (script: string): string => {
    const { status, output } = debian.shell(`set -e\n${script}`);
    expect(status, `${script}\n${output}`).toBe(0);
    return output;
  };

  beforeAll(async () => {
    port = await freePort();
    debian = await createDebian({ port, shared: directory, node: 'unpacked/node_modules/.bin/node' });
    const config = {
      ...defaults('/etc/sendwerk', '/var/lib/sendwerk/data', port),
    };
    mkdirSync(at('etc'));
    writeFileSync(at('etc/service.yaml'), stringify(config));
    await keptSecret(at('etc/admin.token'), 24);
    await keptSecret(at('etc/master.key'), 32);
  });
  afterAll(() => debian.remove());

  test('by dpkg: a service that an upgrade restarts and a removal ends, with its data', {
    timeout: BUILD_MS,
  }, () => {
    const deb = `/mnt/one.out/sendwerk_${version.replace('-', '~')}_${DEBIAN_ARCH}.deb`;
    well('touch /etc/systemd/system/sendwerk.service');
    expect(debian.shell(`dpkg --force-unsafe-io -i ${deb}`).output).toContain('docs/operate/upgrade.md');
    well(`dpkg --purge sendwerk; rm /etc/systemd/system/sendwerk.service; dpkg --force-unsafe-io -i ${deb}`);
    const commit = runWell(['git', 'rev-parse', 'HEAD'], at('one')).trim();
    expect(well('sendwerk --version')).toBe(`${VERSION_OF_ALL} (commit ${commit})\n`);
    expect(
      well('cp /mnt/etc/* /etc/sendwerk/; systemd-tmpfiles --create sendwerk.conf; sendwerk config check'),
    ).toMatch(/^ok/);
    well('systemctl restart sendwerk; sendwerk health');
    const pid = well('cat /run/sendwerk.pid');
    const update = debian.shell('sendwerk update');
    expect([update.status, update.output]).toEqual([1, expect.stringContaining('apt install ./sendwerk_')]);

    well(`dpkg-deb -R ${deb} /mnt/next; sed -i 's/^Version: .*/Version: 99/' /mnt/next/DEBIAN/control;
      sed -i 's/"version": ".*"/"version": "99.0.0"/' /mnt/next/usr/lib/sendwerk/package.json;
      dpkg-deb -Znone --build /mnt/next /mnt/next.deb; dpkg --force-unsafe-io -i /mnt/next.deb; sendwerk health`);
    expect(well('cat /run/sendwerk.pid')).not.toBe(pid);
    expect(
      well(
        `/mnt/unpacked/node_modules/.bin/node -p "fetch('http://127.0.0.1:${port}/healthz').then(r => r.text()).then(console.log), ''"`,
      ),
    ).toContain('"99.0.0"');

    well('dpkg -r sendwerk');
    expect(well('systemctl is-active sendwerk || true')).toBe('inactive\n');
    expect(
      well(
        'cd /; ls -d usr/lib/sendwerk usr/bin/sendwerk usr/lib/systemd/system/sendwerk* 2>/dev/null || true; ls etc/sendwerk var/lib/sendwerk/data | cat',
      ),
    ).toMatch(
      /^etc\/sendwerk:\nadmin\.token\nmaster\.key\nservice\.yaml\n\nvar\/lib\/sendwerk\/data:\n(?:.*\n)*platform\.db\n/,
    );
    expect(well('dpkg -P sendwerk 2>&1; ls /etc/sendwerk/master.key')).toContain(
      'rm -r /var/lib/sendwerk /var/backups/sendwerk /etc/sendwerk',
    );
    // One without the program has the same scripts.
    well(`rm -r /mnt/next/usr; cd /mnt/next
      mkdir -p usr/lib/sysusers.d usr/lib/tmpfiles.d
      cp ../unpacked/systemd/sendwerk.sysusers.conf usr/lib/sysusers.d/sendwerk.conf
      cp ../unpacked/systemd/sendwerk.tmpfiles.conf usr/lib/tmpfiles.d/sendwerk.conf
      dpkg-deb -Znone --build . /mnt/next.deb; dpkg -i /mnt/next.deb; rm -r /var/lib/sendwerk /var/backups/sendwerk
      dpkg -P sendwerk; [ ! -e /etc/sendwerk ]`);
  });

  testInFull(
    'by tarball: `sendwerk update FILE`, beside whose sum it is, and back',
    { timeout: BUILD_MS },
    () => {
      const of = (name: string): string => `/mnt/one.out/sendwerk-${name}-linux-${arch}.tar.gz`;
      well(`cd /mnt; tar -xzf ${of(version)} --strip-components=2 sendwerk-${version}-linux-${arch}/bin/sendwerk; mv sendwerk script;
      ./script update ${of(version)}; ln -s /opt/sendwerk/current/bin/sendwerk /usr/local/bin/; systemd-sysusers /opt/sendwerk/current/systemd/sendwerk.sysusers.conf`);
      expect(well('readlink /opt/sendwerk/current')).toBe(`versions/${version}\n`);
      well('install -d -o sendwerk -g sendwerk /var/lib/sendwerk; ls /etc/systemd/system/sendwerk.service');
      expect(well('sendwerk --version')).toContain(`${VERSION_OF_ALL} (commit `);
      // The next one is small: without packages, by the Node that is there.
      well(`cd /mnt; mkdir -p small/node_modules/.bin; cp -r unpacked/bin unpacked/src unpacked/systemd unpacked/package.json small
      ln -s /mnt/unpacked/node_modules/.bin/node small/node_modules/.bin/; tar -czf ${of('99.0.0')} small`);
      expect(debian.shell(`sendwerk update ${of('99.0.0')}`).output).toContain('is not the file whose sum');
      expect(debian.shell('sendwerk update').output).toContain('name the tarball of a release');
      well(`cd /mnt/one.out; sha256sum sendwerk-99* >>SHA256SUMS; sendwerk update ${of('99.0.0')}`);
      expect(well('readlink /opt/sendwerk/current /opt/sendwerk/previous')).toBe(
        `versions/99.0.0\nversions/${version}\n`,
      );
      well('sendwerk back');
      expect(well('readlink /opt/sendwerk/current; sendwerk --version')).toContain(`versions/${version}\n`);
      expect(well(`sendwerk update ${of(version)} 2>&1`)).toContain('is current already');
    },
  );

  testInFull(
    'as an image: its steps are run, and it serves from a root that is only read and has no shell',
    {
      timeout: BUILD_MS,
    },
    async () => {
      const lines = readFileSync('Containerfile', 'utf8')
        .replace(/^#.*\n/gm, '')
        .replaceAll('\\\n', '')
        .split('\n');
      const steps = lines.flatMap((line) => {
        const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
        return name === undefined || rest === undefined ? [] : [{ name, rest }];
      });
      const the = (name: string): string => steps.find((step) => step.name === name)?.rest ?? '';
      const words = (name: string): string[] => JSON.parse(the(name).replace(/^[^[]*/, ''));
      let stages = 0;
      for (const { name, rest } of steps) {
        if (name === 'FROM') stages += 1;
        const [last = '', ...first] = rest.replaceAll(`\${VERSION}`, version).split(' ').reverse();
        if (name === 'COPY' && stages === 1)
          well(`mkdir -p ${last}; cd /mnt/one.out; cp ${first.join(' ')} ${last}`);
        if (name === 'COPY' && stages === 2)
          runInside(`mkdir -p $(dirname $BARE${last}); mv $DEBIAN${first[0]} $BARE${last}`);
        if (name === 'RUN')
          well(
            `VERSION=${version}; ${stages === 2 ? 'rm -rf /etc/sendwerk /var/lib/sendwerk;' : ''} ${rest}`,
          );
      }
      expect([stages, the('USER')]).toEqual([2, `${IMAGE_USER}:${IMAGE_USER}`]);
      // Of the base the program needs its C library; nothing else is there.
      runInside(`mkdir -p $BARE/var/lib $BARE/etc $BARE/proc $BARE/dev $BARE/tmp; cp -a $DEBIAN/var/lib/sendwerk $BARE/var/lib/; cp -a $DEBIAN/etc/sendwerk $BARE/etc/
      cp $DEBIAN/mnt/etc/* $BARE/etc/sendwerk/; chown ${IMAGE_USER} $BARE/etc/sendwerk/*
      for file in $(ldd ${execPath} | tr ' \\t' '\\n\\n' | grep ^/); do mkdir -p $BARE$(dirname $file); cp -L $file $BARE$file; done
      mount --bind $BARE $BARE; mount -t proc none $BARE/proc; mount --rbind /dev $BARE/dev
      mount -o remount,bind,ro $BARE
      mount -t tmpfs none $BARE/tmp; mount -t tmpfs -o uid=${IMAGE_USER},mode=0700 none $BARE/var/lib/sendwerk`);
      const enter = ['chroot', `--userspec=${the('USER')}`, bare()];
      const daemon = spawnMortal(
        'nsenter',
        [`--mount=/proc/${debian.pid}/ns/mnt`, ...enter, ...words('ENTRYPOINT'), ...words('CMD')],
        {
          stdio: ['ignore', 'inherit', 'inherit'],
          env: { PATH: env.PATH ?? '', CACHE_DIRECTORY: '/tmp/sendwerk' },
        },
      );
      try {
        const answers = () =>
          fetch(`http://127.0.0.1:${port}/healthz`).then(
            ({ ok }) => ok,
            () => false,
          );
        await until('it answers', answers, BUILD_MS);
        const check = debian.inside([...enter, ...words('HEALTHCHECK')]);
        expect(check.status, check.output).toBe(0);
        expect(debian.inside([...enter, '/bin/sh']).status).toBe(127);
      } finally {
        expect(await endProcess(daemon)).toBe(0);
      }
    },
  );

  const runInside = (script: string): void => {
    const { status, output } = debian.inside([
      'env',
      `BARE=${bare()}`,
      `DEBIAN=${debian.root}`,
      'sh',
      '-ec',
      script,
    ]);
    expect(status, output).toBe(0);
  };
});
