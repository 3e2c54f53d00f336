// The bill of materials in CycloneDX 1.5 JSON: each shipped package with its version, licence and hash. `npm sbom` would name what a
// release leaves out, and gives each run a number and time of its own.
import { createHash } from 'node:crypto';
import type { ShippedPackage } from './tree.ts';

interface SbomOptions {
  readonly version: string;
  readonly commit: string;
  readonly time: number;
  readonly arch: string;
  readonly packages: readonly ShippedPackage[];
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const componentOf = ({ name, version, license, integrity, isInPages }: ShippedPackage) => ({
  type: 'library',
  'bom-ref': purlOf(name, version),
  name,
  version,
  purl: purlOf(name, version),
  licenses: [
    license.includes(' ')
      ? { expression: license.replace(/^\((.*)\)$/, '$1') }
      : { license: { id: license } },
  ],
  ...(integrity?.startsWith('sha512-')
    ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }
    : {}),
  ...(isInPages ? { properties: [{ name: 'sendwerk:part', value: 'dist/dashboard' }] } : {}),
});

/** A UUID that follows from the text (RFC 9562, version 8). */
const uuidOf = (text: string): string => {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

export const sbomOf = ({ version, commit, time, arch, packages }: SbomOptions): string => {
  const main = { type: 'application', 'bom-ref': 'sendwerk', name: 'sendwerk', version };
  const once = new Map(packages.map((one) => [purlOf(one.name, one.version), componentOf(one)]));
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(`${version} ${commit} ${arch}`)}`,
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {
        ...main,
        licenses: [{ license: { id: 'MIT' } }],
        properties: [
          { name: 'sendwerk:commit', value: commit },
          { name: 'sendwerk:platform', value: `linux-${arch}` },
        ],
      },
    },
    components: [...once.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
};
