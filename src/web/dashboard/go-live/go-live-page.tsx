import type { Action } from '../../../api/access/actions.ts'
import { mayDo } from '../../../api/access/allow.ts'
import { type GoLiveFact, type GoLiveStep, readGoLive, type WayToSell } from '../../../reports/go-live.ts'
import { Note, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply } from '../../parts/routes/surface-reply.ts'
import { isReachable } from '../hidden-from-staff.ts'
import { PEOPLE_PATH } from '../people/people-page.tsx'
import { SECURITY_PATH } from '../people/security-page.tsx'
import { GO_LIVE } from '../texts/go-live.ts'
import type { DashboardVisit } from '../visit.ts'

type StepPage = { path: string; see: Action }

// The page on which each step is done, and the action that its reader must be allowed.
const STEP_PAGES: Record<Exclude<GoLiveStep, 'live_charge'>, StepPage> = {
  verified: { path: '/verification', see: 'shop.read' },
  machines: { path: '/vending/settings', see: 'shop.read' },
  webhook: { path: '/developers/webhooks', see: 'payouts.read' },
  live_key: { path: '/developers', see: 'shop.read' },
  settlement: { path: '/wallet', see: 'payouts.read' },
  second_owner: { path: PEOPLE_PATH, see: 'shop.read' },
  factors: { path: SECURITY_PATH, see: 'shop.read' },
}
// Where a first payment comes from, by how the business sells: the first of these that it uses.
const FIRST_PAYMENT: readonly (StepPage & { way: WayToSell })[] = [
  { way: 'machines', path: '/vending', see: 'shop.read' },
  { way: 'storefront', path: '/storefront', see: 'shop.read' },
  { way: 'links', path: '/links', see: 'read' },
  { way: 'program', path: '/developers', see: 'shop.read' },
]
const ASKING = { way: 'counter', path: '/ask', see: 'charge.create' } as const

export async function showGoLive(visit: DashboardVisit) {
  const { ways, facts } = await readGoLive(visit.gateway, visit.merchant, visit.signedIn.at)
  const needed = facts.filter(({ state }) => state !== 'not_needed')
  const done = needed.filter(({ state }) => state === 'done').length
  return pageReply(
    GO_LIVE.title,
    <>
      <div class="top">
        <h1>{GO_LIVE.title}</h1>
        <Status word={GO_LIVE.progress(done, needed.length)} tone={done === needed.length ? 'good' : 'open'} />
      </div>
      <p>{GO_LIVE.lead}</p>
      <p>{ways.length === 0 ? GO_LIVE.noWay : GO_LIVE.uses(ways.map((way) => GO_LIVE.ways[way]))}</p>
      {done === needed.length && <Note tone="good">{GO_LIVE.ready}</Note>}
      <ol class="checklist">
        {needed.map((fact) => (
          <ChecklistStep visit={visit} fact={fact} ways={ways} />
        ))}
      </ol>
      {needed.length < facts.length && (
        <Section title={GO_LIVE.notNeeded}>
          {facts
            .filter((fact) => fact.state === 'not_needed')
            .map(({ step }) => (
              <p class="quiet">{GO_LIVE.whyNot[step]}</p>
            ))}
        </Section>
      )}
    </>,
  )
}

type StepProps = { visit: DashboardVisit; fact: GoLiveFact; ways: readonly WayToSell[] }

function ChecklistStep({ visit, fact: { step, state, at }, ways }: StepProps) {
  const { name, says, go, page } = describeStep(step, ways)
  return (
    <li>
      <div class="head">
        <h2>{name}</h2>
        <Status word={state === 'done' ? GO_LIVE.done : GO_LIVE.open} tone={state === 'done' ? 'good' : 'quiet'} />
      </div>
      <p class="quiet">
        {says} {at !== null && <Time at={at} />}
      </p>
      {state === 'open' && mayDo(visit.caller, page.see) && isReachable(visit, page.path) && (
        <p>
          <a href={visit.to(page.path)}>{go}</a>
        </p>
      )}
    </li>
  )
}

function describeStep(step: GoLiveStep, ways: readonly WayToSell[]) {
  if (step !== 'live_charge') return { ...GO_LIVE.steps[step], page: STEP_PAGES[step] }
  const page = FIRST_PAYMENT.find(({ way }) => ways.includes(way)) ?? ASKING
  return { name: GO_LIVE.firstPayment.name, ...GO_LIVE.firstPayment[page.way], page }
}
