import assert from 'node:assert/strict'
import test from 'node:test'
import { stillClock } from '../api/rate-limits/still-clock.ts'
import { payNew, queueBulk, richShop, startPayingService } from '../helpers/payments/payouts.ts'
import { FIRST_INSTALLATION } from '../helpers/service/http-rail.ts'
import type { Shop } from '../helpers/service/live-service.ts'
import { openedAndVerified, prepare } from '../helpers/service/opened.ts'

const SECOND = 1000
const STEP_MS = 25
const PER_SECOND = 8

const service = openedAndVerified(() => startPayingService({ clock: stillClock() }))
let large: Shop
let small: Shop
prepare(async () => {
  large = await richShop(service, 1_000_000)
  small = await richShop(service)
  service.rail.limit(PER_SECOND)
})

async function follow(seconds: number, sweeps: readonly string[]): Promise<string[]> {
  const before = service.operator.journal.length
  for (let ms = 0; ms < seconds * SECOND; ms += STEP_MS) {
    for (const sweep of sweeps) await service.run(sweep)
    service.pass(STEP_MS)
  }
  const asked = service.operator.journal.slice(before).filter(({ what }) => what === 'question')
  return asked.map(({ reference }) => service.operator.book.get(reference)?.external_id ?? '')
}

test('72: payouts are asked about within the budget, merchants in turn, and a payroll is sent whatever the bucket holds', async () => {
  const phones = Array.from({ length: 80 }, (_, nth) => `2567002${String(nth).padStart(5, '0')}`)
  const ids = await queueBulk(large, phones)
  const bucket = await service.app.statusBudget.takeTurn(FIRST_INSTALLATION, [0], 1)
  assert.equal(bucket.count, 1, 'the bucket is empty')
  for (let run = 0; run < 10; run += 1) await service.run('send-payouts')
  const sent = service.rail.submitted.filter(({ publicId }) => ids.includes(publicId)).length
  assert.equal(sent, 80)
  const lone = (await payNew(small.live)).body.id as string
  service.pass(6 * SECOND)
  const asked = await follow(8, ['send-payouts'])
  assert.ok(asked.length >= 60 && asked.length <= 66, `${asked.length} questions in 8 seconds`)
  assert.ok(asked.slice(0, 16).includes(lone), 'the one of the other merchant was among the first')
  for (const id of [...ids, lone]) service.operator.pays(id)
  const statuses = async () =>
    service.rows(`select 1 from payouts where status <> 'succeeded' and id = any($1)`, [[...ids, lone]])
  for (let round = 0; round < 10 && (await statuses()).length > 0; round += 1) {
    service.pass(20 * SECOND)
    await follow(5, ['send-payouts'])
  }
  assert.deepEqual(await statuses(), [])
})
