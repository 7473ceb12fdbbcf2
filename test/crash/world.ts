import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Operator, startOperator } from '../fakes/operator.ts'
import { type FakeSupplier, startSupplier } from '../fakes/supplier.ts'
import type { Chance } from './chance.ts'
import { type Clients, makeClients } from './clients.ts'
import { type Installation, type Merchant, makeInstallation, type StartOptions } from './installation.ts'
import { openJournal } from './journal.ts'
import { type Judgement, judge } from './judge/judge.ts'
import { LIVE_PROGRAM, type Running } from './processes.ts'
import { JAMMING_MACHINE, MACHINE, REFUSED_PHONE, UNSERVED_PHONE } from './requests.ts'

/** An installation with its merchants, its clients, its operator, its supplier of machines, and their books. */
export type World = {
  installation: Installation
  clients: Clients
  operator: Operator
  supplier: FakeSupplier
  journalPath: string
  /** `shop` is paid at once; `held` waits a day; `live` is paid at once by the live rail and has machines; `payer` pays others. */
  shop: Merchant
  held: Merchant
  live: Merchant
  payer: Merchant
  end(): Promise<void>
}

const DRY_WITHIN_MS = 120_000
// Longer than every lease and than the time after which a key counts as orphaned.
const LEASES_MS = 31_000
/** After so long on the clock the operator is asked about what it has taken. */
export const LIVE_QUESTION_MS = 15_000
// With a restart they are longer than the lease of a claim too; alone they are shorter than the time in which a command has to leave.
const STEP_MS = 14_500
const STEPS = 2
const LOOK_MS = 50
const FUNDS = '100000000'
const CARDS = 50

export async function makeWorld(chance: Chance): Promise<World> {
  const supplier = await startSupplier()
  const installation = await makeInstallation({ SUPPLIER_ALLOW_PRIVATE: supplier.place })
  const operator = await startOperator()
  return peopled({ installation, operator, supplier }, chance).catch(async (error) => {
    await Promise.all([installation.end(), operator.close(), supplier.close()])
    throw error
  })
}

async function peopled(
  { installation, operator, supplier }: Pick<World, 'installation' | 'operator' | 'supplier'>,
  chance: Chance,
): Promise<World> {
  const [shop, held, live, payer] = await Promise.all([
    installation.merchant('crash-shop'),
    installation.merchant('crash-held'),
    installation.merchant('crash-live', ['--verified']),
    installation.merchant('crash-payer'),
  ])
  await Promise.all([
    installation.command(['sandbox', 'set', 'crash-held', '--hold', 'realistic']),
    installation.command(['merchants', 'set', 'crash-live', '--instant-settlement', 'true']),
    installation.command(['funds', 'add', 'crash-shop', '--amount', FUNDS]),
    installation.command(['funds', 'add', 'crash-payer', '--amount', FUNDS]),
    haveMachines(installation, live, supplier),
  ])
  operator.callsBackAt(`${installation.url}/inbound/op1`)
  operator.onSubmit({ answer: 'refuse' }, REFUSED_PHONE)
  operator.onSubmit({ answer: 'refuse to serve' }, UNSERVED_PHONE)
  const journalPath = join(installation.dataDir, '..', 'journal')
  const journal = openJournal(journalPath)
  const clients = makeClients({ installation, journal, chance, name: 'crash' })
  return {
    installation,
    clients,
    operator,
    supplier,
    journalPath,
    shop,
    held,
    live,
    payer,
    end: async () => {
      await installation.end()
      await Promise.all([operator.close(), supplier.close()])
      journal.close()
    },
  }
}

/** The merchant sells at machines of this supplier and refunds jams automatically. */
async function haveMachines(
  { command }: Installation,
  { handle }: Merchant,
  { access: { baseUrl, key, secret, shbh } }: FakeSupplier,
): Promise<void> {
  const reached = ['--base-url', baseUrl, '--key', key, '--secret', secret, '--shbh', shbh]
  const made = [
    await command(['merchants', 'set', handle, '--vending', 'true', '--auto-refund-on-jam', 'both']),
    await command(['vending', 'set', handle, ...reached]),
    await command(['machines', 'add', handle, '--machine', MACHINE]),
    await command(['machines', 'add', handle, '--machine', JAMMING_MACHINE]),
    await command(['funds', 'add', handle, '--amount', FUNDS]),
  ]
  const failed = made.find(({ code }) => code !== 0)
  if (failed) throw new Error(`machines of the world: ${failed.stderr}`)
}

/** Starts the service whose live rail talks to the fake operator. */
export const withLiveRail = ({ operator }: World, role: NonNullable<StartOptions['role']> = 'all'): StartOptions => ({
  role,
  program: { path: LIVE_PROGRAM, args: [operator.url, role] },
})

