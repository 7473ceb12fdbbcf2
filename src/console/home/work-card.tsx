import { Status } from '../../pages/parts.tsx'
import { earliest } from '../../platform/earliest.ts'
import { WORK_KINDS } from '../../waiting/waiting-work.ts'
import { ageText } from '../jobs/age.ts'
import { FRAME } from '../texts/frame.ts'
import { HOME } from '../texts/home.ts'
import type { ConsoleVisit } from '../visit.ts'
import { countsOf, isWorkFor, WORK_AT } from '../waiting.ts'

const { work: words } = HOME
const NAMES: Readonly<Record<string, string>> = {
  ...{ '/approvals': FRAME.pages.approvals, '/reconciliation': FRAME.pages.exceptions },
  ...{ '/withdrawals': FRAME.pages.withdrawals, '/numbers': FRAME.pages.numbers },
  ...{ '/verification': FRAME.pages.verification, '/parked': words.marks },
}

/** The work that waits for this person, with a link to each kind, and the age of the oldest that nobody has taken. */
export function WorkCard({ visit }: { visit: ConsoleVisit }) {
  const { waiting, now, to } = visit
  const counts = countsOf(waiting)
  const kinds = WORK_KINDS.filter((kind) => counts.has(WORK_AT[kind]))
  const ownWork = (waiting?.work ?? []).filter((row) => isWorkFor(row, waiting?.personId ?? 0))
  const oldest = earliest(ownWork.map(({ since }) => since))
  return (
    <div>
      <p class="quiet">{words.title}</p>
      {kinds.length === 0 && (
        <p class="big">
          <Status
            word={waiting === null ? words.unknown : words.none}
            tone={waiting === null ? 'warn' : 'good'}
          />
        </p>
      )}
      {kinds.map((kind) => (
        <p>
          <a href={to(kind === 'exceptions' ? `${WORK_AT[kind]}/exceptions` : WORK_AT[kind])}>
            {NAMES[WORK_AT[kind]]}
          </a>{' '}
          {counts.get(WORK_AT[kind])}
        </p>
      ))}
      {oldest !== null && (
        <p class="hint">{words.oldest(ageText(Math.max(0, now.getTime() - oldest.getTime())))}</p>
      )}
    </div>
  )
}
