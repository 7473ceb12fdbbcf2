import assert from 'node:assert/strict'
import test from 'node:test'
import { drillGrowing } from './growing-drill.ts'

test('the guide of clusters holds when its blocks are followed with passwords and TLS, under payments', async (t) => {
  const report = await drillGrowing({ perSecond: 20, seed: 7 })
  if (typeof report === 'string') return t.skip(report)
  for (const [name, value] of Object.entries(report.figures)) t.diagnostic(`${name}: ${value}`)
  assert.deepEqual(report.wrong, [])
})