/** New live gift cards of one value for the customers of `live`. */
export async function issueCards(world: World, value: number): Promise<string[]> {
  const wanted = ['--value', String(value), '--quantity', String(CARDS)]
  const made = await world.installation.command(['gift-cards', 'issue', world.live.handle, ...wanted])
  if (made.code !== 0) throw new Error(`gift-cards issue: ${made.stderr}`)
  return made.json.cards.map(({ code }: { code: string }) => code)
}

/**
 * What follows a crash, in the order of reliability.md 4.1: every unanswered request is repeated with its key until
 * answered, background work runs dry, then all books are compared. A service must be running.
 */
export async function settleBooks(world: World): Promise<Judgement> {
  const { installation, clients, operator, supplier, journalPath } = world
  await passSteps(world)
  await clients.repeatUnanswered(DRY_WITHIN_MS)
  await runDry(world)
  return judge(installation, { journalPath, operator, supplier })
}

const COMMANDING = `select 1 from dispense_claims where state = 'commanding' and commanded_at > $1 limit 1`

/**
 * Moves the clock, unless the service is just commanding a machine: several steps would be more than the time in which a command has to
 * leave, and on a busy machine it would be refused. Answers whether it moved. A command of a dead service is older than a restart.
 */
export async function passTime({ installation }: World, ms: number): Promise<boolean> {
  const since = new Date(installation.clock.nowMs() - LEASES_MS).toISOString()
  if ((await installation.sql(COMMANDING, [since])).length > 0) return false
  installation.advance(ms)
  return true
}

async function passSteps(world: World): Promise<void> {
  for (let left = STEPS; left > 0; await sleep(LOOK_MS)) if (await passTime(world, STEP_MS)) left -= 1
}

/** Starts the service as usual after a crash. By then the leases of the dead processes have expired. */
export function restart(world: World, options: StartOptions = {}): Promise<Running> {
  world.installation.advance(LEASES_MS)
  return world.installation.startReady(options)
}

const LEFT = `select
  (select count(*)::int from charges where mode = 'test' and status in ('pending', 'authorized')) as "openTest",
  (select count(*)::int from charges where mode = 'live' and status in ('pending', 'authorized')
     and rail_reference = any($1)) as "openLive",
  (select count(*)::int from charges where mode = 'live' and status = 'pending' and voided_at is null) as "hiddenLive",
  (select count(*)::int from charges c join merchants m on m.id = c.merchant_id where c.mode = 'test'
     and c.settled_at is null and c.hold_until <= $2::timestamptz + m.test_clock_offset_ms * interval '1 ms') as unsettled,
  (select count(*)::int from payouts where mode = 'test' and status in ('pending', 'authorized')) as "openPayouts",
  (select count(*)::int from payouts where mode = 'live' and status in ('pending', 'authorized')
     and voided_at is null) as "openLivePayouts",
  (select count(*)::int from bulk_batches where lease_until is not null) as "openBatches",
  (select count(*)::int from schedules s join merchants m on m.id = s.merchant_id where s.status = 'active'
     and s.next_run_at <= $2::timestamptz + m.test_clock_offset_ms * interval '1 ms') as "dueCycles",
  (select count(*)::int from vending_orders o join payment_links l on l.merchant_id = o.merchant_id and l.id = o.id
     join charges c on c.merchant_id = l.merchant_id and c.id = l.charge_id
     where o.watched and c.status = 'succeeded') as "paidOrders",
  (select count(*)::int from dispense_claims where state in ('claimed', 'commanding') or reports_at <= $2) as "openClaims",
  (select count(*)::int from vending_orders where refund_due_at <= $2) as "dueJams",
  (select count(*)::int from deliveries where status = 'pending' and next_attempt_at is not null) as undelivered,
  (select count(*)::int from idempotency_keys where status is null)
    + (select count(*)::int from charges where not published and follow_at is not null) as "runningKeys"`

async function runDry(world: World): Promise<void> {
  const { installation, operator } = world
  const giveUpAt = performance.now() + DRY_WITHIN_MS
  for (let look = 1; ; look += 1) {
    const known = [...operator.movements().keys()]
    const [left = {}] = await installation.sql(LEFT, [known, installation.clock.now().toISOString()])
    if (Object.values(left).every((count) => count === 0)) return
    if (performance.now() > giveUpAt)
      throw new Error(`background work has not run dry in time: ${JSON.stringify(left)}`)
    // The operator is asked only after a certain time on the clock that the service follows.
    if (left.openLive + left.openLivePayouts > 0 && look % 6 === 0) await passTime(world, LIVE_QUESTION_MS)
    await sleep(LOOK_MS)
  }
}
