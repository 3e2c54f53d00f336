// Images of a practice's mail, as those who write upload them and as mail programs load them.
import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createTestClock } from '#test/support/storage.ts';

interface Image {
  readonly id: string;
  readonly content_type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly name: string | null;
  readonly url: string;
}

const clock = createTestClock();
let app: TestApp;
let sender: Sender;
let other: Sender;

beforeAll(async () => {
  app = await startApp({ clock, config: { limits: { image_mib: 1 } } });
  sender = await app.createSender({ plan: 'gruppe' });
  other = await app.createSender({ plan: 'gruppe' });
});
afterAll(() => app?.remove());

const ask = <Body = Image>(method: string, path = '', body?: unknown, by = sender) =>
  app.request<Body>(method, `${by.base}/images${path}`, body, by.token);
const upload = (bytes: Buffer, name?: string, by = sender) =>
  ask('POST', '', { content: bytes.toString('base64'), ...(name ? { name } : {}) }, by);
const uploaded = async (bytes: Buffer, name?: string): Promise<Image> => {
  const answer = await upload(bytes, name);
  if (answer.status > 201) throw new Error(answer.text);
  return answer.body;
};
/** As a mail program does, at the host of the test instead of the public one. */
const load = (url: string, init?: RequestInit) => fetch(app.origin + new URL(url).pathname, init);
const served = async (url: string): Promise<Buffer> => Buffer.from(await (await load(url)).arrayBuffer());

const plain = (width: number, height: number, background = '#336699') =>
  sharp({ create: { width, height, channels: 3, background } });
const animation = async (frames: number): Promise<Buffer> => {
  const made = Array.from({ length: frames }, (_, at) =>
    plain(80, 40, at % 2 === 0 ? '#aa0000' : '#0000aa')
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(made), { join: { animated: true } })
    .gif({ delay: Array(frames).fill(120), loop: 3 })
    .toBuffer();
};
const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};
/** A few kilobytes that say they are 3.6 thousand million pixels. */
const bomb = (): Buffer => {
  const head = Buffer.from([...[0, 0, 0xea, 0x60], ...[0, 0, 0xea, 0x60], ...[8, 0, 0, 0, 0]]);
  const data = deflateSync(Buffer.alloc(1_000_000));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
};

describe('an uploaded image', () => {
  test('is made again: upright, no wider than needed, in sRGB, without what the camera wrote', async () => {
    const photo = await plain(2_400, 1_600)
      .withExif({
        IFD0: { Copyright: 'Erika Mustermann' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '53/1 33/1 0/1' },
      })
      .withIccProfile('p3')
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect((await sharp(photo).metadata()).exif?.toString('latin1')).toContain('Erika Mustermann');
    const image = await uploaded(photo, 'IMG_1234.jpg');
    expect(image).toMatchObject({
      content_type: 'image/jpeg',
      width: 1_200,
      height: 1_800,
      name: 'IMG_1234.jpg',
    });
    const bytes = await served(image.url);
    expect(bytes.length).toBe(image.bytes);
    const { exif, icc, xmp, orientation, space, width } = await sharp(bytes).metadata();
    expect({ exif, icc, xmp, orientation, space, width }).toEqual({ space: 'srgb', width: 1_200 });
  });

  test('keeps its transparent parts as PNG, and becomes JPEG where it is a photo saved as PNG or WebP', async () => {
    const logo = sharp({ create: { width: 90, height: 30, channels: 4, background: '#ff000080' } });
    expect(await uploaded(await logo.webp().toBuffer())).toMatchObject({
      content_type: 'image/png',
      width: 90,
    });
    const noise = sharp(randomBytes(400 * 300 * 3), { raw: { width: 400, height: 300, channels: 3 } });
    expect(await uploaded(await noise.png().toBuffer())).toMatchObject({ content_type: 'image/jpeg' });
  });

  test('stays an animation', async () => {
    const image = await uploaded(await animation(4));
    expect(image).toMatchObject({ content_type: 'image/gif', width: 80, height: 40 });
    const { pages, delay, loop } = await sharp(await served(image.url), { animated: true }).metadata();
    expect({ pages, delay, loop }).toEqual({ pages: 4, delay: [120, 120, 120, 120], loop: 3 });
  });

  test('is there once, however often it is uploaded, under the hash of what is stored', async () => {
    const bytes = await plain(30, 30, '#123456').png().toBuffer();
    const first = await upload(bytes, 'a.png');
    const again = await upload(bytes, 'b.png');
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    const hash = await crypto.subtle.digest('SHA-256', Uint8Array.from(await served(first.body.url)));
    expect(Buffer.from(hash).toString('hex')).toBe(first.body.id);
    const { body } = await ask<List<Image>>('GET', '?limit=200');
    expect(body.data.filter(({ id }) => id === first.body.id)).toHaveLength(1);
  });

  test('holds nothing of what stands behind its pixels', async () => {
    const script = '<script>alert(1)</script>';
    const png = await plain(20, 20, '#aa0000').png().toBuffer();
    const image = await uploaded(Buffer.concat([png, Buffer.from(`PK\x03\x04${script}`)]));
    expect((await served(image.url)).includes(script)).toBe(false);
  });

  test.each([
    ['an SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), 'SVG'],
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'PDF'],
    ['a photo of an iPhone', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), 'HEIC'],
    ['a text', Buffer.from('Guten Tag'), 'no JPEG, PNG, WebP or GIF'],
    ['half a file', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'damaged'],
    ['a bomb', bomb(), 'too many pixels'],
  ])('is refused with what to do where it is %s', async (_, bytes, why) => {
    const { status, body } = await ask<{ error: string; hint: string }>('POST', '', {
      content: bytes.toString('base64'),
    });
    expect(status).toBe(400);
    expect(body.error).toContain(why);
    expect(body.hint.length).toBeGreaterThan(20);
  });

  test('of too many frames is refused', async () => {
    const { status, text } = await upload(await animation(201));
    expect([status, text]).toEqual([400, expect.stringContaining('frames')]);
  });

  test('is refused where the practice has no more room for it', async () => {
    const full = await app.createSender({ plan: 'gruppe' });
    const noise = () =>
      sharp(randomBytes(400 * 400 * 4), { raw: { width: 400, height: 400, channels: 4 } })
        .png()
        .toBuffer();
    const statuses = [];
    for (let at = 0; at < 2; at += 1) statuses.push((await upload(await noise(), undefined, full)).status);
    expect(statuses).toEqual([201, 409]);
  });
});

