import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import { percentile, rounded } from './figures.ts'
import { writeHistories } from './history.ts'
import { readCpu } from './processes.ts'
import { isQuiet, watchMachine } from './quiet-seconds.ts'
import { atMost } from './report.ts'
import type { BenchMerchant, Stage } from './stage.ts'
import { plantOrders } from './tallies.ts'

/** How many merchants without payments of their own this takes. */
export const CALLED_ABOUT = 50
// Half of them are paid: 16,250 orders that wait for their machine.
const CHARGES_OF_EACH = 650
const CALLBACKS_A_SECOND = 200
const SECONDS = 20
// A service costs twice as much in its first seconds, and a tenth more until it has taken some ten thousand.
const COLD = { callbacks: 1000, aSecond: CALLBACKS_A_SECOND }
const WARMING = { callbacks: 11_000, aSecond: 500 }

const COMMANDED = `select o.merchant_id as "merchantId", o.id, o.machine, l.charge_id as "chargeId"
  from vending_orders o join payment_links l on (l.merchant_id, l.id) = (o.merchant_id, o.id)
    join charges c on (c.merchant_id, c.id) = (l.merchant_id, l.charge_id)
  where o.merchant_id = any($1) and o.vending_status = 'dispensing' and c.status = 'succeeded' order by md5(o.id)`
// An outcome leaves all of these rows, so the smallest count is the number of outcomes.
const RECORDED = `select least(
  (select count(*) from vending_orders where id = any($1) and vending_status = 'dispensed' and confirmed and units_dispensed = 1),
  (select count(*) from dispense_claims where order_id = any($1) and state = 'delivered'),
  (select count(*) from vendor_callbacks where order_id = any($1) and outcome = 'dispensed'),
  (select count(*) from events where subject = any($1) and type = 'vending.dispensed'))::int as recorded`

type Commanded = { merchantId: number; id: string; machine: string; chargeId: string }

/**
 * Callbacks of machine suppliers at a steady 200 a second, each about another order: the time from the moment each was due
 * to its answer, which comes after the commit of the outcome.
 */
export async function measureCallbacks(stage: Stage, merchants: readonly BenchMerchant[]) {
  await writeHistories(
    stage,
    merchants.map((merchant) => ({ merchant, charges: CHARGES_OF_EACH })),
  )
  for (const merchant of merchants) await plantOrders(stage, merchant)
  const secrets = new Map<number, string>()
  for (const merchant of merchants) secrets.set(merchant.id, await makeSecret(stage, merchant))
  await stage.db.query('vacuum analyze')
  await stage.db.query('checkpoint')
  const total = CALLBACKS_A_SECOND * SECONDS
  const before = COLD.callbacks + WARMING.callbacks
  const ids = merchants.map(({ id }) => id)
  const orders = (await stage.db.query<Commanded>(COMMANDED, [ids])).rows.slice(0, before + total)
  if (orders.length < before + total) throw new Error(`only ${orders.length} orders wait for their machine`)
  const bodies = orders.map((order) => callbackOf(order, secrets.get(Number(order.merchantId)) ?? ''))
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const cold = readCpu(stage)
  await steadily(stage, agent, { bodies: bodies.slice(0, COLD.callbacks), aSecond: COLD.aSecond })
  const coldMs = cpuOfEach(cold(), COLD.callbacks)
  await steadily(stage, agent, {
    bodies: bodies.slice(COLD.callbacks, before),
    aSecond: WARMING.aSecond,
  })
  const cpu = readCpu(stage)
  const watch = watchMachine(stage)
  const answers = await steadily(stage, agent, { bodies: bodies.slice(before), aSecond: CALLBACKS_A_SECOND })
  const seconds = watch.stop()
  const used = cpu()
  agent.destroy()
  await assertRecorded(stage, orders)
  const disturbed = seconds.filter((second) => !isQuiet(second))
  const quiet = answers.filter(({ due }) => !disturbed.some(({ at }) => due >= at && due < at + 1000))
  const times = timesOf(answers)
  const quietTimes = timesOf(quiet)
  const { server, postgres, sum } = cpuOfEach(used, times.length)
  const callbacks = {
    callbacks_a_second: CALLBACKS_A_SECOND,
    callbacks: times.length,
    p50_ms: rounded(percentile(times, 0.5), 2),
    p99_ms: rounded(percentile(times, 0.99), 2),
    worst_ms: rounded(times.at(-1) ?? null, 2),
    quiet_p99_ms: rounded(quietTimes.length === 0 ? null : percentile(quietTimes, 0.99), 2),
    quiet_callbacks: quietTimes.length,
    disturbed_seconds: disturbed,
    cpu_ms_server: rounded(server),
    cpu_ms_postgres: rounded(postgres),
    cpu_ms: rounded(sum),
    cold_cpu_ms: rounded(coldMs.sum),
  }
  stage.say(
    `callbacks: p50 ${callbacks.p50_ms} ms, p99 ${callbacks.p99_ms} ms at ${CALLBACKS_A_SECOND}/s, all recorded; ` +
      `${callbacks.quiet_p99_ms} ms without ${disturbed.length} seconds in which the machine did other things; ${callbacks.cpu_ms} ms CPU each, cold ${callbacks.cold_cpu_ms}`,
  )
  return {
    callbacks,
    bars: [
      atMost('callback_p99_ms_in_quiet_seconds', 20, callbacks.quiet_p99_ms),
      atMost('callback_cpu_ms', 2.5, callbacks.cpu_ms),
    ],
  }
}

