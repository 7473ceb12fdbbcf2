import type { Action } from '../../../api/access/actions.ts'
import { mayDo } from '../../../api/access/allow.ts'
import { type GoLiveFact, type GoLiveStep, readGoLiveFacts } from '../../../reports/go-live.ts'
import { Note, Status, Time } from '../../parts/parts.tsx'
import { pageReply } from '../../parts/routes/surface-reply.ts'
import { isReachable } from '../hidden-from-staff.ts'
import { PEOPLE_PATH } from '../people/people-page.tsx'
import { SECURITY_PATH } from '../people/security-page.tsx'
import { GO_LIVE } from '../texts/go-live.ts'
import type { DashboardVisit } from '../visit.ts'

// The page on which each step is done, and the action that its reader must be allowed.
const STEP_PAGES: Record<GoLiveStep, { path: string; see: Action }> = {
  verified: { path: '/verification', see: 'shop.read' },
  webhook: { path: '/developers/webhooks', see: 'payouts.read' },
  live_key: { path: '/developers', see: 'shop.read' },
  live_charge: { path: '/links', see: 'read' },
  settlement: { path: '/wallet', see: 'payouts.read' },
  second_owner: { path: PEOPLE_PATH, see: 'shop.read' },
  factors: { path: SECURITY_PATH, see: 'shop.read' },
}

export async function showGoLive(visit: DashboardVisit) {
  const facts = await readGoLiveFacts(visit.gateway, visit.merchant, visit.signedIn.at)
  const done = facts.filter((fact) => fact.done).length
  return pageReply(
    GO_LIVE.title,
    <>
      <div class="top">
        <h1>{GO_LIVE.title}</h1>
        <Status word={GO_LIVE.progress(done, facts.length)} tone={done === facts.length ? 'good' : 'open'} />
      </div>
      <p>{GO_LIVE.lead}</p>
      {done === facts.length && <Note tone="good">{GO_LIVE.ready}</Note>}
      <ol class="checklist">
        {facts.map((fact) => (
          <ChecklistStep visit={visit} fact={fact} />
        ))}
      </ol>
    </>,
  )
}

function ChecklistStep({ visit, fact: { step, done, at } }: { visit: DashboardVisit; fact: GoLiveFact }) {
  const { name, says, go } = GO_LIVE.steps[step]
  return (
    <li>
      <div class="head">
        <h2>{name}</h2>
        <Status word={done ? GO_LIVE.done : GO_LIVE.open} tone={done ? 'good' : 'quiet'} />
      </div>
      <p class="quiet">
        {says} {at !== null && <Time at={at} />}
      </p>
      {!done && mayDo(visit.caller, STEP_PAGES[step].see) && isReachable(visit, STEP_PAGES[step].path) && (
        <p>
          <a href={visit.to(STEP_PAGES[step].path)}>{go}</a>
        </p>
      )}
    </li>
  )
}
