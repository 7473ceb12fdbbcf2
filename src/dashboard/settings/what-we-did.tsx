import { type Entry, Note, Section, Timeline, timeText } from '../../pages/parts.tsx'
import { shown, ugx } from '../../pages/wording.ts'
import type { WhatWeDid } from '../../reports/what-we-did.ts'
import { WHAT_WE_DID as WORDS } from '../texts/what-we-did.ts'
import type { DashboardVisit } from '../visit.ts'

const RECENT_MS = 24 * 3_600_000

type Props = { visit: DashboardVisit; acts: WhatWeDid }

const since = (at: Date | null) => (at === null ? '' : WORDS.since(timeText(at)))

/** Says what stops the business, and that our staff viewed its pages within a day. */
export const Stopped = ({ visit, acts: { frozen, inactive, looked } }: Props) => (
  <>
    {inactive !== null && <Because text={WORDS.inactive(since(inactive.since))} why={inactive.says} />}
    {frozen !== null && visit.mode === 'live' && (
      <Because
        text={WORDS.frozen(since(frozen.since), frozen.until && timeText(frozen.until))}
        why={frozen.says}
      />
    )}
    {looked.some((viewedAt) => visit.now.getTime() - viewedAt.getTime() < RECENT_MS) && (
      <Note>
        {WORDS.looked} <a href={visit.to('/settings/business')}>{WORDS.all}</a>
      </Note>
    )}
  </>
)

const Because = ({ text, why }: { text: string; why: string | null }) => (
  <Note tone="warn">
    <p>{text}</p>
    {why !== null && <p>{WORDS.why(shown(why))}</p>}
  </Note>
)

/** Lists what our staff did about the business, oldest first. */
export function WhatWeDidSection({ visit, acts }: Props) {
  const entries = entriesOf(acts)
  return (
    <Section title={WORDS.title} id="what-we-did">
      <p class="quiet">{WORDS.lead}</p>
      <Stopped visit={visit} acts={{ ...acts, looked: [] }} />
      {entries.length === 0 ? <p class="quiet">{WORDS.nothing}</p> : <Timeline entries={entries} />}
    </Section>
  )
}

const limitText = (limit: number | null) => (limit === null ? WORDS.usual : WORDS.upTo(ugx(limit)))

function entriesOf({ limits, decided, looked }: WhatWeDid): Entry[] {
  const entries: Entry[] = [
    ...looked.map((at): Entry => ({ at, title: WORDS.looked })),
    ...(limits === null
      ? []
      : [
          {
            at: limits.at,
            title: WORDS.limits(limitText(limits.charge), limitText(limits.payout)),
            ...(limits.rates ? { detail: WORDS.rates } : {}),
          },
        ]),
    ...(decided === null
      ? []
      : [{ at: decided.at, title: WORDS[decided.state], ...(decided.note ? { detail: decided.note } : {}) }]),
  ]
  return entries.sort((first, second) => new Date(first.at).getTime() - new Date(second.at).getTime())
}