/** A callback's due time, and how long after it the answer came. */
type Answered = { due: number; ms: number }

const timesOf = (answers: readonly Answered[]) => answers.map(({ ms }) => ms).sort((a, b) => a - b)

/** Milliseconds of processor time of one callback; null where the machine does not tell. */
function cpuOfEach({ server, postgres }: ReturnType<ReturnType<typeof readCpu>>, callbacks: number) {
  const each = (value: number | null) => (value === null ? null : (value * 1000) / callbacks)
  const [ofServer, ofPostgres] = [each(server), each(postgres)]
  const sum = ofServer === null || ofPostgres === null ? null : ofServer + ofPostgres
  return { server: ofServer, postgres: ofPostgres, sum }
}

const now = () => Math.floor(performance.timeOrigin + performance.now())

async function makeSecret({ service }: Stage, { token }: BenchMerchant): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${service.port}/v1/vending/dispense-secret`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-timestamp': String(Math.floor(now() / 1000)) },
  })
  const { secret } = (await response.json()) as { secret?: string }
  if (secret === undefined) throw new Error(`no dispense secret was made: ${response.status}`)
  return secret
}

/** The bytes that a supplier would post, signed as the page for machine makers says. */
function callbackOf({ id, machine, chargeId }: Commanded, secret: string): string {
  // Sorted by name, as they are signed.
  const signed = { ddbh: id, dsfjybh: chargeId, jqbh: machine, status: '1', tkje: '0' }
  const base = Object.entries(signed).map(([name, value]) => `${name}=${value}`)
  const timestamp = String(now())
  const sign = createHash('md5')
    .update(secret + timestamp + base.join('&'))
    .digest('hex')
  return JSON.stringify({ ...signed, timestamp, splist: [{ spbh: '1', chsl: 1 }], sign })
}

/** Sends callbacks at a steady pace, however long the answers take. */
async function steadily(
  stage: Stage,
  agent: Agent,
  { bodies, aSecond }: { bodies: readonly string[]; aSecond: number },
): Promise<Answered[]> {
  const startedAt = performance.now()
  const sent: Promise<Answered>[] = []
  for (const [index, body] of bodies.entries()) {
    const due = startedAt + (index * 1000) / aSecond
    // Never before it is due: a late timer counts as latency, an early one would hide latency.
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    sent.push(send(stage, agent, body).then((at) => ({ due, ms: at - due })))
  }
  return Promise.all(sent)
}

/** Posts one callback. Answers with the time of its answer. */
function send({ service }: Stage, agent: Agent, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const options = { port: service.port, host: '127.0.0.1', path: '/inbound/vendor/dispense-result' }
    const sent = request({ ...options, method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => {
        const at = performance.now()
        if (response.statusCode === 200 && JSON.parse(text).code === '1') resolve(at)
        else reject(new Error(`a callback was answered ${response.statusCode} ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function assertRecorded({ db }: Stage, orders: readonly Commanded[]): Promise<void> {
  const { recorded } = (await db.query(RECORDED, [orders.map(({ id }) => id)])).rows[0]
  if (recorded !== orders.length) throw new Error(`${orders.length} callbacks were taken and ${recorded} recorded`)
}
