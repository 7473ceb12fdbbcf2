import { type Entry, Note, Section, Timeline, timeText } from '../../pages/parts.tsx'
import { shown, ugx } from '../../pages/wording.ts'
import type { WhatWeDid } from '../../reports/what-we-did.ts'
import { WHAT_WE_DID as WORDS } from '../texts/what-we-did.ts'
import type { DashboardVisit } from '../visit.ts'

const RECENT_MS = 24 * 3_600_000

type Props = { visit: DashboardVisit; did: WhatWeDid }

const since = (at: Date | null) => (at === null ? '' : WORDS.since(timeText(at)))

/** What stops the business, and that somebody of ours looked today: for the first page. */
export const Stopped = ({ visit, did: { frozen, inactive, looked } }: Props) => (
  <>
    {inactive !== null && <Because says={WORDS.inactive(since(inactive.since))} why={inactive.says} />}
    {frozen !== null && visit.mode === 'live' && (
      <Because
        says={WORDS.frozen(since(frozen.since), frozen.until && timeText(frozen.until))}
        why={frozen.says}
      />
    )}
    {looked.some((at) => visit.now.getTime() - at.getTime() < RECENT_MS) && (
      <Note>
        {WORDS.looked} <a href={visit.to('/settings/business')}>{WORDS.all}</a>
      </Note>
    )}
  </>
)

const Because = ({ says, why }: { says: string; why: string | null }) => (
  <Note tone="warn">
    <p>{says}</p>
    {why !== null && <p>{WORDS.why(shown(why))}</p>}
  </Note>
)

/** All of it, oldest first. */
export function WhatWeDidSection({ visit, did }: Props) {
  const entries = entriesOf(did)
  return (
    <Section title={WORDS.title} id="what-we-did">
      <p class="quiet">{WORDS.lead}</p>
      <Stopped visit={visit} did={{ ...did, looked: [] }} />
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
  return entries.sort((a, b) => new Date(a.at).getTime() - new Date(b.at).getTime())
}
