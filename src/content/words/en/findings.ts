import { LONG_SUBJECT, MANY_LINKS } from '#src/content/limits.ts';
import type { Words } from '../de/findings.ts';

/** Whatever sign of advertising was found. */
const leaveOut = 'Leave the advertising out, or send it over a marketing route to those who consented.';

export const words: Words = {
  findings: {
    gtube: {
      why: 'The mail holds the string by which spam filters are tested (GTUBE).',
      advice: 'Remove it; every filter rejects it.',
    },
    mixed_scripts: {
      why: 'Words mix Latin and Cyrillic letters, which is done to evade filters.',
      advice: 'Type the words again instead of pasting them.',
    },
    split_words: {
      why: 'Words have invisible characters in them, which filters take for deceit.',
      advice: 'Remove them, for instance by pasting the text as plain text.',
    },
    unfilled_placeholder: {
      why: 'A placeholder was not filled in, or there is still dummy text.',
      advice: "Check the template and the recipients' data.",
    },
    spaced_words: {
      why: 'Words with gaps between letters are meant to evade filters, which notice them for that.',
      advice: 'Write words without gaps; spacing is a matter of styling.',
    },
    encoded_text: {
      why: 'The text has a long run of characters without a blank, presumably encoded data.',
      advice: 'Send data as an attachment.',
    },
    shouted_text: { why: 'Most of the text is in capitals.', advice: 'Write it in ordinary case.' },
    garbled_text: {
      why: 'Letters with accents or quotation marks are wrongly encoded.',
      advice: 'Hand the text over in UTF-8.',
    },
    exclamations: { why: 'The text abounds in exclamation marks.', advice: 'Use full stops.' },
    phishing_trap: {
      why: 'A threat or haste, a request for data and a link to give them: this is how phishing is built.',
      advice: 'Ask the recipients to sign in on your website as usual.',
    },
    credential_request: {
      why: 'The mail asks to confirm credentials or payment data, which is mostly done by deceivers.',
      advice: 'Never ask for such data by mail.',
    },
    account_threat: {
      why: 'It is mostly deceivers who write of locked accounts and suspicious logins.',
      advice: 'State the occasion plainly, and do not threaten.',
    },
    parcel_fee: {
      why: 'Parcels that cannot be delivered, and fees for them, are a common fraud.',
      advice: 'Name the order and the tracking number, and demand no money by a link.',
    },
    advance_fee: {
      why: 'Winnings, inheritances and millions are promised by those who are after an advance fee.',
      advice: 'Say what the mail holds, not what it brings.',
    },
    money_promise: {
      why: 'Filters know fast money, crypto profits and loans without checks as spam.',
      advice: 'Make no promises about money.',
    },
    gambling: {
      why: 'Advertising for gambling is rejected nearly everywhere.',
      advice: 'This service carries no such advertising.',
    },
    pharmacy: {
      why: 'Drugs without prescription and miracle cures are a mark of spam.',
      advice: 'Name no preparations, and do not advertise them (§ 10 HWG).',
    },
    adult: { why: 'Filters reject adult offers.', advice: 'This service carries no such advertising.' },
    extortion: {
      why: 'Threats with recordings and demands in Bitcoin are extortion.',
      advice: 'Describe such cases without using their wording.',
    },
    fake_goods: {
      why: 'Replicas, bought degrees and address lists are a mark of spam.',
      advice: 'This service carries no such advertising.',
    },
    link_host_differs: {
      why: 'The text of a link shows another address than the one it leads to, which is how phishing works.',
      advice: 'Let the text of the link say what it is (“View appointment”), or exactly where it leads.',
    },
    script_link: {
      why: 'A link runs code or embedded data instead of leading to a page.',
      advice: 'Use links with https:, mailto: or tel: only.',
    },
    deceptive_host: {
      why: 'The name of a linked site has letters of other scripts that look like Latin ones.',
      advice: 'Check the address of the link and type it again.',
    },
    link_user_info: {
      why: 'A link has text before its @ that looks like its address and is not.',
      advice: 'Leave user names and passwords out of links.',
    },
    nested_domain: {
      why: 'The address of a link begins with a foreign domain, as if it led there.',
      advice: 'Link to the page by its own, short address.',
    },
    link_to_ip_address: {
      why: 'A link leads to an IP address instead of a domain.',
      advice: 'Use the name of the site.',
    },
    url_shortener: {
      why: 'A shortened link hides where it leads; many filters take it for spam.',
      advice: 'Link to the page itself.',
    },
    many_links: {
      why: `The mail has more than ${MANY_LINKS} links.`,
      advice: 'Keep to the links that are needed.',
    },
    insecure_link: {
      why: 'A link leads to its page without encryption (http:).',
      advice: 'Link with https:.',
    },
    active_content: {
      why: 'The mail holds scripts or an automatic redirect: mail programs remove them, filters distrust them.',
      advice: 'Leave scripts out and link to a page that has them.',
    },
    embedded_page: {
      why: 'No mail program shows embedded pages and objects.',
      advice: 'Use an image with a link.',
    },
    form: {
      why: 'Forms in mail seldom work and mostly serve to steal data.',
      advice: 'Link to the form on your website.',
    },
    hidden_text: {
      why: 'The mail holds much text that no one sees.',
      advice: 'Remove hidden text; a short preheader is fine.',
    },
    html_too_complex: {
      why: 'The HTML has so many elements that it is not checked to its end.',
      advice: 'Simplify the template.',
    },
    image_only: {
      why: 'The mail is hardly more than images.',
      advice: 'Write what matters as text; many programs do not load images by themselves.',
    },
    parts_differ: {
      why: 'Text and HTML seem to say different things.',
      advice: 'Give both parts the same content, or have the text made of the HTML.',
    },
    html_clipped: {
      why: 'The HTML is larger than 102 kB; Gmail clips the rest.',
      advice: 'Shorten the template, and embed no images as data.',
    },
    unfinished_html: {
      why: 'The HTML ends within a tag, a comment or a quotation.',
      advice: 'Check whether the template is complete.',
    },
    embedded_data: {
      why: 'Images stand in the HTML as data; Gmail and Outlook do not show them.',
      advice: 'Attach the images, or link to them.',
    },
    external_styles: {
      why: 'Mail programs do not load styles from a linked file.',
      advice: 'Write the styles into the HTML.',
    },
    no_text_part: {
      why: 'The mail has HTML only and no text part.',
      advice: 'Send a text part along, or let the route add one.',
    },
    pdf_script: {
      why: 'A PDF holds JavaScript, which some receivers reject.',
      advice: 'Save it without scripts, for instance as PDF/A.',
    },
    rspamd: {
      why: 'The spam filter finds the mail suspicious.',
      advice: 'See which symbols it names, and change the mail accordingly.',
    },
    virus: {
      why: 'The virus scanner found malware.',
      advice: 'Check the computer the file comes from, and do not send it.',
    },
    listed_host: {
      why: 'A link leads to a site that is on a block list.',
      advice: 'Remove the link, or clarify the entry with the operator of the list.',
    },
    scanner_unavailable: {
      why: 'A scanner could not be reached; the mail was not checked by all of them.',
      advice: 'There is nothing for you to do; the operator sees the fault.',
    },
    promo_discount: {
      why: 'Per cents off and price cuts are advertising.',
      advice: leaveOut,
    },
    promo_discount_word: {
      why: 'A discount is spoken of.',
      advice: leaveOut,
    },
    promo_voucher: {
      why: 'Vouchers and codes are meant to make people buy.',
      advice: leaveOut,
    },
    promo_offer: {
      why: 'Special offers and sales are advertising.',
      advice: leaveOut,
    },
    promo_price_pitch: {
      why: 'Prices are praised (“only”, “just”).',
      advice: leaveOut,
    },
    promo_call: {
      why: 'The mail calls on people to buy.',
      advice: leaveOut,
    },
    promo_booking_call: {
      why: 'The mail calls on people to book.',
      advice: leaveOut,
    },
    promo_deadline: {
      why: 'Scarcity and short deadlines are meant to press for buying.',
      advice: leaveOut,
    },
    promo_free: {
      why: 'Gifts and samples are used to advertise.',
      advice: leaveOut,
    },
    promo_signup: {
      why: 'Newsletters, programmes or referrals are advertised.',
      advice: leaveOut,
    },
    promo_newsletter: {
      why: 'Newsletters or social networks are pointed to.',
      advice: leaveOut,
    },
    promo_novelty: {
      why: 'Novelties and gift ideas are presented.',
      advice: leaveOut,
    },
    promo_igel: {
      why: 'Services to be paid privately, or cosmetic ones, are advertised.',
      advice: leaveOut,
    },
    subject_empty: {
      why: 'An empty subject is a mark of spam.',
      advice: 'Say in a few words what it is about.',
    },
    subject_hidden_characters: {
      why: 'Invisible characters hide what it says; filters take that for deceit.',
      advice: 'Type the subject again instead of pasting it.',
    },
    subject_mixed_scripts: {
      why: 'A word has letters of two scripts, as deceivers write it.',
      advice: 'Write each word in one script.',
    },
    subject_placeholder: {
      why: 'A placeholder was not filled in.',
      advice: "Check the template and the recipients' data.",
    },
    subject_phishing_words: {
      why: 'It is mostly deceivers who write of passwords and locked accounts.',
      advice: 'Name the occasion without writing of credentials.',
    },
    subject_health_detail: {
      why: 'A subject shows on lock screens and in logs: others read health data there (Art. 9 GDPR, § 203 StGB).',
      advice: 'Stay neutral, such as “A message from your practice”.',
    },
    subject_personal_data: {
      why: 'A date of birth, an insurance number or an account number is readable in the subject.',
      advice: 'Leave it out, or write it in the text.',
    },
    subject_spaced_out: {
      why: 'Words with gaps between letters are meant to evade filters, which notice them for that.',
      advice: 'Write words without gaps.',
    },
    subject_shouting: { why: 'Nearly all of it is in capitals.', advice: 'Write it in ordinary case.' },
    subject_money: {
      why: 'Filters know winnings, money and per cents from advertising and fraud.',
      advice: 'Say what the mail holds, not what it brings.',
    },
    subject_advertising_words: {
      why: 'Words of advertising lower delivery, and in appointment mails they are unlawful (§ 7 UWG).',
      advice: 'Do without, or send over a marketing route.',
    },
    subject_pressure: {
      why: 'Pressing for time is what deceivers do.',
      advice: 'Name the date without pressing.',
    },
    subject_link: {
      why: 'A link in a subject is unusual and looks like phishing.',
      advice: 'Put links into the text.',
    },
    subject_encoded_remains: {
      why: 'Characters are encoded twice or wrongly.',
      advice: 'Hand the subject over as plain text in UTF-8.',
    },
    subject_punctuation: {
      why: 'Exclamation or question marks in heaps.',
      advice: 'One at most, at the end.',
    },
    subject_false_reply: {
      why: 'A subject that begins like a reply and is none deceives its recipients.',
      advice: 'Leave “Re:” out where it is no reply.',
    },
    subject_symbols: { why: 'Many symbols look like advertising.', advice: 'One symbol is enough.' },
    subject_long: {
      why: `Over ${LONG_SUBJECT} characters: its end is cut off.`,
      advice: 'Put what matters first.',
    },
  },
};
