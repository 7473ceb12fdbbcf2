import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { formatPhone } from '../../platform/text/phone.ts'
import { oneLine } from '../../platform/text/text.ts'
import { kampalaDay, kampalaIso } from '../../platform/time/kampala.ts'
import { failureWords } from '../../reports/words/failures.ts'
import { type StateNoun, stateWords, type Tone } from '../../reports/words/states.ts'
import { Icon, type IconName } from './icons.tsx'
import { PARTS } from './texts.ts'
import { formatShillings } from './wording.ts'

/** Whole shillings: `UGX 12,500`, figures of one width. */
export const Money = ({ amount }: { amount: number }) => <span class="money">{formatShillings(amount)}</span>

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `22 Nov 2026, 14:05` in Kampala. */
export function formatPageTime(at: Date): string {
  const text = kampalaIso(at)
  return `${formatPageDay(at)}, ${text.slice(11, 16)}`
}

/** `22 Nov 2026` in Kampala. */
export function formatPageDay(at: Date): string {
  const text = kampalaIso(at)
  return `${Number(text.slice(8, 10))} ${MONTHS[Number(text.slice(5, 7)) - 1]} ${text.slice(0, 4)}`
}

/** When the page is read, so that its times can say today and yesterday; null where nobody reads it at a known time. */
export const ReadAt = createContext<Date | null>(null)
const DAY_MS = 86_400_000

/** `today`, `yesterday`, `22 Nov` of the year in which it is read, or `22 Nov 2026`. */
function formatNearDay(at: Date, readAt: Date): string {
  const day = kampalaDay(at)
  if (day === kampalaDay(readAt)) return PARTS.today
  if (day === kampalaDay(new Date(readAt.getTime() - DAY_MS))) return PARTS.yesterday
  return day.slice(0, 4) === kampalaDay(readAt).slice(0, 4) ? formatPageDay(at).slice(0, -5) : formatPageDay(at)
}

/** A time as it is in Kampala, near ones as today and yesterday, with the exact time in UTC as its title. */
export const Time = ({ at, day, second }: { at: Date | string | null; day?: boolean; second?: boolean }) => {
  const readAt = useContext(ReadAt)
  if (at === null) return <span class="quiet">{PARTS.none}</span>
  const date = typeof at === 'string' ? new Date(at) : at
  const shownDay = readAt === null ? formatPageDay(date) : formatNearDay(date, readAt)
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {day ? shownDay : `${shownDay}, ${kampalaIso(date).slice(11, second ? 19 : 16)}`}
    </time>
  )
}

const TONES: Readonly<Record<string, Tone>> = {
  ...toneFor(
    'good',
    'succeeded',
    'sent',
    'dispensed',
    'active',
    'verified',
    'delivered',
    'accepted',
    'paid',
    'approved',
  ),
  ...toneFor('bad', 'failed', 'rejected', 'revoked', 'exhausted', 'lost'),
  ...toneFor('open', 'pending', 'authorized', 'dispensing', 'submitted', 'prepared', 'requested', 'open', 'waiting'),
  ...toneFor('warn', 'paused', 'disputed', 'held', 'frozen'),
}
const TONE_ICONS: Record<Tone, IconName> = {
  good: 'check',
  bad: 'cross',
  open: 'clock',
  quiet: 'dash',
  warn: 'warning',
}

function toneFor(tone: Tone, ...words: string[]): Record<string, Tone> {
  return Object.fromEntries(words.map((word) => [word, tone]))
}

/** A status as a word with a shape and a colour. */
export function Status({ word, tone }: { word: string; tone?: Tone }) {
  const shownTone = tone ?? TONES[word] ?? 'quiet'
  return (
    <span class={`status ${shownTone}`}>
      <Icon name={TONE_ICONS[shownTone]} />
      {word.replaceAll('_', ' ')}
    </span>
  )
}

type StateProps = {
  of: StateNoun
  state: string
  /** Why a charge, a payout or a top-up failed. */
  reason?: string | null
}

