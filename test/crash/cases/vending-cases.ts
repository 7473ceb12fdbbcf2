import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../../../src/platform/mode.ts'
import { callbackOf, postCallback } from '../../fakes/supplier-callbacks.ts'
import { type ClaimRow, commandsFor, vendingRows } from '../judge/judge-orders.ts'
import { paidCharges } from '../paid-charges.ts'
import { post } from '../post.ts'
import { GOODS, JAMMING_MACHINE, MACHINE } from '../requests.ts'
import { serving, victim } from '../serving.ts'
import { killedBy } from '../victims.ts'
import { passTime, settleBooks, type World } from '../world.ts'

const PRICE = 4000
const ORDERS = 3
const LOOK_MS = 200
const QUESTION_MS = 6000
// After this and a restart, the key of a dead direct dispense counts as orphaned and the lease of a refund is over.
const LONGER_MS = 31_000
const ACCEPTED = '1'

/** Test orders: payments and machines are simulated. */
export const onTestOrders = (world: World, crashPoint: string): Promise<string[]> =>
  dieOverOrders(world, { crashPoint, mode: 'test' })

/** Live orders: the machines are commanded through the merchant's own supplier. */
export const onLiveOrders = (world: World, crashPoint: string): Promise<string[]> =>
  dieOverOrders(world, { crashPoint, mode: 'live' })

async function dieOverOrders(
  world: World,
  { crashPoint, mode }: { crashPoint: string; mode: Mode },
): Promise<string[]> {
  const { clients, live: merchant } = world
  const running = await victim(world, 'with live rail', crashPoint)
  const orders = await newOrders(world, { mode, machine: MACHINE })
  const paying = clients.payOrders({ merchant, mode, orders })
  const wrong = await asTimePasses(world, killedBy(running, crashPoint, [paying]))
  if (wrong.length > 0) return wrong
  return withNext(world, async () => {
    const claims = (await vendingRows(world.installation)).claims
    return endBy(
      world,
      crashPoint,
      claims.filter(({ order_id }) => orders.includes(order_id)),
    )
  })
}

/** The merchant spends charges of its own on dispenses; unanswered keys are repeated until they are answered. */
export async function onDirectDispense(world: World, crashPoint: string): Promise<string[]> {
  const charges = await unspentCharges(world, ORDERS)
  const running = await victim(world, 'with live rail', crashPoint)
  const spent = charges.map((id) => world.clients.dispense(world.live, 'live', id))
  const wrong = await killedBy(running, crashPoint, spent)
  if (wrong.length > 0) return wrong
  world.installation.advance(LONGER_MS)
  return withNext(world, async () => endBy(world, crashPoint, await standingOf(world, charges)))
}

/** Machines report while the process that receives the reports dies; the supplier sends each report again until it is accepted. */
export async function onCallback(world: World, crashPoint: string): Promise<string[]> {
  const { installation, clients, live: merchant } = world
  const [direct = ''] = await unspentCharges(world, 1)
  let claims: ClaimRow[] = []
  await withNext(world, async () => {
    const orders = await newOrders(world, { mode: 'live', machine: MACHINE })
    await clients.payOrders({ merchant, mode: 'live', orders })
    await clients.dispense(merchant, 'live', direct)
    await settleBooks(world)
    const all = (await vendingRows(installation)).claims
    claims = all.filter(({ order_id, charge_id }) => orders.includes(order_id) || charge_id === direct)
    return []
  })
  const reports = claims.map((claim) => reportOf(world, claim))
  const running = await victim(world, 'with live rail', crashPoint)
  const sent = reports.map((report) => postCallback(installation.url, report).catch(() => null))
  const wrong = await killedBy(running, crashPoint, sent)
  if (claims.length < ORDERS + 1) wrong.push(`only ${claims.length} machines were told`)
  if (wrong.length > 0) return wrong
  return withNext(world, async () => takeReports(world, claims, reports))
}

/** Simulated machines jam, and the process dies while it holds the refunds that it claimed. */
export async function onJamRefund(world: World, crashPoint: string): Promise<string[]> {
  const { installation, clients, live: merchant } = world
  const running = await victim(world, 'with live rail', crashPoint)
  const orders = await newOrders(world, { mode: 'test', machine: JAMMING_MACHINE })
  const paying = clients.payOrders({ merchant, mode: 'test', orders })
  const wrong = await asTimePasses(world, killedBy(running, crashPoint, [paying]))
  if (wrong.length > 0) return wrong
  installation.advance(LONGER_MS)
  return withNext(world, async () => {
    const refunds = await installation.sql(REFUNDS, [orders])
    return refunds.flatMap(({ id, status, times }) =>
      status === 'refunded' && times === 1 ? [] : [`${id}: a jam, ${status}, ${times} refunds`],
    )
  })
}

const REFUNDS = `select o.id, c.status, (select count(*)::int from payouts p where p.merchant_id = c.merchant_id
    and p.charge_id = c.id and p.voided_at is null) as times
  from vending_orders o join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id
  join charges c on c.merchant_id = l.merchant_id and c.id = l.charge_id
  where o.id = any($1) and o.vending_status = 'failed' and o.confirmed`

/** Starts the next process, which first finishes everything left over. */
async function withNext(world: World, work: () => Promise<string[]>): Promise<string[]> {
  await serving(world, 'with live rail')
  await settleBooks(world)
  return work()
}

/** Moves the clock: operators are asked and machines report as time passes. */
async function asTimePasses<T>(world: World, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const passing = async () => {
    for (; !over.signal.aborted; await sleep(LOOK_MS)) await passTime(world, QUESTION_MS)
  }
  const time = passing()
  try {
    return await work
  } finally {
    over.abort()
    await time
  }
}

