import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inThisRun } from '../helpers/parts.ts'
import { RACES, verifyAfter } from './all-races.ts'
import { type Fleet, type Race, startFleet } from './fleet.ts'
import { oneKeyOneBody } from './key-races.ts'
import { payoutsOnOneBalance } from './payout-races.ts'
import { dispensesOfOneCharge } from './vending-races.ts'

// One for charges, one for payouts, one for dispenses.
const SHORT: readonly Race[] = [oneKeyOneBody, payoutsOnOneBalance, dispensesOfOneCharge]

let fleet: Fleet
before(async () => {
  fleet = await startFleet()
})
after(() => fleet?.end())

for (const race of [...inThisRun(RACES, (race) => SHORT.includes(race)), verifyAfter])
  test(`race ${race.name.trim()}`, async () => {
    const { wrong, seen } = await race.run(fleet)
    assert.deepEqual(wrong, [], seen)
  })
