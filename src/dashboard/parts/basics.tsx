// Small parts: what a page begins with, times, statuses, lamps, code to copy, facts, tabs.
import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { setTitle } from '#dashboard/unread.ts';
import { ago, exactMoment, moment, number, percent, secondOf, shortMoment } from '#dashboard/words.ts';
import { partWords } from './words.ts';

interface HeadProps {
  readonly title: string;
  readonly intro?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Where the page belongs to: a link above the title. */
  readonly back?: { readonly href: string; readonly text: string };
}

/** The head of a page; its title is that of the window. Who opened the page by a link reads on from here. */
export const Head = ({ title, intro, actions, back }: HeadProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!document.activeElement?.closest('main, dialog')) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    setTitle(title);
  }, [title]);
  return (
    <header class="head">
      <div>
        {back && (
          <a class="back" href={back.href}>
            <span aria-hidden="true">←</span> {back.text}
          </a>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {intro && <p class="quiet">{intro}</p>}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </header>
  );
};

interface Labelled {
  readonly text: ComponentChildren;
  /** How it looks: `primary`, `danger`, `plain`, `small`. */
  readonly kind?: string;
}

/** A button that submits no form. */
export const Button = ({
  text,
  kind,
  ...rest
}: Labelled & Omit<ComponentProps<'button'>, 'type' | 'class'>) => (
  <button type="button" class={kind} {...rest}>
    {text}
  </button>
);

/** A link that looks like a button. */
export const LinkButton = ({
  text,
  kind,
  ...rest
}: Labelled & {
  readonly href: string | undefined;
  readonly download?: boolean | string;
  readonly target?: string;
  readonly rel?: string;
  readonly onClick?: (event: MouseEvent) => void;
}) => (
  <a class={kind ? `button ${kind}` : 'button'} {...rest}>
    {text}
  </a>
);

/** A section of a page with its heading. */
export const Card = ({
  title,
  actions,
  children,
}: {
  readonly title?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <section class="card">
    {(title || actions) && (
      <div class="cardhead">
        {title && <h2>{title}</h2>}
        {actions && <div class="actions">{actions}</div>}
      </div>
    )}
    {children}
  </section>
);

/** `vor 3 Minuten`, or the moment itself; the exact one when it is pointed at. */
export const Time = ({
  at,
  relative = false,
  short = false,
  seconds = false,
}: {
  readonly at: string | null;
  readonly relative?: boolean;
  /** Shows the day of the week too, for lists. */
  readonly short?: boolean;
  /** Where times are compared with those of a log. */
  readonly seconds?: boolean;
}) =>
  at === null ? (
    <span class="quiet">–</span>
  ) : (
    <time dateTime={at} title={exactMoment(at)}>
      {relative ? ago(at) : short ? shortMoment(at) : seconds ? secondOf(at) : moment(at)}
    </time>
  );

export type Tone = 'good' | 'warn' | 'bad' | 'plain' | 'busy';

/** A status: its colour is never all that says it. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** A lamp with what it means beside it, or read out where there is no room. */
export const Lamp = ({
  tone,
  text,
  short,
}: {
  readonly tone: Tone;
  readonly text: string;
  readonly short?: boolean;
}) => (
  <span class={`lamp ${tone}`} title={text}>
    <span class={short ? 'hidden' : undefined}>{text}</span>
  </span>
);

const COPIED_MS = 2_000;

export const Copy = ({
  text,
  label,
  name,
}: {
  readonly text: string;
  readonly label?: string;
  /** The name of what is copied, where several such buttons are on the page; read out only. */
  readonly name?: string;
}) => {
  const [isCopied, setCopied] = useState(false);
  const w = partWords();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button type="button" class="small" onClick={() => void copy().catch(() => {})} aria-live="polite">
      {isCopied ? w.copied : (label ?? w.copy)}
      {name && <Hidden> {name}</Hidden>}
    </button>
  );
};

/** Text by machines for machines, with a button that copies it. */
export const Code = ({ text, label }: { readonly text: string; readonly label?: string }) => (
  <div class="code">
    <section aria-label={label ?? 'Code'}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
    <Copy text={text} />
  </div>
);

/** An id or address to copy, in a line. */
export const Copied = ({ text, name }: { readonly text: string; readonly name: string }) => (
  <span class="actions">
    <code>{text}</code>
    <Copy text={text} name={name} />
  </span>
);

/** Names and values; what is null, false or empty is left out. */
export const Facts = ({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}) => (
  <dl class="facts">
    {facts.map(([name, value]) =>
      value === null || value === undefined || value === false || value === '' ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);

/** Links between views of one page; the present one is in the address. */
export const Tabs = ({
  label,
  tabs,
  present,
}: {
  readonly label: string;
  readonly tabs: readonly {
    readonly id: string;
    readonly text: string;
    readonly href: string;
    readonly count?: number;
  }[];
  readonly present: string;
}) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ id, text, href, count }) => (
      <a key={id} href={href} aria-current={id === present ? 'page' : undefined}>
        {text}
        {count !== undefined && <span class="count">{number(count)}</span>}
      </a>
    ))}
  </nav>
);

/** How much of `max` is used, with marks at shares of it; of 1 it shows the share alone. */
export const Meter = ({
  label,
  value,
  max,
  marks = [],
  tone = 'plain',
}: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** Shares of 1. */
  readonly marks?: readonly number[];
  readonly tone?: Tone;
}) => {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return (
    <div class={`meter ${tone}`}>
      <p>
        <span>{label}</span>{' '}
        {max === 1 ? (
          <strong>{percent(share)}</strong>
        ) : (
          <>
            <strong>{number(value)}</strong> / {number(max)} ({percent(share)})
          </>
        )}
      </p>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="ground" width="100" height="4" />
        <rect class="used" width={share * 100} height="4" />
        {marks.map((mark) => (
          <rect key={mark} class="mark" x={mark * 100 - 0.2} width="0.4" height="4" />
        ))}
      </svg>
    </div>
  );
};

export const Hidden = ({ children }: { readonly children: ComponentChildren }) => (
  <span class="hidden">{children}</span>
);
