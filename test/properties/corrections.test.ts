import assert from 'node:assert/strict'
import { askAdjustment } from '../../src/operations/approvals/adjustment.ts'
import { approve } from '../../src/operations/reconciliation/approve.ts'
import { contradicted } from '../helpers/payments/approving.ts'
import { startPayingService } from '../helpers/payments/payouts.ts'
import { availableOf } from '../helpers/payments/schedules.ts'
import { operator } from '../helpers/service/actors.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { testFor } from '../helpers/service/parts.ts'

// Any history of corrections keeps the sums of the ledger, which `verify` compares at the end of the file.
const service = openedAndVerified(() => startPayingService())
const [ASKS, APPROVES] = [operator('finance', 60_001), operator('admin', 60_002)]
const STEPS = 40
const FUNDS = 20_000

/** The same numbers each run: a failure can be looked at again. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
}

for (const seed of [1, 2, 3])
  testFor(seed === 1)(
    `corrections in and out against every account keep the balance that they say (${seed})`,
    async () => {
      const draw = numbers(seed)
      const { live, merchantId, exception } = await contradicted(service, FUNDS)
      let available = FUNDS
      const against = { rail: 0, fees: 0, adjustments: 0 }
      for (let step = 0; step < STEPS; step += 1) {
        const direction = draw(2) === 0 ? ('in' as const) : ('out' as const)
        const account = (['rail', 'fees', 'adjustments'] as const)[draw(3)] ?? 'rail'
        const amount = 1 + draw(15_000)
        const wanted = {
          exception,
          direction,
          against: account,
          amount,
          told: 'a correction',
          reason: 'a test',
        }
        const { id } = await askAdjustment(service.gateway, ASKS, { ...wanted, resolve: false } as const)
        if (direction === 'out' && amount > available) {
          await assert.rejects(approve(service.gateway, APPROVES, { id }), { code: 'insufficient_funds' })
          await service.rows(
            `update approvals set status = 'rejected', decided_by = $2, decided_name = 'x', decided_at = asked_at where id = $1`,
            [id, APPROVES.personId],
          )
          continue
        }
        await approve(service.gateway, APPROVES, { id })
        available += direction === 'in' ? amount : -amount
        against[account] += direction === 'in' ? amount : -amount
      }
      assert.equal(await availableOf(live), available)
      const rows = await service.rows<{ account: keyof typeof against; sum: number }>(
        `select split_part(case kind when 'correction_in' then debit else credit end, ':', 1) as account,
         sum(case kind when 'correction_in' then amount else -amount end)::int as sum
       from transfers where merchant_id = $1 and kind like 'correction%' group by 1`,
        [merchantId],
      )
      assert.deepEqual(
        {
          ...{ rail: 0, fees: 0, adjustments: 0 },
          ...Object.fromEntries(rows.map(({ account, sum }) => [account, sum])),
        },
        against,
      )
      const [pause] = await service.rows(
        `select payouts_paused_by is not null as paused from ledger_heads where merchant_id = $1 and mode = 'live'`,
        [merchantId],
      )
      assert.deepEqual(pause, { paused: true }, 'what does not resolve the exception lifts no pause')
    },
  )
