// Recognises machines that load a pixel or follow a link before a person has read the mail, by what the request says about
// its client. Filters that say nothing, or call themselves a browser, are recognised by time and number: see rules.ts. When
// in doubt it is a machine: a machine taken for a person spoils a rate, a person taken for a machine is only not counted.
// The proxies of Gmail (GoogleImageProxy) and Yahoo (YahooMailProxy) load images when a person opens the mail, and Outlook
// names Office when it shows one: they count as people. Pure.
import type { RequestContext } from '#src/kernel/route.ts';
import { userAgentOf } from '#src/kernel/user-agent.ts';

export type HitKind = 'open' | 'click';

/** What a request says about its client; an agent is one line of printable ASCII. */
export interface RequestFacts {
  readonly kind: HitKind;
  /** The method in upper case. */
  readonly method: string;
  /** Empty where there is none. */
  readonly userAgent: string;
  /** Values of `PURPOSE_FIELDS` that were given. */
  readonly purposes: readonly string[];
}

export interface AgentRule {
  readonly id: string;
  readonly agent: RegExp;
  /** The rule holds for this kind only; absent: for both. */
  readonly kind?: HitKind;
  /** The machine, and the source of the pattern. */
  readonly source: string;
  readonly examples: readonly [string, ...string[]];
}

/** Header fields by which browsers mark prefetches, in lower case. */
export const PURPOSE_FIELDS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
/** Fetch, "Sec-Purpose"; Chrome's older `Purpose`, Safari's `X-Purpose: preview`, Firefox's older `X-Moz`. */
const AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

/** What a request says about its client, beside its method. */
export const clientOf = (
  request: Pick<RequestContext, 'header'>,
): Pick<RequestFacts, 'userAgent' | 'purposes'> => ({
  userAgent: userAgentOf(request),
  purposes: PURPOSE_FIELDS.flatMap((name) => request.header(name) ?? []),
});

