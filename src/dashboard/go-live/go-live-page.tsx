import type { Action } from '../../actors/actions.ts'
import { mayDo } from '../../actors/allow.ts'
import { Note, Status, Time } from '../../pages/parts.tsx'
import { shownPage } from '../../pages/shown.ts'
import { type GoLiveFact, type GoLiveStep, goLiveFacts } from '../../reports/go-live.ts'
import { leadsOn } from '../hidden-from-operators.ts'
import { PEOPLE_PATH } from '../people/people-page.tsx'
import { SECURITY_PATH } from '../people/security-page.tsx'
import { GO_LIVE } from '../texts/go-live.ts'
import { type DashboardRoute, type DashboardVisit, page } from '../visit.ts'

// The page on which each step is done, and the action that its reader must be allowed.
const PLACES: Record<GoLiveStep, { path: string; see: Action }> = {
  verified: { path: '/verification', see: 'shop.read' },
  webhook: { path: '/developers/webhooks', see: 'payouts.read' },
  live_key: { path: '/developers', see: 'shop.read' },
  live_charge: { path: '/links', see: 'read' },
  settlement: { path: '/wallet', see: 'payouts.read' },
  second_owner: { path: PEOPLE_PATH, see: 'shop.read' },
  factors: { path: SECURITY_PATH, see: 'shop.read' },
}

async function showGoLive(visit: DashboardVisit) {
  const facts = await goLiveFacts(visit.gateway, visit.merchant, visit.signedIn.at)
  const done = facts.filter((fact) => fact.done).length
  return shownPage(
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
          <Step visit={visit} fact={fact} />
        ))}
      </ol>
    </>,
  )
}

function Step({ visit, fact: { step, done, at } }: { visit: DashboardVisit; fact: GoLiveFact }) {
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
      {!done && mayDo(visit.caller, PLACES[step].see) && leadsOn(visit, PLACES[step].path) && (
        <p>
          <a href={visit.to(PLACES[step].path)}>{go}</a>
        </p>
      )}
    </li>
  )
}

/** The checklist of going live. */
export const GO_LIVE_ROUTES: readonly DashboardRoute[] = [page('/go-live', showGoLive)]
