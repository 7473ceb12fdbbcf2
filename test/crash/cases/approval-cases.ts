import { newId } from '../../../src/platform/text/ids.ts'
import type { Browser, Page } from '../../helpers/web/browser.ts'
import { operatorIn } from '../operators.ts'
import { type Program, serving, victim } from '../serving.ts'
import { killedBy, untilThere } from '../victims.ts'
import { LIVE_QUESTION_MS, type World } from '../world.ts'
import { earnLiveMoney } from './payout-cases.ts'

const AMOUNT = 700
// Less than any payout of the clients.
const MOVED = 1
const CORRECTION = {
  ...{
    direction: 'in',
    amount: String(AMOUNT),
    against: 'adjustments',
    told: 'a correction',
    reason: 'a test',
  },
  resolve: 'yes',
}

/** What one operator asks for, and how that stands before a second one approves it and after. */
type Asked = {
  program: Program
  ask(first: Browser): Promise<Page>
  stateOf(approval: string): Promise<unknown>
  waiting: unknown
  done: unknown
}

/** A second operator approves, and the process dies: all of it has happened or nothing, and again it happens once. */
async function dieApproving(
  world: World,
  crashPoint: string,
  { program, ask, stateOf, ...states }: Asked,
): Promise<string[]> {
  const [first, second] = [await operatorIn(world), await operatorIn(world)]
  const { location: path } = await ask(first)
  const page = await second.get(path)
  const running = await victim(world, program, crashPoint)
  const clicked = second.send(page, '/approve').catch(() => null)
  const wrong = await killedBy(running, crashPoint, [clicked])
  const judge = async (when: string, state: unknown) => {
    const [is, must] = [await stateOf(path.split('/').at(-1) ?? ''), state].map((one) => JSON.stringify(one))
    if (is !== must) wrong.push(`${when}: ${is} instead of ${must}`)
  }
  await judge('after the kill', crashPoint.startsWith('approval.committed') ? states.done : states.waiting)
  await serving(world, program)
  const again = await second.send(page, '/approve')
  if (again.status !== 303) wrong.push(`approving again was answered ${again.status}`)
  await judge('after the second click', states.done)
  return wrong
}

/** An open critical exception of the shop in test mode, which pauses its test payouts. */
async function openedAt({ installation, shop }: World): Promise<string> {
  const [merchant] = await installation.sql('select id, tag from directory.merchants where handle = $1', [shop.handle])
  const id = newId('exc_', merchant?.tag)
  const now = installation.clock.now().toISOString()
  await installation.sql(
    `with opened as (insert into cell_0.exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at, last_seen_at)
       values ($1, $2, 'test', 'mismatch', 'critical', $2, '{}', $3, $3) returning id)
     update cell_0.ledger_heads set payouts_paused_by = $2 from opened where merchant_id = $1 and mode = 'test'`,
    [merchant?.id, id, now],
  )
  return id
}

const STATE = `select a.status, (select count(*)::int from cell_0.transfers t join cell_0.adjustments d on d.merchant_id = t.merchant_id
    and d.id = t.subject where d.approval_id = a.id) as posted, e.closed_at is not null as resolved
  from cell_0.approvals a join cell_0.exceptions e on e.merchant_id = a.merchant_id and e.id = a.subject where a.id = $1`

/** A correction that resolves the exception. */
export async function whileApproving(world: World, crashPoint: string): Promise<string[]> {
  const { installation } = world
  await serving(world, 'shipped')
  const exception = await openedAt(world)
  return dieApproving(world, crashPoint, {
    program: 'shipped',
    ask: (first) => sendAbout(first, exception, '/adjust', CORRECTION),
    stateOf: async (approval) => (await installation.sql(STATE, [approval]))[0],
    waiting: { status: 'waiting', posted: 0, resolved: false },
    done: { status: 'approved', posted: 1, resolved: true },
  })
}

const sendAbout = async (by: Browser, exception: string, end: string, fields: Record<string, string>) =>
  by.send(await by.get(`/console/reconciliation/exceptions/${exception}`), end, fields)

const OPEN_PAYOUT = `select p.id, p.amount::int, p.fee::int, e.id as exception, h.available::int, h.in_flight::int
  from cell_0.payouts p join cell_0.exceptions e on e.merchant_id = p.merchant_id and e.subject = p.id
  join cell_0.ledger_heads h on h.merchant_id = p.merchant_id and h.mode = p.mode
  where p.recipient_phone = $1 and e.kind = 'mismatch' and e.closed_at is null`
const STATE_OF_PAYOUT = `select a.status, p.status as payout, h.available::int, h.in_flight::int,
    (select count(*)::int from cell_0.adjustments d where d.merchant_id = p.merchant_id and d.about = p.id) as corrections,
    (select count(*)::int from cell_0.events v where v.merchant_id = p.merchant_id and v.subject = p.id) as events,
    e.resolution, h.payouts_paused_by is not null as paused
  from cell_0.approvals a join cell_0.exceptions e on e.merchant_id = a.merchant_id and e.id = a.subject
  join cell_0.payouts p on p.merchant_id = e.merchant_id and p.id = e.subject
  join cell_0.ledger_heads h on h.merchant_id = p.merchant_id and h.mode = p.mode where a.id = $1`

/** A payout of which its operator says that it moved less is ended so. */
export async function whileEndingAsTold(world: World, crashPoint: string): Promise<string[]> {
  const { installation } = world
  await earnLiveMoney(world)
  await serving(world, 'with live rail')
  const { exception, amount, fee, ...head } = await toldOtherwise(world)
  const { available, in_flight } = head
  const ended = { available: available + amount - MOVED, in_flight: in_flight - amount - fee }
  return dieApproving(world, crashPoint, {
    program: 'with live rail',
    ask: (first) => sendAbout(first, exception, '/end-as-told', { told: 'less arrived', reason: 'a test' }),
    stateOf: async (approval) => (await installation.sql(STATE_OF_PAYOUT, [approval]))[0],
    waiting: {
      ...{ status: 'waiting', payout: 'authorized', available, in_flight, corrections: 0, events: 0 },
      ...{ resolution: null, paused: true },
    },
    done: {
      ...{ status: 'approved', payout: 'succeeded', ...ended, corrections: 1, events: 1 },
      ...{ resolution: 'ended_as_told', paused: false },
    },
  })
}

type Told = { exception: string; amount: number; fee: number; available: number; in_flight: number }

/** A live payout that stays open, for its operator says that it moved another amount. */
async function toldOtherwise({ installation, operator, clients, live }: World): Promise<Told> {
  const phone = `25677${String(Math.floor(installation.clock.nowMs())).slice(-7)}`
  operator.onQuestion({ answer: 'book', says: { amount: MOVED } }, phone)
  await clients.payout(live, 'live', phone)
  return untilThere(`the operator is asked about the payout to ${phone}`, async () => {
    installation.advance(LIVE_QUESTION_MS)
    return (await installation.sql<Told>(OPEN_PAYOUT, [phone]))[0]
  })
}
