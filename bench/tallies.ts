import { rounded } from './figures.ts'
import { writeHistories } from './history.ts'
import { atMost } from './report.ts'
import type { BenchMerchant, Stage } from './stage.ts'

const MACHINES = 50
const TIMES = 5
const TALLIES = '/v1/vending/machines/tallies'

const ADD_MACHINES = `insert into machines (merchant_id, machine, name, created_at)
  select $1, 'M-' || n, 'Machine ' || n, now() - interval '2 years' from generate_series(0, $2::int - 1) n
  on conflict do nothing`
const NUMBERED = `select c.*, 'lnk_' || substr(id, 5) as link_id, 'M-' || abs(hashtext(id)) % $2::int as machine,
    status in ('succeeded', 'refunded') as paid
  from charges c where merchant_id = $1`
const ADD_LINKS = `insert into payment_links (merchant_id, id, mode, kind, amount, reference, allow_multiple_uses, charge_id,
    created_at, expires_at)
  select merchant_id, link_id, mode, 'order', amount, reference, false, id, created_at, created_at + interval '2 minutes'
  from (${NUMBERED}) c`
const ATTACH = `update charges set payment_link_id = 'lnk_' || substr(id, 5), pays_once = true where merchant_id = $1`
// Commanded and accepted. A report of the machine would add an event for each and change no figure of money.
const ADD_ORDERS = `insert into vending_orders (merchant_id, id, mode, machine, goods, vending_status, attempts, watched, created_at)
  select merchant_id, link_id, mode, machine, '[{"spbh":"1"}]', case when paid then 'dispensing' else 'pending' end,
    case when paid then 1 else 0 end, false, created_at
  from (${NUMBERED}) c`
const ADD_CLAIMS = `insert into dispense_claims (merchant_id, id, mode, charge_id, kind, order_id, machine, goods, attempt, state,
    claimed_at, commanded_at, answered_at, supplier_code)
  select merchant_id, 'dclm_' || substr(id, 5), mode, id, 'order', link_id, machine, '[{"spbh":"1"}]', 1, 'accepted',
    completed_at, completed_at, completed_at, '1'
  from (${NUMBERED}) c where paid`

/** Makes every charge of a merchant the payment of a vending order, as the product would have left it. */
export async function plantOrders({ db }: Pick<Stage, 'db'>, { id }: Pick<BenchMerchant, 'id'>): Promise<void> {
  await db.query(ADD_MACHINES, [id, MACHINES])
  await db.query(ADD_LINKS, [id, MACHINES])
  await db.query(ATTACH, [id])
  await db.query(ADD_ORDERS, [id, MACHINES])
  await db.query(ADD_CLAIMS, [id, MACHINES])
}

/** The tallies of 10,000 orders alone. */
export async function measureSmallTallies(stage: Stage, small: BenchMerchant) {
  await writeHistories(stage, [{ merchant: small, charges: 10_000 }])
  await plantOrders(stage, small)
  await stage.db.query('vacuum analyze')
  const tallies = { orders_10k_ms: await timeOf(stage, small) }
  stage.say(`tallies: ${tallies.orders_10k_ms} ms of 10,000 orders`)
  return { tallies, bars: [smallBar(tallies)] }
}

/** The tallies of two merchants with a past (bench/history.ts): 1,000,000 and 10,000 charges, each of them an order. */
export async function measureTallies(stage: Stage, { large, small }: { large: BenchMerchant; small: BenchMerchant }) {
  const startedAt = performance.now()
  for (const merchant of [large, small]) await plantOrders(stage, merchant)
  await stage.db.query('vacuum analyze')
  stage.say(`vending orders written in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  const tallies = { orders_1m_ms: await timeOf(stage, large), orders_10k_ms: await timeOf(stage, small) }
  stage.say(`tallies: ${tallies.orders_1m_ms} ms of 1,000,000 orders, ${tallies.orders_10k_ms} ms of 10,000`)
  return {
    tallies,
    bars: [atMost('tallies_1m_ms', 2000, tallies.orders_1m_ms), smallBar(tallies)],
  }
}

const smallBar = (tallies: { orders_10k_ms: number | null }) => atMost('tallies_10k_ms', 50, tallies.orders_10k_ms)

/** The median of several runs without the first, which reads from the disk what the others find in memory. */
async function timeOf({ driver, service }: Stage, { token }: BenchMerchant): Promise<number | null> {
  const asked = { port: service.port, connections: 1, tokens: [token], path: TALLIES }
  const warming = await driver.run({ ...asked, requests: 1 })
  if (warming.refusal !== null) throw new Error(`the tallies were refused: ${warming.refusal}`)
  return rounded((await driver.run({ ...asked, requests: TIMES })).p50Ms, 1)
}
