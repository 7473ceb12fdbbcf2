import { setTimeout as sleep } from 'node:timers/promises'
import { chargeFee } from '../../src/ledger/fees.ts'
import type { Merchant } from '../crash/installation.ts'
import { CHARGE, type Fleet, newKey, OUTCOME_MS, postUntilJudged, webOf } from './fleet.ts'

export const DONE_WITHIN_MS = 20_000
// The most that one collection may bring; after fees it takes two.
const ENOUGH_LIVE_MONEY = 5_000_000
const CHARGES_FOR_ENOUGH = 2
const QUESTION_MS = 6000
/** The fee of one payout of 1,000 to 13,333. */
export const SMALLEST_FEE = 200
const LARGEST_FEE = 5000

/** Waits until the query returns no rows. */
export async function until(fleet: Fleet, question: string): Promise<void> {
  const giveUpAt = performance.now() + DONE_WITHIN_MS
  while ((await fleet.installation.sql(question)).length > 0) {
    if (performance.now() > giveUpAt) throw new Error(`still there after 20 s: ${question}`)
    await sleep(20)
  }
}

/** Creates charges that will succeed, spread over the web processes; returns their ids. */
export async function createCharges(
  fleet: Fleet,
  merchant: Merchant,
  count: number,
  amount: number = CHARGE.amount,
): Promise<string[]> {
  const createOne = async (nth: number): Promise<string> => {
    const request = { apiKey: merchant.keys.test, key: newKey('made'), body: { ...CHARGE, amount } }
    const reply = await postUntilJudged(fleet, webOf(fleet, nth), request)
    if (reply.status !== 201) throw new Error(`a charge of the race was refused: ${reply.text}`)
    return JSON.parse(reply.text).id
  }
  return Promise.all(Array.from({ length: count }, (_, nth) => createOne(nth)))
}

const AVAILABLE = `select h.available::float8 as available from ledger_heads h join merchants m on m.id = h.merchant_id
  where m.handle = $1 and h.mode = $2`

export async function availableOf({ installation }: Fleet, merchant: Merchant, mode = 'test'): Promise<number> {
  const [row] = await installation.sql<{ available: number }>(AVAILABLE, [merchant.handle, mode])
  return row?.available ?? 0
}

/** Lets everything in progress in the merchant's test mode end. */
export async function allEnded(fleet: Fleet, { handle }: Merchant): Promise<void> {
  fleet.installation.advance(OUTCOME_MS)
  for (const table of ['charges', 'payouts'])
    await until(
      fleet,
      `select 1 from ${table} t join merchants m on m.id = t.merchant_id
       where m.handle = '${handle}' and t.mode = 'test' and t.status in ('pending', 'authorized')`,
    )
}

/** Lets everything end, then makes sure that the merchant has at least this much test money. */
export async function haveAtLeast(fleet: Fleet, merchant: Merchant, amount: number): Promise<void> {
  await allEnded(fleet, merchant)
  if ((await availableOf(fleet, merchant)) < amount) await haveExactly(fleet, merchant, 2 * amount)
}

/** Sets the merchant's test money to exactly this amount, with nothing in progress that could change it. */
export async function haveExactly(fleet: Fleet, merchant: Merchant, amount: number): Promise<void> {
  await allEnded(fleet, merchant)
  const have = await availableOf(fleet, merchant)
  if (have === amount) return
  if (have > amount) await payOut(fleet, merchant, have - LARGEST_FEE)
  else await createCharges(fleet, merchant, 1, grossOf(amount - have))
  return haveExactly(fleet, merchant, amount)
}

/** The amount a customer has to pay so that this is left after the fee: such an amount always exists. */
function grossOf(net: number): number {
  let gross = net
  while (gross - chargeFee(gross) < net) gross += net + chargeFee(gross) - gross
  return gross
}

async function payOut(fleet: Fleet, merchant: Merchant, amount: number): Promise<void> {
  const body = { ...PAYOUT, amount }
  const request = { path: '/v1/payouts', apiKey: merchant.keys.test, key: newKey('drain'), body }
  const reply = await postUntilJudged(fleet, webOf(fleet, 0), request)
  if (reply.status !== 201) throw new Error(`a payout of the race was refused: ${reply.text}`)
}

let phones = 0
/** A phone of a race's own: the operator can be told how to treat it. */
export const newPhone = () => `25677${String(process.pid % 100).padStart(2, '0')}${String(++phones).padStart(5, '0')}`

/** A payout that succeeds. */
export const PAYOUT = { amount: 10_000, recipient: { phone: '0700000000' } }

/** Whether this answer refuses the request because there is not enough money. */
export const isUnfunded = ({ status, text }: { status: number; text: string }) =>
  status === 400 && JSON.parse(text).code === 'insufficient_balance'

/** The only source of live money is a customer who paid. */
export async function earnLiveMoney(fleet: Fleet): Promise<void> {
  const { live } = fleet.merchants
  if ((await availableOf(fleet, live, 'live')) >= ENOUGH_LIVE_MONEY) return
  for (let nth = 0; nth < CHARGES_FOR_ENOUGH; nth += 1) {
    const body = { ...CHARGE, amount: ENOUGH_LIVE_MONEY }
    const request = { apiKey: live.keys.live, key: newKey('earned'), body }
    const { status, text } = await postUntilJudged(fleet, webOf(fleet, 0), request)
    if (status !== 201) throw new Error(`a live charge of the race was refused: ${text}`)
  }
  const giveUpAt = performance.now() + DONE_WITHIN_MS
  while ((await availableOf(fleet, live, 'live')) < ENOUGH_LIVE_MONEY) {
    if (performance.now() > giveUpAt) throw new Error('the live charge was not credited')
    // The operator is asked only after a certain time on this clock.
    fleet.installation.advance(QUESTION_MS)
    await sleep(100)
  }
}