/** The first match counts. Patterns are searched in at most 256 characters. */
export const agentRules: readonly AgentRule[] = [
  {
    id: 'no_agent',
    agent: /^ *$/,
    source: 'every browser and mail program names itself (RFC 9110 §10.1.5)',
    examples: [''],
  },
  {
    id: 'apple_mail_privacy',
    agent: /^Mozilla\/5\.0$/,
    source: 'Apple Mail Privacy Protection loads all images through its relay when the mail arrives',
    examples: ['Mozilla/5.0'],
  },
  {
    id: 'google_safety',
    agent: /\bGoogle-Safety\b/,
    source: 'Google, list of its crawlers: looks for malware behind links',
    examples: [
      'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/41.0.2272.96 Mobile Safari/537.36 (compatible; Google-Safety; +http://www.google.com/bot.html)',
    ],
  },
  {
    id: 'gmail_prefetch',
    agent:
      / Chrome\/42\.0\.2311\.135 Safari\/537\.36 Edge\/12\.246(?: Mozilla\/5\.0| Gmail-content-sampling|$)/,
    source:
      'Gmail loads images before it shows a new mail, and samples links, with the agent of one browser of 2015 (seen by several senders, 2020 and 2021)',
    examples: [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Gmail-content-sampling',
    ],
  },
  {
    id: 'barracuda',
    agent: /\bBarracuda\b/i,
    source: 'Barracuda’s filters look at every link (Sentinel names itself)',
    examples: ['Barracuda Sentinel (EE)'],
  },
  {
    id: 'mail_filter',
    agent:
      /\b(?:Proofpoint|Mimecast|MessageLabs|Symantec|FireEye|FortiMail|FortiGuard|IronPort|CiscoSecureEmail|Sophos|Trend ?Micro|TMES|Forcepoint|WithSecure|Hornetsecurity|Retarus|NoSpamProxy|Vade|Trellix|Bitdefender|Cloudmark|Cyren|Netcraft|Avanan|urlscan|VirusTotal)\b/i,
    source: 'filters of mail that name their maker where they look at links; most do not',
    examples: ['Mozilla/5.0 (compatible; proofpoint)', 'CiscoSecureEmail/1.0', 'TMES/2.0', 'NoSpamProxy'],
  },
  {
    id: 'safe_links',
    agent: /\bSafeLinks\b/i,
    source: 'Microsoft Defender for Office 365, where it names itself',
    examples: ['Microsoft Office SafeLinks Protection'],
  },
  {
    id: 'office_discovery',
    agent: /^Microsoft Office (?:Existence|Protocol) Discovery\b|^Microsoft-WebDAV-MiniRedir\b/,
    source: 'Microsoft, [MS-OFBA] and KB 838028: Office asks what is behind a link before a browser opens it',
    examples: [
      'Microsoft Office Existence Discovery',
      'Microsoft Office Protocol Discovery',
      'Microsoft-WebDAV-MiniRedir/10.0.19045',
    ],
  },
  {
    id: 'link_preview',
    agent:
      /\b(?:Slackbot|Slack-ImgProxy|Twitterbot|facebookexternalhit|Facebot|WhatsApp|TelegramBot|LinkedInBot|Discordbot|SkypeUriPreview|BingPreview|MicrosoftPreview|GoogleMessages|Snap URL Preview|Viber|Mastodon|Iframely|Embedly|redditbot|KAKAOTALK-Scrap)\b/i,
    source: 'a link that was passed on in a chat: its service shows what is behind it',
    examples: [
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'Twitterbot/1.0',
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'WhatsApp/2.23.20.0 A',
      'TelegramBot (like TwitterBot)',
      'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
      'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
      'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
      'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)',
      'GoogleMessages/20',
    ],
  },
  {
    id: 'headless_browser',
    agent: /\b(?:HeadlessChrome|PhantomJS|SlimerJS|Puppeteer|Playwright|Chrome-Lighthouse|jsdom)\b/i,
    source: 'the names that browsers without a screen bear by default',
    examples: [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
      'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
    ],
  },
  {
    id: 'crawler',
    // Cubot is a brand of telephones.
    agent: /(?<!\bcu)bot\b|crawl|spider|\bSlurp\b|\bscanner\b|\+https?:\/\//i,
    source: 'crawlers name themselves so, or name a page that describes them',
    examples: [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
      'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
      'CCBot/2.0 (https://commoncrawl.org/faq/)',
      'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
      'urlchecker/1.2 (+https://status.example/about)',
    ],
  },
  {
    id: 'library',
    agent:
      /^(?:curl|libcurl|Wget|python-requests|python-urllib3|Python-urllib|Python\/[\d.]+ aiohttp|aiohttp|python-httpx|Scrapy|Go-http-client|Java|Apache-HttpClient|Jakarta Commons-HttpClient|AHC|Jetty|libwww-perl|LWP::Simple|PHP|GuzzleHttp|PycURL|Ruby|Faraday|rest-client|http\.rb|HTTPie|node-fetch|node|axios|undici|got|node-superagent|Deno|Bun|lua-resty-http|reqwest|WinHttp|Microsoft-CryptoAPI|PostmanRuntime|Amazon CloudFront)(?:[/ ]|$)/i,
    source: 'the names that programs’ own libraries for HTTP bear by default',
    examples: [
      'curl/8.4.0',
      'Wget/1.21.4',
      'python-requests/2.32.3',
      'Python/3.10 aiohttp/3.8.1',
      'Python-urllib/3.11',
      'Go-http-client/1.1',
      'Java/17.0.9',
      'Apache-HttpClient/4.5.14 (Java/17.0.9)',
      'AHC/2.1',
      'libwww-perl/6.67',
      'GuzzleHttp/7',
      'node',
      'axios/1.7.2',
      'lua-resty-http/0.10 (Lua) ngx_lua/10019',
      'PostmanRuntime/7.36.0',
    ],
  },
  {
    id: 'app_library',
    agent: /^(?:okhttp|Dalvik|Dart)\/|\bCFNetwork\//,
    kind: 'click',
    source: 'what apps on telephones load by: mail programs show images so, but open links in a browser',
    examples: [
      'okhttp/4.12.0',
      'Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP2A.240805.005)',
      'Dart/3.4 (dart:io)',
      'dataaccessd/1.0 CFNetwork/1410.0.3 Darwin/22.6.0',
    ],
  },
];

/** Id of the rule that recognised a machine; null where none did. */
export const machineOf = ({ kind, method, userAgent, purposes }: RequestFacts): string | null => {
  if (method !== 'GET') return 'no_get';
  if (purposes.some((value) => AHEAD.test(value))) return 'prefetch';
  const isOf = (rule: AgentRule): boolean =>
    (rule.kind === undefined || rule.kind === kind) && rule.agent.test(userAgent);
  return agentRules.find(isOf)?.id ?? null;
};
