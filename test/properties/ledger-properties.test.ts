import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import fc from 'fast-check'
import { chargeFee } from '../../src/ledger/fees.ts'
import { addTestFunds } from '../../src/ledger/test-funds.ts'
import type { Mode } from '../../src/platform/mode.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import {
  assertVerified,
  type LiveService,
  newPayer,
  type Shop,
  startLiveService,
} from '../helpers/service/live-service.ts'
import { longTest, sized, test } from '../helpers/service/parts.ts'
import { OUT_SHOPS, stepOut } from '../operations/verify/histories-out.ts'
import { booksOf, newPayerShop, type Payer, playOut, sweep } from '../operations/verify/play-out.ts'

let service: LiveService
before(async () => {
  service = await startLiveService({
    // The histories pay every amount in both modes alike.
    env: {
      ...{ SANDBOX_OUTCOME_SECONDS: '2', TEST_HOLD_SECONDS: '0' },
      ...{ RAIL_COLLECT_MIN: '1', RAIL_PAYOUT_MIN: '1' },
    },
  })
})
after(() => service.close())

const SHOPS = 3
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SWEEPS = [
  'follow-charges',
  'settle-charges',
  'send-deliveries',
  'finish-keys',
  'finish-bulks',
  'checkpoint-ledgers',
  'prune',
]
const FAILING = ['0700000001', '0700000002', '0700000003']

type Step =
  | { do: 'charge'; shop: number; mode: Mode; amount: number; fails: boolean; again: boolean }
  | { do: 'hold'; shop: number; realistic: boolean }
  | { do: 'instant'; shop: number; on: boolean }
  | { do: 'funds'; shop: number; amount: number }
  | { do: 'pass'; ms: number }
  | { do: 'sweep'; name: string; twice: boolean }

const shop = fc.nat(SHOPS - 1)
const charge = fc.record({
  do: fc.constant('charge' as const),
  shop,
  mode: fc.constantFrom('test' as const, 'live' as const),
  amount: fc.oneof(fc.integer({ min: 201, max: 400 }), fc.integer({ min: 201, max: 1_000_000 })),
  fails: fc.boolean(),
  again: fc.boolean(),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: charge },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const), shop, realistic: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('instant' as const), shop, on: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('funds' as const),
      shop,
      amount: fc.integer({ min: 1, max: 1_000_000 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(2000, 6000, HOUR, 12 * HOUR, 25 * HOUR),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('sweep' as const),
      name: fc.constantFrom(...SWEEPS),
      twice: fc.boolean(),
    }),
  },
)

/** The expected result of all accepted charges, computed only from the rules of the specification. */
type Model = { total: number; events: number; succeeded: number; failed: number }
const empty = (): Model => ({ total: 0, events: 0, succeeded: 0, failed: 0 })

async function play(steps: readonly Step[], { shops, models }: { shops: Shop[]; models: Map<string, Model> }) {
  for (const one of steps) {
    if (one.do === 'pass') service.pass(one.ms)
    else if (one.do === 'sweep')
      await Promise.all(Array.from({ length: one.twice ? 2 : 1 }, () => service.runBeside(one.name)))
    else await playShop(one, shops[one.shop] as Shop, (mode) => models.get(`${one.shop} ${mode}`) as Model)
  }
}

async function playShop(
  one: Extract<Step, { shop: number }>,
  { merchant, live, test: sandbox }: Shop,
  modelOf: (mode: Mode) => Model,
): Promise<void> {
  if (one.do === 'hold') return service.set(merchant, { testHold: one.realistic ? 'realistic' : 'none' })
  if (one.do === 'instant') return service.set(merchant, { instantSettlement: one.on })
  if (one.do === 'funds') {
    const [row] = await service.rows<any>('select id, tag from cell_0.merchants where public_id = $1', [merchant.id])
    const holder = { merchantId: Number(row.id), tag: row.tag }
    await addTestFunds(service.app, BY_HAND, { holder, amount: one.amount, key: undefined })
    modelOf('test').total += one.amount
    return
  }
  const failingPhone = FAILING[one.amount % 3] as string
  const phone = one.mode === 'test' && one.fails ? failingPhone : newPayer()
  const api = one.mode === 'test' ? sandbox : live
  const key = { 'idempotency-key': `${phone} ${one.amount} ${service.clock.nowMs()}` }
  const order = { amount: one.amount, customer: { phone } }
  const { status, body } = await api.charge(order, key)
  assert.equal(status, 201)
  if (one.again) assert.equal((await api.charge(order, key)).body.id, body.id)
  if (one.mode === 'live') service.operator[one.fails ? 'refuses' : 'pays'](body.id)
  const model = modelOf(one.mode)
  model.events += 1
  if (one.fails) model.failed += 1
  else {
    model.succeeded += 1
    model.total += one.amount - chargeFee(one.amount)
  }
}