/** A stored phone as people write it, never broken over two lines; a dash for null. */
export const PhoneNumber = ({ phone }: { phone: string | null }) =>
  phone === null ? <span class="quiet">{PARTS.none}</span> : <span class="money">{formatPhone(phone)}</span>

/** A state of a thing, in the words that people use for it: `not paid: too little money`. */
export function State({ of, state, reason = null }: StateProps) {
  const { says, tone } = stateWords(of, state)
  const why = of === 'charge' || of === 'payout' || of === 'topUp' ? failureWords(of, reason) : null
  return <Status word={why === null ? says : `${says}: ${why.brief}`} tone={tone} />
}

/** The end of an id, or all of it, which a tap copies whole where scripts run. */
export const ShortId = ({ id, whole = false }: { id: string; whole?: boolean }) => (
  <code class="id" data-id={id} data-copy={PARTS.copyId(id)} data-copied={PARTS.copied} title={id}>
    {whole ? id : `…${id.slice(-6)}`}
  </code>
)

/** Text from outside, in one line and without misleading characters. */
export const OutsideText = ({ text }: { text: string | null }) =>
  text === null || text === '' ? <span class="quiet">{PARTS.none}</span> : <bdi>{oneLine(text)}</bdi>

export type Fact = readonly [name: ComponentChildren, value: ComponentChildren]

/** Names and values, one below the other. */
export const Facts = ({ facts }: { facts: readonly (Fact | null | false)[] }) => (
  <dl class="facts">
    {facts
      .filter((fact) => fact !== null && fact !== false)
      .map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value ?? PARTS.none}</dd>
        </div>
      ))}
  </dl>
)

/** A part of a page under its own heading. */
export const Section = ({
  title,
  id,
  aside,
  children,
}: {
  title: string
  id?: string
  aside?: ComponentChildren
  children: ComponentChildren
}) => (
  <section class="section" id={id}>
    <div class="head">
      <h2>{title}</h2>
      {aside}
    </div>
    {children}
  </section>
)

/** Shown for a list without rows: what would be here, and the one thing to do next. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="strong">{title}</p>
    {children}
  </div>
)

/** Text to copy, in full and selectable; the button appears where scripts run. */
export const CopyBox = ({ text, label }: { text: string; label: string }) => (
  <div class="copy">
    <pre tabIndex={0} role="region" aria-label={label} data-copy={PARTS.copy} data-copied={PARTS.copied}>
      <code>{text}</code>
    </pre>
  </div>
)

/** An object as the API gives it. */
export const RawJson = ({ value }: { value: unknown }) => (
  <details class="raw">
    <summary>{PARTS.raw}</summary>
    <pre tabIndex={0} role="region" aria-label={PARTS.raw}>
      <code>{JSON.stringify(value, null, 2)}</code>
    </pre>
  </details>
)

type SameByApiProps = { title: string; label: string; request: string; value: unknown }

/** How a programmer gets the same: the request to copy, and the object as the API gives it. */
export const SameByApi = ({ title, label, request, value }: SameByApiProps) => (
  <Section title={title}>
    <CopyBox label={label} text={request} />
    <RawJson value={value} />
  </Section>
)

/** A sentence that stands out: something to know before going on. */
export const Note = ({ tone = 'quiet', children }: { tone?: Tone; children: ComponentChildren }) => (
  <div class={`note ${tone}`}>
    <Icon name={tone === 'quiet' ? 'flag' : TONE_ICONS[tone]} />
    <div>{children}</div>
  </div>
)

export type TimelineEntry = {
  at: Date | string
  title: ComponentChildren
  detail?: ComponentChildren
  tone?: Tone
}

/** The events of an object, oldest first. */
export const Timeline = ({ entries }: { entries: readonly TimelineEntry[] }) => (
  <ol class="timeline">
    {entries.map(({ at, title, detail, tone = 'quiet' }) => (
      <li class={tone}>
        <Icon name={TONE_ICONS[tone]} />
        <div>
          <p>{title}</p>
          {detail !== undefined && <p class="hint">{detail}</p>}
          <p class="when">
            <Time at={at} />
          </p>
        </div>
      </li>
    ))}
  </ol>
)
