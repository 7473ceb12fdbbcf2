import assert from 'node:assert/strict'
import test from 'node:test'
import { drillFailover } from './failover-drill.ts'
import type { FaultName } from './faults.ts'
import { findHindrance } from './programs.ts'

const FAULTS: readonly FaultName[] = ['kill', 'freeze', 'switch', 'cut', 'etcd', 'twice', 'gone']

// The command holds to two seconds. Here everything of the cluster shares two processors with other tests: payments must go on, whenever.
const BAR_SECONDS = 120

test('a standby takes over from a primary that is killed, frozen, cut off or told to, and no payment is lost or doubled', async (t) => {
  const hindrance = findHindrance()
  if (hindrance !== null) return t.skip(hindrance)
  const { figures, wrong } = await drillFailover({ faults: FAULTS, perSecond: 50, seed: 7, barSeconds: BAR_SECONDS })
  for (const [name, value] of Object.entries(figures)) t.diagnostic(`${name}: ${value}`)
  assert.deepEqual(wrong, [])
})