/** Lets everything that is still open end. */
async function finish(): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    service.pass(25 * HOUR)
    while ((await service.run('follow-charges')) > 0) service.pass(1000)
    await service.run('settle-charges')
  }
}

longTest(
  'random histories over several merchants and both modes end as the model says, and every invariant holds',
  async () => {
    // To repeat a failed run, write the printed number here.
    const seed = Math.floor(performance.timeOrigin) % 1_000_000_000
    console.log(`histories of seed ${seed}`)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const shops = await Promise.all(Array.from({ length: SHOPS }, () => service.shop()))
        const models = new Map(
          shops.flatMap((_, index) => [
            [`${index} test`, empty()],
            [`${index} live`, empty()],
          ]) as [string, Model][],
        )
        await play(steps, { shops, models })
        await assertVerified(service)
        for (const one of shops)
          for (const api of [one.live, one.test]) assert.equal((await api.get('/v1/balance')).body.consistent, true)
        await finish()
        await assertVerified(service)
        for (const [index, { merchant, live, test: sandbox }] of shops.entries())
          for (const [mode, api] of [
            ['live', live],
            ['test', sandbox],
          ] as const)
            await assertModel(models.get(`${index} ${mode}`) as Model, { api, id: merchant.id, mode })
      }),
      { seed, numRuns: sized(1, 12), endOnFailure: true },
    )
  },
)

test('random histories of money out end as their objects say, and every invariant holds', async () => {
  const seed = Math.floor(performance.timeOrigin) % 1_000_000_000
  console.log(`histories out of seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(fc.array(stepOut, { minLength: 40, maxLength: 100, size: 'max' }), async (steps) => {
      const shops: Payer[] = []
      for (let made = 0; made < OUT_SHOPS; made += 1) shops.push(await newPayerShop(service))
      for (const one of steps) await playOut(service, one, shops)
      await sweep(service, 'finish-keys')
      await assertBooks(shops)
      await finishOut()
      await assertBooks(shops)
    }),
    { seed, numRuns: sized(1, 12), endOnFailure: true },
  )
})

/** The recipients are paid, the customers have paid, and the sweeps find this out. */
async function finishOut(): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    for (const { reference } of service.operator.book.values()) service.operator.pays(reference)
    for (const ms of [MINUTE, 2 * MINUTE, 30 * MINUTE]) {
      service.pass(ms)
      for (const name of ['follow-charges', 'send-payouts']) await sweep(service, name)
    }
    for (const name of ['settle-charges', 'finish-keys']) await sweep(service, name)
  }
}

async function assertBooks(shops: readonly Payer[]): Promise<void> {
  await assertVerified(service)
  for (const shop of shops)
    for (const api of [shop.live, shop.test]) {
      const { has, should } = await booksOf(api, shop)
      assert.equal(has, should)
    }
  for (const [reference, times] of service.operator.movements())
    assert.equal(times, 1, `the operator moved ${reference} once`)
}

async function assertModel(
  model: Model,
  { api, id, mode }: { api: Shop['live']; id: string; mode: Mode },
): Promise<void> {
  const { body } = await api.get('/v1/balance')
  const [{ available, pending, total, cached }] = body.balances
  assert.deepEqual(
    { available, pending, total, cached },
    { available: model.total, pending: 0, total: model.total, cached: model.total },
  )
  const [counts] = await service.rows(
    `select count(*) filter (where c.status = 'succeeded')::int as succeeded,
       count(*) filter (where c.status = 'failed')::int as failed,
       (select count(*)::int from events e where e.merchant_id = m.id and e.mode = $2) as events
     from cell_0.merchants m left join charges c on c.merchant_id = m.id and c.mode = $2
     where m.public_id = $1 group by m.id`,
    [id, mode],
  )
  const { succeeded, failed, events } = model
  assert.deepEqual(counts, { succeeded, failed, events })
}
