import assert from 'node:assert/strict'
import test from 'node:test'
import { drillCells } from './cells-drill.ts'

// The command holds to ten seconds. Here everything of the cluster shares two processors with other tests: payments must go on, whenever.
const BAR_SECONDS = 120

test('a cell moves and its node dies under payments: the other cell goes on, and no payment is lost or doubled', async (t) => {
  const report = await drillCells({ perSecond: 50, seed: 7, barSeconds: BAR_SECONDS })
  if (typeof report === 'string') return t.skip(report)
  for (const [name, value] of Object.entries(report.figures)) t.diagnostic(`${name}: ${value}`)
  assert.deepEqual(report.wrong, [])
})
