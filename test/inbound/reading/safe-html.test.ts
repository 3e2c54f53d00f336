// The sanitised HTML of hostile mail, looked at through a second parser: nothing of it may run, load, be sent or leave its place.
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { safeHtml } from '#src/inbound/reading/safe-html.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
const elementsIn = (nodes: readonly Node[]): DefaultTreeAdapterTypes.Element[] =>
  nodes.flatMap((node) => ('attrs' in node ? [node, ...elementsIn(node.childNodes)] : []));
const elementsOf = (html: string) => elementsIn(parseFragment(safeHtml(html) ?? '').childNodes);

const RUNS_OR_SENDS =
  /^(?:script|style|link|meta|base|iframe|frame|object|embed|applet|form|input|button|select|textarea|svg|math|template|video|audio|source|noscript|title|body|html|head|dialog|portal)$/;
const ATTRIBUTES =
  /^(?:style|align|valign|dir|lang|width|height|bgcolor|color|size|border|cellpadding|cellspacing|colspan|rowspan|alt|data-src|data-href|start|type|face)$/;
const DANGEROUS_STYLE =
  /url|expression|import|position|display|visibility|opacity|float|transform|z-index|behavior|\\|\/\*|content|cursor|overflow/i;

describe('hostile HTML is harmless', () => {
  test.each([
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)><svg><script>alert(1)</script></svg>',
    '<a href="javascript:alert(1)">a</a><a href=" &#106;avascript:alert(1)">b</a><a href="data:text/html,x">c</a>',
    '<a href="https://x.test" data-href="javascript:alert(1)" ping="https://y.test">a</a>',
    '<img data-src="javascript:alert(1)" srcset="https://x.test/a 1x" src="https://x.test/b" lowsrc="https://x.test/c">',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<form action="https://x.test"><input name=password autofocus onfocus=alert(1)><button formaction=javascript:alert(1)>x</button></form>',
    '<style>@import "https://x.test/a.css"; body { display: none }</style><link rel=stylesheet href=https://x.test/a.css>',
    '<meta http-equiv=refresh content="0;url=https://x.test"><base href="https://x.test/">',
    '<p style="position:fixed;top:0;left:0;width:100%;height:100%;z-index:9999;background:red">x</p>',
    '<p style="background:url(https://x.test/a)">x</p><p style="background-image:u\\72l(https://x.test/a)">x</p>',
    '<p style="color:red;/*;*/behavior:url(x)">x</p><p style="width:expression(alert(1))">x</p>',
    '<p style="display:none">a</p><p style="font-size:0">b</p><p style="opacity:0">c</p><p style="text-indent:-9999px">d</p><p style="margin:-999px">e</p>',
    '<table background="https://x.test/a"><td background="https://x.test/b">x</td></table>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe><object data=x></object><embed src=x>',
    '<p id=login class=modal name=forms>x</p><a name=body>y</a>',
    '<img src="cid:a&quot; onerror=alert(1)"><img src="cid:a@b" onerror=alert(1)>',
    '<!--><img src=x onerror=alert(1)>--><![CDATA[<img src=x onerror=alert(1)>]]><?xml <img src=x onerror=alert(1)>?>',
    '<<script>script>alert(1)<</script>/script><scr<script>ipt>alert(1)</script>',
    '<xmp><img src=x onerror=alert(1)></xmp><plaintext><img src=x onerror=alert(1)>',
    '<textarea></textarea><img src=x onerror=alert(1)></textarea>',
    '\0<\0script>alert(1)</script><p sty\0le="position:fixed">x',
    '<video poster=https://x.test/a><source src=https://x.test/b onerror=alert(1)></video>',
  ])('%s', (html) => {
    for (const { tagName, attrs } of elementsOf(html)) {
      expect(tagName).not.toMatch(RUNS_OR_SENDS);
      for (const { name, value } of attrs) {
        if (name === 'src') expect([tagName, value]).toEqual(['img', expect.stringMatching(/^cid:[^"]+$/)]);
        else expect(name).toMatch(ATTRIBUTES);
        if (name === 'style') expect(value).not.toMatch(DANGEROUS_STYLE);
        if (name === 'style') expect(value).not.toMatch(/-\d|font-size:\s*0/);
        if (name.startsWith('data-')) expect(value).toMatch(/^(?:https?:\/\/|mailto:|tel:|\/\/)/);
      }
    }
  });

  test.each([
    [
      '<a href="https://example.org/?a=1&amp;b=2">l</a><img src="https://example.org/a.png" alt="Logo" width="10">',
      '<a data-href="https://example.org/?a=1&amp;b=2">l</a><img alt="Logo" width="10" data-src="https://example.org/a.png" />',
    ],
    ['<img src="cid:logo@example.org">', '<img src="cid:logo@example.org" />'],
    [
      '<p class=MsoNormal style="margin:0cm;font-size:11.0pt;font-family:Calibri,sans-serif;color:#1F497D;mso-fareast-language:EN-US">x</p>',
      '<p style="font-size:11.0pt; font-family:Calibri,sans-serif; color:#1F497D">x</p>',
    ],
    ['<title>t</title><p>a<script>x</script></p><form>b<input></form>', '<p>a</p>b'],
    ['1 < 2 &amp; 3 > 2', '1 &lt; 2 &amp; 3 &gt; 2'],
    ['', ''],
  ])('what is harmless stays: %s', (html, shown) => {
    expect(safeHtml(html)).toBe(shown);
  });

  test('what is nested too deep is not read', () => {
    expect(safeHtml('<div>'.repeat(50_000))).toBeNull();
  });
});
