import type { Words } from '../de/content-check.ts';

export const words: Words = {
  html_clipped: ({ kib }) => ({
    why: `The HTML has ${kib} KB. Gmail shows at most 102 KB of it and cuts off the rest, the link to unsubscribe at the end too.`,
    advice: 'Shorten the mail, or link to a part of it.',
  }),
  html_nearly_clipped: ({ kib }) => ({
    why: `The HTML has ${kib} KB; with the footer it may become more than 102 KB, and Gmail cuts off what is beyond.`,
    advice: 'Shorten the mail a little.',
  }),
  contrast_low: ({ ratio }) => ({
    why: `This text hardly differs from its background: the contrast is ${ratio} to 1, and text reads well from 4.5 to 1.`,
    advice: 'Choose a darker text or a lighter background.',
  }),
  image_without_alt: () => ({
    why: 'This image has no alternative text: whoever loads no images, or has the mail read out, learns nothing of it.',
    advice: 'Describe the image in a few words, or mark it as decoration.',
  }),
  linked_image_without_alt: () => ({
    why: 'This image leads to a page and has no alternative text: without images the link cannot be seen.',
    advice: 'Say in the alternative text where the link leads.',
  }),
  image_missing: () => ({
    why: 'This image is no longer there; the mail would have an empty place.',
    advice: 'Upload the image again, or remove it.',
  }),
  images_heavy: ({ mb }) => ({
    why: `The images have ${mb} MB together; on the way it takes a while until they appear.`,
    advice: 'Use fewer or smaller images.',
  }),
  link_malformed: () => ({
    why: 'This link is no whole address and leads nowhere.',
    advice: 'Write the whole address, with https:// at its beginning.',
  }),
  link_insecure: () => ({
    why: 'This link begins with http://: the way there is not encrypted, and browsers warn of it.',
    advice: 'Use the address with https:// if there is one.',
  }),
  link_broken: ({ status }) => ({
    why: `There is no page behind this link (answer ${status}).`,
    advice: 'Open the link yourself, and correct it.',
  }),
  link_failing: ({ status }) => ({
    why: `The page behind this link answers with an error at the moment (answer ${status}).`,
    advice: 'Open the link yourself once more before you send.',
  }),
  link_unreachable: () => ({
    why: 'The server behind this link cannot be reached.',
    advice: 'Check whether the address is spelled correctly.',
  }),
  lost_content: ({ title, share }) => ({
    why: `About ${share} of 100 people do not see this: their mail program does not show “${title}”.`,
    advice: 'Say the same by text or an image as well.',
  }),
  lost_layout: ({ title, share }) => ({
    why: `For about ${share} of 100 people things stand elsewhere: their mail program ignores “${title}”.`,
    advice: 'See whether the mail can be read without it.',
  }),
};
