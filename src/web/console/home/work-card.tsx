import { WORK_KINDS } from '../../../operations/waiting/waiting-work.ts'
import { findEarliest } from '../../../platform/time/earliest.ts'
import { Status } from '../../parts/parts.tsx'
import { formatAge } from '../jobs/age.ts'
import { CONSOLE_FRAME_TEXTS } from '../texts/frame.ts'
import { CONSOLE_HOME_TEXTS } from '../texts/home.ts'
import type { ConsoleVisit } from '../visit.ts'
import { countByPath, isWorkFor, PATH_BY_WORK } from '../work-overview.ts'

const { work: words } = CONSOLE_HOME_TEXTS
const NAME_BY_PATH: Readonly<Record<string, string>> = {
  ...{
    '/approvals': CONSOLE_FRAME_TEXTS.pages.approvals,
    '/reconciliation': CONSOLE_FRAME_TEXTS.pages.exceptions,
  },
  ...{ '/withdrawals': CONSOLE_FRAME_TEXTS.pages.withdrawals, '/numbers': CONSOLE_FRAME_TEXTS.pages.numbers },
  '/standing-orders': CONSOLE_FRAME_TEXTS.pages.standingOrders,
  ...{ '/verification': CONSOLE_FRAME_TEXTS.pages.verification, '/parked': words.marks },
  '/cases': CONSOLE_FRAME_TEXTS.pages.cases,
}

/** The work that waits for this person, with a link to each kind, and the age of the oldest that nobody has taken. */
export function WorkCard({ visit }: { visit: ConsoleVisit }) {
  const { waiting, now, to } = visit
  const counts = countByPath(waiting)
  const kinds = WORK_KINDS.filter((kind) => counts.has(PATH_BY_WORK[kind]))
  const ownWork = (waiting?.work ?? []).filter((row) => isWorkFor(row, waiting?.personId ?? 0))
  const oldest = findEarliest(ownWork.map(({ since }) => since))
  return (
    <div>
      <p class="quiet">{words.title}</p>
      {kinds.length === 0 && (
        <p class="big">
          <Status word={waiting === null ? words.unknown : words.none} tone={waiting === null ? 'warn' : 'good'} />
        </p>
      )}
      {kinds.map((kind) => (
        <p>
          <a href={to(kind === 'exceptions' ? `${PATH_BY_WORK[kind]}/exceptions` : PATH_BY_WORK[kind])}>
            {NAME_BY_PATH[PATH_BY_WORK[kind]]}
          </a>{' '}
          {counts.get(PATH_BY_WORK[kind])}
        </p>
      ))}
      {oldest !== null && <p class="hint">{words.oldest(formatAge(Math.max(0, now.getTime() - oldest.getTime())))}</p>}
    </div>
  )
}
