import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { movableClock } from '../../src/platform/clock.ts'
import { newId, uuidFor } from '../../src/platform/ids.ts'
import { type Attempt, deadlineIn, type Movement, type PayoutFailure } from '../../src/rails/rail.ts'
import { type Operator, startOperator } from '../fakes/operator.ts'
import { FIRST_INSTALLATION, type HttpRail, httpRail } from '../helpers/http-rail.ts'

// Two contracts with one operator: two platforms, neither of which knows the references of the other.
const SECOND = 'second contract'
const clock = movableClock()
let first: Operator
let second: Operator
let rail: HttpRail
before(async () => {
  first = await startOperator({ pays: 'when told' })
  second = await startOperator({ pays: 'when told' })
  rail = httpRail(first.url, clock)
  rail.addInstallation(SECOND, second.url)
})
after(async () => {
  await rail.close()
  await first.close()
  await second.close()
})

const soon = () => deadlineIn(5000)

function attemptAt(installation: string): Attempt {
  const publicId = newId('pout_', 'abcde')
  const facts = { reference: uuidFor(publicId), publicId, installation, phone: '256712345678' }
  return { ...facts, amount: 5000, currency: 'UGX', note: 'order 1', createdAt: clock.now() }
}

for (const side of ['collect', 'disburse'] as const) {
  const movement = () => rail[side] as Movement<PayoutFailure>

  test(`M1 ${side}: an attempt goes to the contract that it names, whichever one is active`, async () => {
    for (const [installation, at] of [
      [FIRST_INSTALLATION, first],
      [SECOND, second],
    ] as const) {
      const attempt = attemptAt(installation)
      assert.equal((await movement().submit(attempt, soon())).kind, 'accepted')
      assert.ok(at.book.has(attempt.reference))
      assert.equal((await movement().status(attempt, soon())).kind, 'pending')
      const elsewhere = installation === SECOND ? FIRST_INSTALLATION : SECOND
      const asked = await movement().status({ ...attempt, installation: elsewhere }, soon())
      assert.equal(asked.kind, 'not_found', 'the other platform has never seen it')
    }
  })

  test(`M1 ${side}: readiness names the active contract of this side, and answers for one that is named`, async () => {
    rail.activate(SECOND, side)
    const active = await rail.readiness(side, soon())
    assert.deepEqual(active.kind === 'ready' && active.installation, SECOND)
    rail.activate(FIRST_INSTALLATION, side)
    const again = await rail.readiness(side, soon())
    assert.deepEqual(again.kind === 'ready' && again.installation, FIRST_INSTALLATION)
    const named = await rail.readiness(side, soon(), SECOND)
    assert.deepEqual(named.kind === 'ready' && named.installation, SECOND)
  })

  test(`M1 ${side}: a contract that is no longer configured takes nothing and tells nothing`, async () => {
    const gone = attemptAt('a contract that nobody has configured')
    assert.equal((await rail.readiness(side, soon(), gone.installation)).kind, 'unavailable')
    assert.equal((await movement().submit(gone, soon())).kind, 'unavailable')
    assert.equal((await movement().status(gone, soon())).kind, 'unknown')
  })
}
