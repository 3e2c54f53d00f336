// Whose opens and clicks are recorded: by the setting of the list, the box of its form, and the objection of a person, in mails as they
// arrive. Driven as a browser without JavaScript and as the API's users do.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { textOf, visitorAt } from '#test/support/visitor.ts';

const WORDING = /Praxis am Markt darf auswerten, ob ich die E-Mails öffne/;

let app: TestApp;
let receiver: SmtpReceiver;
let sender: Sender;
let ahead = 0;

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    holdMs: 0,
    clock: { now: () => Date.now() + ahead },
    config: {
      service: { public_origin: 'https://mail.example.com' },
      limits: { sign_in_rate: { per_address: { per_minute: 100_000 } } },
    },
  });
  sender = await app.createSender({ name: 'Praxis am Markt', plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

interface ListBody {
  readonly id: string;
  readonly form_url: string;
  readonly tracking_consent: string;
}
interface Entry {
  readonly action: string;
  readonly way: string;
  readonly channel: string;
  readonly wording: string | null;
  readonly answers: string | null;
  readonly evidence: string | null;
  readonly ip: string | null;
  readonly list_id: string | null;
}

let count = 0;
const next = (): number => {
  count += 1;
  return count;
};
const newAddress = (): string => `person-${next()}@example.net`;
const ask = async <Body = Record<string, unknown>>(method: string, path: string, body?: object) => {
  const answer = await app.request<Body>(method, sender.base + path, body, sender.token);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const newList = (tracking_consent?: string): Promise<ListBody> =>
  ask('POST', '/lists', { name: `Praxisbrief ${next()}`, ...(tracking_consent && { tracking_consent }) });
const add = (list: ListBody, address: string, more: object = {}) =>
  ask<{ id: string; tracking_consent: boolean }>('POST', `/lists/${list.id}/subscribers`, {
    ...{ address, status: 'active', consent: { evidence: 'on paper' } },
    ...more,
  });
const ledgerOf = async (address: string): Promise<Entry[]> =>
  (await ask<List<Entry>>('GET', `/consent?address=${address}`)).data.toReversed();
const actionsOf = async (address: string): Promise<string[]> =>
  (await ledgerOf(address)).map(({ action }) => action);

const mailsTo = (address: string) =>
  receiver.messages.filter(({ recipients }) => recipients.some((one) => one.address === address));
const mailTo = async (address: string, subject: string) => {
  const found = async () => {
    const mails = await Promise.all(mailsTo(address).map(({ content }) => simpleParser(content)));
    return mails.find((mail) => mail.subject?.startsWith(subject));
  };
  await until(`mail to ${address}: ${subject}`, async () => (await found()) !== undefined);
  return (await found()) ?? expect.fail();
};
const html = '<p>Guten Tag</p><p><a href="https://praxis.example/aktuelles">Mehr lesen</a></p>';
/** What of the mail is tracked. */
const trackedIn = (text: string): string =>
  [/\/t\/o\//.test(text) ? 'open' : '', /\/t\/c\//.test(text) ? 'click' : ''].filter(Boolean).join(' ');
const TRACKED = 'open click';
const UNTRACKED = '';

/** Sends a campaign; what of each person's mail is tracked. */
const campaignTo = async (lists: readonly ListBody[], ...addresses: string[]): Promise<string[]> => {
  const subject = `Neues ${next()}`;
  const campaign = await ask<{ id: string }>('POST', '/campaigns', {
    ...{ list_ids: lists.map(({ id }) => id), subject, html, text: 'Guten Tag' },
  });
  await ask('POST', `/campaigns/${campaign.id}/send`);
  const mails = await Promise.all(addresses.map((address) => mailTo(address, subject)));
  return mails.map((mail) => {
    expect(mail.html).toContain(
      trackedIn(mail.html || '') ? 'Mehr lesen' : 'https://praxis.example/aktuelles',
    );
    return trackedIn(mail.html || '');
  });
};
const newsletterTo = async (to: string | string[], more: object = {}): Promise<string> => {
  const subject = `Brief ${next()}`;
  const fields = { to, subject, html, text: 'Guten Tag', route: 'broadcast', message_kind: 'newsletter' };
  const id = await app.send(sender, {
    ...fields,
    settings: { track_opens: true, track_clicks: true },
    ...more,
  });
  await app.untilStatus(sender, id, 'processed');
  return subject;
};
const trackedInLetter = async (address: string, more: object = {}): Promise<string> => {
  const mail = await mailTo(address, await newsletterTo(address, more));
  return trackedIn(mail.html || '');
};

const browser = () => visitorAt(app.origin, { 'Accept-Language': 'de' });
const subscribe = async (list: ListBody, email: string, more: Record<string, string> = {}) => {
  const visitor = browser();
  return visitor.submit(await visitor.open(list.form_url), 'Anmelden', { email, ...more });
};
const confirm = async (address: string): Promise<string> => {
  const { text = '' } = await mailTo(address, 'Bitte bestätigen');
  const [link = ''] = /https:\/\/mail\.example\.com\/api\/public\/confirm\?token=\S+/.exec(text) ?? [];
  await browser().open(link);
  return text;
};
/** The page that the last mail to the person leads to. */
const preferencesOf = async (address: string, subject: string) => {
  const mail = await mailTo(address, subject);
  const [, token = ''] = /\/api\/public\/unsub\?t=([\w.~-]+)/.exec(`${mail.html}${mail.text}`) ?? [];
  return browser().open(`/api/public/preferences?t=${token}`);
};
const objects = async (address: string) => {
  const page = await preferencesOf(address, await newsletterTo(address));
  return browser().submit(page, 'Nicht auswerten');
};

describe('a list', () => {
  test('says whether its mails are tracked: always, unless it says otherwise', async () => {
    const list = await newList();
    expect(list.tracking_consent).toBe('always');
    const changed = await ask('PATCH', `/lists/${list.id}`, { tracking_consent: 'never' });
    expect(changed).toMatchObject({ tracking_consent: 'never' });
  });

  test.each([
    ['always', TRACKED],
    ['asked', UNTRACKED],
    ['never', UNTRACKED],
  ])('with %s, a campaign to someone who was asked nothing is tracked as %j', async (setting, tracked) => {
    const list = await newList(setting);
    const address = newAddress();
    await add(list, address);
    expect(await campaignTo([list], address)).toEqual([tracked]);
  });

  test('where people are on several lists of a campaign, the strictest holds', async () => {
    const [always, asked, never] = [await newList(), await newList('asked'), await newList('never')];
    const [onOne, onAsked, onAgreed, onNever] = [newAddress(), newAddress(), newAddress(), newAddress()];
    const agreed = { tracking_consent: { evidence: 'second box of the sheet' } };
    for (const address of [onOne, onAsked, onAgreed, onNever]) await add(always, address);
    await add(asked, onAsked);
    await add(asked, onAgreed, agreed);
    await add(never, onNever, agreed);
    const lists = [always, asked, never];
    expect(await campaignTo(lists, onOne, onAsked, onAgreed, onNever)).toEqual([
      ...[TRACKED, UNTRACKED, TRACKED, UNTRACKED],
    ]);
  });
});

describe('the box of the form', () => {
  test('is there where the list asks, and is not ticked', async () => {
    const asked = await browser().open((await newList('asked')).form_url);
    const [box = ''] = /<input type="checkbox"[^>]*name="tracking"[^>]*>/.exec(asked.html) ?? [];
    expect(box).not.toMatch(/checked/);
    expect(textOf(asked.html)).toMatch(WORDING);
    for (const setting of ['always', 'never'])
      expect((await browser().open((await newList(setting)).form_url)).html).not.toContain('name="tracking"');
  });

  test('that a stranger ticked counts neither with the link of another mail nor with what the practice states', async () => {
    const list = await newList('asked');
    const [byLink, onPaper] = [newAddress(), newAddress()];
    await subscribe(list, byLink);
    await mailTo(byLink, 'Bitte bestätigen');
    ahead += DAY + HOUR;
    for (const address of [byLink, onPaper]) await subscribe(list, address, { tracking: 'yes' });
    await until('the mail to the second request', () => mailsTo(byLink).length === 2);
    // By the link of the first mail, which names no such consent.
    expect(await confirm(byLink)).not.toMatch(WORDING);
    expect(await add(list, onPaper)).toMatchObject({ status: 'active', tracking_consent: false });
    expect(await campaignTo([list], byLink, onPaper)).toEqual([UNTRACKED, UNTRACKED]);
  });

  test('gives consent of its own, which counts once the person has confirmed', async () => {
    const list = await newList('asked');
    const [ticks, leaves] = [newAddress(), newAddress()];
    await subscribe(list, ticks, { tracking: 'yes' });
    await subscribe(list, leaves);
    expect(await confirm(ticks)).toMatch(WORDING);
    expect(await confirm(leaves)).not.toMatch(WORDING);
    expect(await campaignTo([list], ticks, leaves)).toEqual([TRACKED, UNTRACKED]);
    const [request, entry] = await ledgerOf(ticks);
    expect(entry).toMatchObject({
      ...{ action: 'tracking', way: 'form', channel: 'newsletter', list_id: list.id },
      ...{ wording: expect.stringMatching(WORDING), answers: (request as Entry & { id: string }).id },
    });
    expect(await actionsOf(leaves)).not.toContain('tracking');
  });

  test('stays ticked where the form comes back for another reason', async () => {
    const page = await subscribe(await newList('asked'), 'not an address', { tracking: 'yes' });
    expect(page.html).toMatch(/name="tracking" value="yes" checked/);
  });

  test('changes nothing for who is on the list already, whoever ticks it, nor where the list does not ask', async () => {
    const [list, always] = [await newList('asked'), await newList('always')];
    const address = newAddress();
    await add(list, address);
    await subscribe(list, address, { tracking: 'yes' });
    const other = newAddress();
    const answer = { list: new URL(always.form_url).searchParams.get('l'), email: other, tracking: 'yes' };
    expect((await app.request('POST', '/api/public/subscribe', answer)).status).toBe(202);
    expect(await actionsOf(address)).toEqual(['import']);
    expect(await campaignTo([list], address)).toEqual([UNTRACKED]);
    await confirm(other);
    expect(await actionsOf(other)).not.toContain('tracking');
  });
});

describe('a practice that adds people', () => {
  test('states their consent to tracking with its evidence, active or pending', async () => {
    const list = await newList('asked');
    const [active, pending] = [newAddress(), newAddress()];
    const tracking_consent = { evidence: 'box on our own site', given_at: '2026-01-02T10:00:00Z' };
    expect(await add(list, active, { tracking_consent })).toMatchObject({ tracking_consent: true });
    await add(list, pending, { status: 'pending', consent: undefined, tracking_consent });
    await confirm(pending);
    expect(await campaignTo([list], active, pending)).toEqual([TRACKED, TRACKED]);
    for (const address of [active, pending])
      expect((await ledgerOf(address)).find(({ action }) => action === 'tracking')).toMatchObject({
        ...{ way: 'api', evidence: 'box on our own site' },
        details: { given_at: '2026-01-02T10:00:00.000Z' },
      });
  });
});

describe('what people read', () => {
  const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  interface Subscriber {
    readonly address: string;
    readonly tracked_at: string | null;
    readonly opened_at: string | null;
    readonly clicked_at: string | null;
  }
  const subscriberOf = async (list: ListBody, address: string): Promise<Subscriber | undefined> =>
    (await ask<List<Subscriber>>('GET', `/lists/${list.id}/subscribers?address=${address}`)).data[0];
  const linkOf = async (address: string, kind: 'o' | 'c'): Promise<string> => {
    const { html } = await simpleParser(mailsTo(address).at(-1)?.content ?? '');
    const found = new RegExp(`https://mail\\.example\\.com(/t/${kind}/[^"]+)`).exec(html || '');
    return app.origin + (found?.[1] ?? '');
  };
  const visit = (url: string, agent = FIREFOX) =>
    fetch(url, { headers: { 'User-Agent': agent }, redirect: 'manual' });
  const countOf = (list: ListBody, ...filter: object[]) =>
    ask<{ active: number; untracked: number }>('POST', '/segments/count', { list_ids: [list.id], filter });
  const within = (op: string, days = 7) => ({ op, days });
  const tracking_consent = { evidence: 'second box of the sheet' };

  test('makes a segment only of those who agreed to that, until they object or leave', async () => {
    const list = await newList('asked');
    const [opens, clicks, neither, machine, refuses] = Array.from({ length: 5 }, newAddress) as [
      ...[string, string, string, string, string],
    ];
    for (const address of [opens, clicks, neither, machine]) await add(list, address, { tracking_consent });
    await add(list, refuses);
    await campaignTo([list], opens, clicks, neither, machine, refuses);
    const wasSent = async (address: string) => (await subscriberOf(list, address))?.tracked_at !== null;
    for (const address of [opens, clicks, neither, machine])
      await until(`${address} was sent to`, () => wasSent(address));
    expect(await countOf(list, within('neither'))).toMatchObject({ active: 4, untracked: 1 });

    ahead += HOUR;
    await visit(await linkOf(machine, 'o'), 'curl/8.4.0');
    await visit(await linkOf(opens, 'o'));
    await visit(await linkOf(clicks, 'c'));
    const isNoted = async (address: string, when: 'opened_at' | 'clicked_at') =>
      Boolean((await subscriberOf(list, address))?.[when]);
    await until(
      'both are noted',
      async () => (await isNoted(opens, 'opened_at')) && (await isNoted(clicks, 'clicked_at')),
    );
    expect(await countOf(list, within('opened'))).toMatchObject({ active: 2 });
    expect(await countOf(list, within('clicked'))).toMatchObject({ active: 1 });
    expect(await countOf(list, within('neither'))).toMatchObject({ active: 2, untracked: 1 });
    const people = await ask<List<Subscriber>>('POST', '/segments/people', {
      ...{ list_ids: [list.id], filter: [within('neither')], limit: 1 },
    });
    const rest = await ask<List<Subscriber>>('POST', '/segments/people', {
      ...{ list_ids: [list.id], filter: [within('neither')], cursor: people.next_cursor },
    });
    expect([...people.data, ...rest.data].map(({ address }) => address).toSorted()).toEqual(
      [neither, machine].toSorted(),
    );
    const held = await ask<{ subscriptions: Subscriber[] }>('GET', `/people?address=${opens}`);
    expect(held.subscriptions[0]).toMatchObject({ opened_at: expect.any(String), clicked_at: null });

    // Those who have not read for a while.
    ahead += 30 * DAY;
    expect(await countOf(list, within('opened'))).toMatchObject({ active: 0 });
    expect(await countOf(list, within('opened', 31))).toMatchObject({ active: 2 });

    await objects(opens);
    const gone = { tracked_at: null, opened_at: null, clicked_at: null };
    expect(await subscriberOf(list, opens)).toMatchObject(gone);
    const stored = (address: string) =>
      app.sql(
        sender.practice.id,
        'SELECT tracked_at, opened_at, clicked_at FROM subscribers WHERE address = ?',
        address,
      );
    expect(stored(opens)).toEqual([gone]);
    await visit(await linkOf(clicks, 'o'));
    const { data } = await ask<List<{ id: string }>>(
      'GET',
      `/lists/${list.id}/subscribers?address=${clicks}`,
    );
    await ask('PATCH', `/lists/${list.id}/subscribers/${data[0]?.id}`, { status: 'unsubscribed' });
    expect(stored(clicks)).toEqual([gone]);
    expect(await countOf(list, within('opened', 31))).toMatchObject({ active: 0, untracked: 2 });
    // As long as the installation keeps what it was read from.
    ahead += 400 * DAY;
    await app.runJob('remove what is old');
    expect(stored(neither)).toEqual([gone]);
  });
});

describe('an objection', () => {
  test('holds for all mail of the practice, whatever the lists say, and is in the ledger', async () => {
    const list = await newList();
    const [address, neighbour] = [newAddress(), newAddress()];
    for (const one of [address, neighbour]) await add(list, one);
    expect(textOf((await objects(address)).html)).toContain('Sie haben widersprochen');
    expect(await campaignTo([list], address, neighbour)).toEqual([UNTRACKED, TRACKED]);
    expect(await trackedInLetter(address)).toBe(UNTRACKED);
    expect(await trackedInLetter(neighbour)).toBe(TRACKED);
    expect((await ledgerOf(address)).at(-1)).toMatchObject({
      ...{ action: 'no_tracking', way: 'preferences', list_id: null, ip: '127.0.0.1' },
    });
    const evidence = await ask<{ entries: { facts: { action: string } }[] }>(
      'GET',
      `/consent/evidence?address=${address}`,
    );
    expect(evidence.entries.map(({ facts }) => facts.action)).toEqual(['import', 'no_tracking']);
    const person = await ask<{ consent: Entry[] }>('GET', `/people?address=${address}`);
    expect(person.consent.map(({ action }) => action)).toContain('no_tracking');
  });

  test('is one copy’s alone where a mail goes to several', async () => {
    const [address, neighbour] = [newAddress(), newAddress()];
    await objects(address);
    const subject = await newsletterTo([address, neighbour]);
    const mails = [await mailTo(address, subject), await mailTo(neighbour, subject)];
    expect(mails.map((mail) => trackedIn(mail.html || ''))).toEqual([UNTRACKED, TRACKED]);
    expect(mails[0]?.html).toContain('href="https://praxis.example/aktuelles"');
  });

  test('outlasts removal and a new import, also one that states consent to tracking', async () => {
    const list = await newList('asked');
    const address = newAddress();
    const tracking_consent = { evidence: 'on paper' };
    const { id } = await add(list, address, { tracking_consent });
    await objects(address);
    await ask('DELETE', `/lists/${list.id}/subscribers/${id}`);
    await add(list, address, { tracking_consent });
    expect(await campaignTo([list], address)).toEqual([UNTRACKED]);
    expect(await trackedInLetter(address)).toBe(UNTRACKED);
  });

  test('holds in bulk too', async () => {
    const [address, neighbour] = [newAddress(), newAddress()];
    await objects(address);
    const subject = `Rundbrief ${next()}`;
    await ask('POST', '/send/bulk', {
      template: { subject, html, text: 'Guten Tag' },
      recipients: [{ email: address }, { email: neighbour }],
    });
    const mails = [await mailTo(address, subject), await mailTo(neighbour, subject)];
    expect(mails.map((mail) => trackedIn(mail.html || ''))).toEqual([UNTRACKED, TRACKED]);
  });

  test('ends when the person agrees again, on the page or by the box of a form that they confirm', async () => {
    const [onPage, byForm] = [newAddress(), newAddress()];
    const list = await newList('asked');
    await add(list, onPage);
    const objected = await objects(onPage);
    expect(objected.html).not.toContain('Nicht auswerten');
    expect(textOf(objected.html)).toMatch(WORDING);
    const agreed = await browser().submit(objected, 'Auswertung erlauben');
    expect(textOf(agreed.html)).toContain('kann auswerten');
    expect(await campaignTo([list], onPage)).toEqual([TRACKED]);
    expect((await ledgerOf(onPage)).at(-1)).toMatchObject({
      ...{ action: 'tracking', way: 'preferences', list_id: list.id },
      wording: expect.stringMatching(WORDING),
    });

    await objects(byForm);
    await subscribe(list, byForm, { tracking: 'yes' });
    expect(await trackedInLetter(byForm)).toBe(UNTRACKED);
    await confirm(byForm);
    expect(await campaignTo([list], byForm)).toEqual([TRACKED]);
  });

  test('made after the box was ticked outweighs it', async () => {
    const list = await newList('asked');
    const address = newAddress();
    await subscribe(list, address, { tracking: 'yes' });
    await objects(address);
    await confirm(address);
    expect(await campaignTo([list], address)).toEqual([UNTRACKED]);

    const again = newAddress();
    const page = await objects(again);
    await subscribe(list, again, { tracking: 'yes' });
    const objecting = { ...page, html: page.html.replace('do=agree', 'do=object') };
    await browser().submit(objecting, 'Auswertung erlauben');
    await confirm(again);
    expect(await campaignTo([list], again)).toEqual([UNTRACKED]);
    await browser().submit(objecting, 'Auswertung erlauben');
    expect((await actionsOf(again)).filter((action) => action === 'no_tracking')).toHaveLength(2);
  });

  test('goes with the person to another address', async () => {
    const list = await newList();
    const [address, new_address] = [newAddress(), newAddress()];
    await add(list, address);
    await objects(address);
    const changed = await app.request(
      'PATCH',
      `${sender.base}/people`,
      { address, new_address },
      app.adminToken,
    );
    expect(changed.status, changed.text).toBe(200);
    expect(await trackedInLetter(new_address)).toBe(UNTRACKED);
    expect(await actionsOf(new_address)).toContain('no_tracking');
  });

  test('silences the links of mails that left before', async () => {
    const address = newAddress();
    const before = await mailTo(address, await newsletterTo(address));
    const opened = async () => {
      const link = /https:\/\/mail\.example\.com(\/t\/o\/[^"]+)/.exec(before.html || '')?.[1] ?? '';
      const headers = {
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      };
      return (await fetch(app.origin + link, { headers })).status;
    };
    const hits = () =>
      app.sql<{ n: number }>(
        sender.practice.id,
        "SELECT count(*) AS n FROM events JOIN recipients ON recipients.id = recipient_id WHERE address = ? AND type IN ('message.opened', 'message.bot_opened')",
        address,
      )[0]?.n;
    expect(await opened()).toBe(200);
    await until('the first open is stored', () => (hits() ?? 0) > 0);
    const known = hits();
    await objects(address);
    expect(await opened()).toBe(200);
    await app.stop();
    expect(hits()).toBe(known);
  });
});
