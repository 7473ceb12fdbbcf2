import assert from 'node:assert/strict'
import test from 'node:test'
import { movableClock } from '../../src/platform/time/clock.ts'
import { startOperator } from '../fakes/operator.ts'
import { FIRST_INSTALLATION, httpRail } from '../helpers/service/http-rail.ts'
import { opened } from '../helpers/service/opened.ts'
import { attemptAt, EACH_SIDE, movementOf, soon } from './rail-attempts.ts'

// Two contracts with one operator: two platforms, neither of which knows the references of the other.
const SECOND = 'second contract'
const clock = movableClock()
const first = opened(() => startOperator({ pays: 'when told' }))
const second = opened(() => startOperator({ pays: 'when told' }))
const rail = opened(async () => {
  const joined = httpRail(first.url, clock)
  joined.addInstallation(SECOND, second.url)
  return joined
})

for (const side of EACH_SIDE) {
  const movement = () => movementOf(rail, side)

  test(`M1 ${side}: an attempt goes to the contract that it names, whichever one is active`, async () => {
    for (const [installation, at] of [
      [FIRST_INSTALLATION, first],
      [SECOND, second],
    ] as const) {
      const attempt = attemptAt(clock, { installation })
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
    const gone = attemptAt(clock, { installation: 'a contract that nobody has configured' })
    assert.equal((await rail.readiness(side, soon(), gone.installation)).kind, 'unavailable')
    assert.equal((await movement().submit(gone, soon())).kind, 'unavailable')
    assert.equal((await movement().status(gone, soon())).kind, 'unknown')
  })
}
