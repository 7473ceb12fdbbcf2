import { countKinds, type Fleet, newKey, postUntilJudged, type Race, sendTo, webOf } from './fleet.ts'
import { allEnded, availableOf } from './money.ts'

const ASKED = 30
const FITTING = 5
const AMOUNT = 10 ** 9
const FEE = 5000
// The most a balance may hold: 10^14 below the largest safe integer, as a reserve for amounts that are not counted in advance.
const MOST = Number.MAX_SAFE_INTEGER - 10 ** 14

/** Charges near the limit of a balance, in all processes at once: only as many are accepted as fit, and all of them pay (C20). */
export const chargesNearTheEnd: Race = {
  name: `C20 ${ASKED} charges on a balance with room for ${FITTING}`,
  async run(fleet) {
    const rich = await fleet.installation.merchant(newKey('rich').toLowerCase())
    await give(fleet, rich.handle, MOST - FITTING * AMOUNT)
    const apiKey = rich.keys.test
    const body = { amount: AMOUNT, channel: 'op1_momo', customer: { phone: '0700000000' } }
    const replies = await Promise.all(
      Array.from({ length: ASKED }, (_, nth) =>
        postUntilJudged(fleet, webOf(fleet, nth), { apiKey, key: newKey('near'), body }),
      ),
    )
    await allEnded(fleet, rich)
    const accepted = replies.filter(({ status }) => status === 201).length
    const refused = replies.filter(
      ({ status, text }) => status === 400 && JSON.parse(text).code === 'amount_too_large',
    ).length
    const wrong: string[] = []
    if (accepted !== FITTING) wrong.push(`${accepted} accepted, ${FITTING} fit`)
    if (refused !== ASKED - FITTING) wrong.push(`unexpected: ${countKinds(replies)}`)
    const available = await availableOf(fleet, rich)
    if (available !== MOST - FITTING * FEE) wrong.push(`available is ${available}`)
    const read = await sendTo(fleet, webOf(fleet, 0), { method: 'GET', path: '/v1/balance', apiKey })
    if (read.status !== 200) wrong.push(`the balance answers ${read.status}`)
    return { wrong, seen: countKinds(replies) }
  },
}

/** Test money, added with a transfer: no command adds this much at once. */
async function give({ installation }: Fleet, handle: string, amount: number): Promise<void> {
  await installation.sql(
    `with head as (
       update ledger_heads h set available = $2, seq = 1 from cell_0.merchants m
       where m.handle = $1 and h.merchant_id = m.id and h.mode = 'test' returning h.merchant_id)
     insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
     select merchant_id, 'test', 1, 'test_funds', 'fund_large', 'sandbox', 'available', $2, $3 from head`,
    [handle, amount, installation.clock.now().toISOString()],
  )
}
