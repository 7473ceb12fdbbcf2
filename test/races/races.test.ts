import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RACES, verifyAfter } from './all-races.ts'
import { type Fleet, startFleet } from './fleet.ts'

let fleet: Fleet
before(async () => {
  fleet = await startFleet()
})
after(() => fleet?.end())

for (const race of [...RACES, verifyAfter])
  test(`race ${race.name.trim()}`, async () => {
    const { wrong, seen } = await race.run(fleet)
    assert.deepEqual(wrong, [], seen)
  })
