import { countKinds, type Fleet, newKey, postUntilJudged, type Race, type Reply, webOf } from './fleet.ts'
import {
  allEnded,
  availableOf,
  createCharges,
  haveAtLeast,
  haveExactly,
  isUnfunded,
  PAYOUT,
  SMALLEST_FEE,
} from './money.ts'
import { joined } from './several.ts'

const PAYOUTS = 100
const MONEY = 500_000
const AFFORDABLE = 49

/** Race 3: more payouts than there is money for: exactly as many are accepted as can be paid, and the rest of the money stays. */
export const payoutsOnOneBalance: Race = {
  name: '3  100 payouts of 10,000 on available 500,000',
  async run(fleet) {
    const { payer } = fleet.merchants
    await haveExactly(fleet, payer, MONEY)
    const replies = await Promise.all(Array.from({ length: PAYOUTS }, (_, nth) => pay(fleet, nth)))
    const accepted = replies.filter(({ status }) => status === 201).length
    const unfunded = replies.filter(isUnfunded).length
    const available = await availableOf(fleet, payer)
    const wrong: string[] = []
    if (accepted !== AFFORDABLE) wrong.push(`${accepted} accepted, ${AFFORDABLE} can be paid`)
    if (unfunded !== PAYOUTS - AFFORDABLE) wrong.push(`${unfunded} refused for want of money`)
    const left = MONEY - AFFORDABLE * (PAYOUT.amount + SMALLEST_FEE)
    if (available !== left) wrong.push(`available is ${available}, not ${left}`)
    return { wrong, seen: `${countKinds(replies)}; ${available} left` }
  },
}

function pay(fleet: Fleet, nth: number, amount = PAYOUT.amount): Promise<Reply> {
  const request = { path: '/v1/payouts', apiKey: fleet.merchants.payer.keys.test, key: newKey('paid') }
  return postUntilJudged(fleet, webOf(fleet, nth), { ...request, body: { ...PAYOUT, amount } })
}

const refund = (fleet: Fleet, nth: number, chargeId: string) =>
  postUntilJudged(fleet, webOf(fleet, nth), {
    path: `/v1/charges/${chargeId}/refund`,
    apiKey: fleet.merchants.payer.keys.test,
  })

/** Race 4: many refunds of one charge: one starts, the others are told that it has been refunded, and one payout exists. */
export const refundsOfOneCharge: Race = {
  name: '4  100 and 500 refunds of one charge',
  async run(fleet) {
    const verdicts = [await refundAtOnce(fleet, 100), await refundAtOnce(fleet, 500)]
    return joined(verdicts)
  },
}

async function refundAtOnce(fleet: Fleet, times: number) {
  const { payer } = fleet.merchants
  await haveAtLeast(fleet, payer, 100_000)
  const [chargeId = ''] = await createCharges(fleet, payer, 1)
  await allEnded(fleet, payer)
  const replies = await Promise.all(Array.from({ length: times }, (_, nth) => refund(fleet, nth, chargeId)))
  const started = replies.filter(({ status }) => status === 202).length
  const already = replies.filter(
    ({ status, text }) => status === 400 && JSON.parse(text).code === 'already_refunded',
  ).length
  const payouts = await fleet.installation.sql('select id from payouts where charge_id = $1', [chargeId])
  const wrong: string[] = []
  if (started !== 1) wrong.push(`${started} of ${times} refunds were started`)
  if (already !== times - 1) wrong.push(`${already} of ${times} heard that it was refunded`)
  if (payouts.length !== 1) wrong.push(`${payouts.length} payouts give the charge back`)
  return { wrong, seen: countKinds(replies) }
}

const ROUNDS = 10
const LARGE = 500_000
const COST_OF_LARGE = 505_000
// Each round takes at most two fees of it, so it lasts for all rounds and never suffices for a second payout.
const ASIDE = 400_000

/** Race 5: a refund and a payout with money for only one of them: exactly one is accepted, either of them. */
export const refundAgainstPayout: Race = {
  name: `5  refund against payout with money for one, ${ROUNDS} times`,
  async run(fleet) {
    await haveExactly(fleet, fleet.merchants.payer, ASIDE)
    const wrong: string[] = []
    let refunds = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const { passed, problems } = await oneOfTwo(fleet, round)
      wrong.push(...problems)
      if (passed === 'refund') refunds += 1
    }
    return { wrong, seen: `${refunds} refunds and ${ROUNDS - refunds} payouts passed` }
  },
}

async function oneOfTwo(fleet: Fleet, round: number): Promise<{ passed: string; problems: string[] }> {
  const { payer } = fleet.merchants
  const [chargeId = ''] = await createCharges(fleet, payer, 1, LARGE)
  await allEnded(fleet, payer)
  const have = await availableOf(fleet, payer)
  if (have < COST_OF_LARGE || have >= 2 * COST_OF_LARGE) throw new Error(`${have} is not the money for exactly one`)
  // The two take turns at being sent first.
  const both = [() => refund(fleet, round, chargeId), () => pay(fleet, round + 1, LARGE)]
  const asked = round % 2 === 0 ? both : both.reverse()
  const replies = await Promise.all(asked.map((ask) => ask()))
  const accepted = replies.filter(({ status }) => status === 201 || status === 202)
  const left = await availableOf(fleet, payer)
  const problems: string[] = []
  if (accepted.length !== 1) problems.push(`${accepted.length} of two passed with money for one`)
  if (replies.filter(isUnfunded).length !== 1) problems.push(`unexpected: ${countKinds(replies)}`)
  if (left !== have - COST_OF_LARGE) problems.push(`available went from ${have} to ${left}`)
  return { passed: accepted[0]?.status === 202 ? 'refund' : 'payout', problems }
}
