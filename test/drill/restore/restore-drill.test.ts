import assert from 'node:assert/strict'
import test from 'node:test'
import { type DrillWay, findHindrance } from './drill-server.ts'
import { drillRestore } from './restore-drill.ts'

const WAYS: Readonly<Record<DrillWay, string>> = {
  embedded: 'the embedded database',
  own: 'a server that waits for the stream of its WAL',
  pgbackrest: 'a server that pgBackRest backs up',
}

for (const [way, says] of Object.entries(WAYS) as [DrillWay, string][])
  test(`${says} is lost with its disk, and restored with everything that was acknowledged`, async (t) => {
    const hindrance = findHindrance(way)
    if (hindrance !== null) return t.skip(hindrance)
    const { figures, wrong } = await drillRestore({ way, payments: 40, fill: 0, seed: 7 })
    for (const [name, value] of Object.entries(figures)) t.diagnostic(`${name}: ${value}`)
    assert.deepEqual(wrong, [])
  })
