import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import { isCleanSoak } from './judge-soak.ts'
import { runSoak } from './run-soak.ts'

const seed = Number(process.env.SOAK_SEED ?? randomInt(1_000_000))

test(`live payments under random faults, kills, a stop past the lease and a switched contract, seed ${seed}`, async () => {
  const found = await runSoak({ charges: 300, payouts: 100, seed, kills: 2, stops: 1, say: () => {} })
  assert.ok(isCleanSoak(found), JSON.stringify(found))
  assert.deepEqual([found.verified, found.refused], [true, 0])
  assert.ok(found.succeeded > 300 && found.posts > 400, 'most payments went well, and some were posted again')
})