async function newOrders(
  { installation, live }: World,
  { mode, machine }: { mode: Mode; machine: string },
): Promise<string[]> {
  const makeOne = async () => {
    const body = { machine, amount: PRICE, goods: GOODS }
    const response = await post(installation, '/v1/vending/orders', { apiKey: live.keys[mode], body })
    const text = await response.text()
    if (response.status !== 201) throw new Error(`a vending order was refused: ${text}`)
    return JSON.parse(text).order_id as string
  }
  return Promise.all(Array.from({ length: ORDERS }, makeOne))
}

/** Paid live charges of the merchant that have not been spent yet. */
async function unspentCharges(world: World, count: number): Promise<string[]> {
  const unspent = await paidCharges(world, {
    ...{ merchant: world.live, mode: 'live', count, columns: 'c.id' },
    where: `c.payment_link_id is null
      and not exists (select 1 from dispense_claims k where k.merchant_id = c.merchant_id and k.charge_id = c.id)`,
  })
  return unspent.map(({ id }) => id)
}

/** The claims that these charges are currently spent on. */
async function standingOf({ installation }: World, charges: readonly string[]): Promise<ClaimRow[]> {
  const { claims } = await vendingRows(installation)
  return claims.filter(({ charge_id, state }) => charges.includes(charge_id) && state !== 'released')
}

/** Checks how the next process handled the crash at this point; then every machine that was commanded reports. */
async function endBy(world: World, crashPoint: string, claims: ClaimRow[]): Promise<string[]> {
  const [point = ''] = crashPoint.split(':')
  const wrong = claims.length === 0 ? ['nothing was paid'] : WHAT_FOLLOWS[point]?.(world, claims)
  if (wrong === undefined) throw new Error(`nobody has said what follows ${point}`)
  const twice = claims.filter(({ charge_id }) => commandsFor(world.supplier, charge_id) > 1)
  wrong.push(...twice.map(({ charge_id }) => `${charge_id}: commanded more than once`))
  const reports = claims.map((claim) => reportOf(world, claim))
  return [...wrong, ...(await takeReports(world, claims, reports))]
}

type Follows = (world: World, claims: ClaimRow[]) => string[]
const saysHowMany = (claims: ClaimRow[]) => claims.map(({ id, state }) => `${id} is ${state}`).join()

const WHAT_FOLLOWS: Record<string, Follows> = {
  // Nothing had been sent, so the next process sends every command.
  'dispense.claimed': (_, claims) =>
    claims.every(({ state }) => state === 'accepted') ? [] : [`not sent by the next process: ${saysHowMany(claims)}`],
  // Nobody can know whether the command was sent: it is in doubt, and none is sent again.
  'dispense.commanded': (world, claims) => inDoubt(world, claims, 0),
  'dispense.answered': (world, claims) => inDoubt(world, claims, 1),
  'dispense.recorded': (_, claims) =>
    claims.some(({ state }) => state === 'accepted') ? [] : [`nothing accepted: ${saysHowMany(claims)}`],
}

function inDoubt({ supplier }: World, claims: ClaimRow[], arrived: number): string[] {
  const doubtful = claims.filter(({ state }) => state === 'ambiguous')
  const ofLive = doubtful.filter(({ mode }) => mode === 'live')
  if (doubtful.length === 0) return [`nothing is in doubt: ${saysHowMany(claims)}`]
  if (ofLive.length === 0 || ofLive.some(({ charge_id }) => commandsFor(supplier, charge_id) === arrived)) return []
  return [`the supplier was told otherwise than ${arrived} times`]
}

/** The machine's report for this claim, signed by its supplier, or in test mode with the merchant's key. */
function reportOf({ installation, supplier, live }: World, claim: ClaimRow) {
  return callbackOf('done', {
    at: Math.floor(installation.clock.nowMs()),
    secret: claim.mode === 'live' ? supplier.access.secret : live.keys.test,
    machine: MACHINE,
    orderId: claim.order_id,
    chargeId: claim.charge_id,
    goods: GOODS,
  })
}

const TOLD = `select k.id, count(*) filter (where v.outcome = 'dispensed')::int as taken, count(*)::int as kept,
    coalesce(k.vending_status, max(o.vending_status)) as status, k.state
  from dispense_claims k left join vendor_callbacks v on v.merchant_id = k.merchant_id and v.charge_id = k.charge_id
  left join vending_orders o on o.merchant_id = k.merchant_id and o.id = k.order_id
  where k.id = any($1) group by k.merchant_id, k.id`

/** Each report is sent twice and counted once; that it has only one event is judged with all other events. */
async function takeReports(
  { installation }: World,
  claims: readonly ClaimRow[],
  reports: readonly ReturnType<typeof reportOf>[],
): Promise<string[]> {
  const answers = await Promise.all([...reports, ...reports].map((report) => postCallback(installation.url, report)))
  const refused = answers.find(({ status, body }) => status !== 200 || body?.code !== ACCEPTED)
  const wrong = refused ? [`a report was answered ${refused.status} ${refused.text}`] : []
  const told = await installation.sql(TOLD, [claims.map(({ id }) => id)])
  for (const { id, taken, kept, status, state } of told)
    if (taken !== 1 || kept !== 1 || status !== 'dispensed' || state !== 'delivered')
      wrong.push(`${id}: ${status}, its claim ${state}, ${taken} of ${kept} reports were taken`)
  return wrong
}
