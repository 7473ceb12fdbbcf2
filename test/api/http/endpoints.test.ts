import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { startSupplier } from '../../fakes/supplier.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { testIsolation } from './endpoints/isolation.ts'
import { testKeys } from './endpoints/keys.ts'
import { LISTS } from './endpoints/list-rows.ts'
import { testLists } from './endpoints/lists.ts'
import { testRefusals } from './endpoints/refusals.ts'
import { testReplays } from './endpoints/replays.ts'
import { ACTS, CREATES, EXCEPTIONS, ONES, OWNS } from './endpoints/rows.ts'
import { MOST_BESIDE, openWorld } from './endpoints/world.ts'
import { clockAtFirst } from './listed-rows.ts'

// What holds at every endpoint of the API. What is particular to one of them is in a file of its own.
const supplier = opened(() => startSupplier())
const env = () => ({ SUPPLIER_ALLOW_PRIVATE: supplier.place })
const service = openedAndVerified(() => startPayingService({ clock: clockAtFirst(), env: env() }))
const beside = opened(() =>
  startService({
    ...{ database: service.database, clock: service.clock, liveRails: { op1_momo: service.rail } },
    env: { ...env(), LIVE_HOLD_HOURS: '0', RATE_LIMIT_ALL: String(MOST_BESIDE) },
  }),
)
const world = made(() => openWorld(service, { beside, access: supplier.access }))

test('every endpoint of the description is in one of the tables, or is an exception with its reason', () => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
  const described = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const listed = [
    ...[...CREATES, ...ACTS].map(({ path }) => `POST ${path}`),
    ...[...ONES, ...OWNS, ...LISTS].map(({ path }) => `GET ${path}`),
    ...Object.keys(EXCEPTIONS),
  ]
  assert.deepEqual(listed.sort(), described.sort())
})

testIsolation(world)
testLists(world)
testRefusals(world)
testKeys(world)
testReplays(world)
