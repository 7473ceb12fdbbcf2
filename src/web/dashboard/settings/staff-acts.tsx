import { oneLine } from '../../../platform/text/text.ts'
import type { StaffActs } from '../../../reports/staff-acts.ts'
import { formatPageTime, Note, Section, Timeline, type TimelineEntry } from '../../parts/parts.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { STAFF_ACTS as WORDS } from '../texts/staff-acts.ts'
import type { DashboardVisit } from '../visit.ts'

const RECENT_MS = 24 * 3_600_000

type StaffActsProps = { visit: DashboardVisit; acts: StaffActs }

const formatSince = (at: Date | null) => (at === null ? '' : WORDS.since(formatPageTime(at)))

/** Says what stops the business, and that our staff viewed its pages within a day. */
export const StopNotes = ({ visit, acts: { frozen, inactive, visits } }: StaffActsProps) => (
  <>
    {inactive !== null && <StopNote text={WORDS.inactive(formatSince(inactive.since))} why={inactive.says} />}
    {frozen !== null && visit.mode === 'live' && (
      <StopNote
        text={WORDS.frozen(formatSince(frozen.since), frozen.until && formatPageTime(frozen.until))}
        why={frozen.says}
      />
    )}
    {visits.some((viewedAt) => visit.now.getTime() - viewedAt.getTime() < RECENT_MS) && (
      <Note>
        {WORDS.looked} <a href={visit.to('/settings/business')}>{WORDS.all}</a>
      </Note>
    )}
  </>
)

const StopNote = ({ text, why }: { text: string; why: string | null }) => (
  <Note tone="warn">
    <p>{text}</p>
    {why !== null && <p>{WORDS.why(oneLine(why))}</p>}
  </Note>
)

/** Lists what our staff did about the business, oldest first. */
export function StaffActsSection({ visit, acts }: StaffActsProps) {
  const entries = buildEntries(acts)
  return (
    <Section title={WORDS.title} id="what-we-did">
      <p class="quiet">{WORDS.lead}</p>
      <StopNotes visit={visit} acts={{ ...acts, visits: [] }} />
      {entries.length === 0 ? <p class="quiet">{WORDS.nothing}</p> : <Timeline entries={entries} />}
    </Section>
  )
}

const formatLimit = (limit: number | null) => (limit === null ? WORDS.usual : WORDS.upTo(formatShillings(limit)))

function buildEntries({ limits, decided, visits }: StaffActs): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...visits.map((at): TimelineEntry => ({ at, title: WORDS.looked })),
    ...(limits === null
      ? []
      : [
          {
            at: limits.at,
            title: WORDS.limits(formatLimit(limits.charge), formatLimit(limits.payout)),
            ...(limits.rates ? { detail: WORDS.rates } : {}),
          },
        ]),
    ...(decided === null
      ? []
      : [{ at: decided.at, title: WORDS[decided.state], ...(decided.note ? { detail: decided.note } : {}) }]),
  ]
  return entries.sort((first, second) => new Date(first.at).getTime() - new Date(second.at).getTime())
}