describe('its address', () => {
  let image: Image;
  beforeAll(async () => {
    image = await uploaded(await plain(50, 20, '#00aa00').png().toBuffer());
  });

  test('is answered for a year, to everyone, without a cookie', async () => {
    const answer = await load(image.url);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cross-origin-resource-policy': 'cross-origin',
      etag: `"${image.id}"`,
    });
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect((await load(`${image.url}?utm_source=brief`)).status).toBe(200);
    const head = await load(image.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(image.bytes)]);
  });

  test.each(['"ID"', 'W/"ID"', '"else", "ID"', '*'])(
    'has no body for who has it already: If-None-Match: %s',
    async (known) => {
      const answer = await load(image.url, { headers: { 'If-None-Match': known.replace('ID', image.id) } });
      expect([answer.status, await answer.text()]).toEqual([304, '']);
      expect(answer.headers.get('etag')).toBe(`"${image.id}"`);
    },
  );

  test('altered anywhere is answered as any unknown path', async () => {
    const { pathname } = new URL(image.url);
    const [, , token = '', file = ''] = pathname.split('/');
    const theirs = (await upload(await plain(8, 8).png().toBuffer(), undefined, other)).body;
    const altered = [
      `/i/${token}/${'0'.repeat(64)}.png`,
      `/i/${token}/${file.replace('.png', '.gif')}`,
      `/i/${token}/${image.id}`,
      `/i/${token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}/${file}`,
      `/i/${token}/${new URL(theirs.url).pathname.split('/')[3]}`,
      '/i/x/y',
    ];
    const unknown = await (await fetch(`${app.origin}/nothing/here`)).json();
    for (const path of altered) {
      const answer = await fetch(app.origin + path);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, unknown]);
    }
  });

  test('says nothing of who loads it: nothing is written', async () => {
    const before = app.sql(sender.practice.id, 'SELECT * FROM images ORDER BY seq');
    const counts = app.rowCounts(sender.practice.id);
    await load(image.url);
    expect(app.sql(sender.practice.id, 'SELECT * FROM images ORDER BY seq')).toEqual(before);
    expect(app.rowCounts(sender.practice.id)).toEqual(counts);
  });

  test('is gone once the image is deleted, and another practice cannot do that', async () => {
    const gone = await uploaded(await plain(51, 20, '#00aa00').png().toBuffer());
    expect((await ask('DELETE', `/${gone.id}`, undefined, other)).status).toBe(404);
    expect((await ask('GET', `/${gone.id}`, undefined, other)).status).toBe(404);
    expect((await load(gone.url)).status).toBe(200);
    expect((await ask('DELETE', `/${gone.id}`)).status).toBe(204);
    expect((await load(gone.url)).status).toBe(404);
    expect((await ask('GET', `/${gone.id}/content`)).status).toBe(404);
  });

  test('works on where the file of the practice was read again', async () => {
    await app.stop();
    app = await startApp({ clock, home: app.home, config: { limits: { image_mib: 1 } } });
    expect((await load(image.url)).status).toBe(200);
    const { status, text } = await app.request(
      'GET',
      `${sender.base}/images/${image.id}/content`,
      undefined,
      sender.token,
    );
    expect([status, text.length > 0]).toEqual([200, true]);
  });
});

test('an image that nothing shows goes by night, once the mails that may show it are gone too', async () => {
  const image = await uploaded(await plain(52, 20, '#0000aa').png().toBuffer());
  clock.set(clock.now() + 399 * DAY);
  await app.runJob('remove what is old');
  expect((await load(image.url)).status).toBe(200);
  clock.set(clock.now() + 2 * DAY);
  await app.runJob('remove what is old');
  expect((await load(image.url)).status).toBe(404);
});

test('an image goes with its practice, when that is erased', async () => {
  const { body: image } = await upload(await plain(53, 20).png().toBuffer(), undefined, other);
  expect((await load(image.url)).status).toBe(200);
  const { slug } = other.practice;
  const { status, body } = await app.request<{ rows: Record<string, number> }>(
    'POST',
    `${other.base}/erase`,
    { slug },
    app.adminToken,
  );
  expect(status).toBe(200);
  expect(body.rows.images).toBeGreaterThan(0);
  expect((await load(image.url)).status).toBe(404);
});
