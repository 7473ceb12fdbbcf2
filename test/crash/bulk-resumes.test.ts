import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../helpers/service/live-service.ts'
import { freePort, type Installation, type Merchant, makeInstallation } from './installation.ts'
import { post } from './post.ts'

// A process dies during a bulk call while a worker lives: the worker resumes the call within fifteen seconds under the same key.
const RESUMES_WITHIN_MS = 15_000
const ITEMS = 1000
const COST = 1200
let installation: Installation
let payer: Merchant
before(async () => {
  installation = await makeInstallation()
  payer = await installation.merchant('payroll')
  await installation.startReady({ role: 'worker', port: await freePort() })
  await installation.command(['funds', 'add', payer.handle, '--amount', '100000000'])
})
after(() => installation?.end())

const payouts = (prefix: string) =>
  Array.from({ length: ITEMS }, (_, nth) => ({
    amount: 1000,
    phone: '256700000000',
    reference: `${prefix} ${nth}`,
  }))

async function send(key: string): Promise<{ status: number; replayed: boolean; body: any }> {
  const request = { apiKey: payer.keys.test, key, body: { payouts: payouts(key) } }
  const response = await post(installation, '/v1/payouts/bulk', request)
  const replayed = response.headers.get('idempotent-replayed') === 'true'
  return { status: response.status, replayed, body: await response.json() }
}

/** How many items have their result, and whether the answer is kept. */
async function progress(key: string): Promise<{ done: number; answered: boolean }> {
  const [row] = await installation.sql<{ done: number; answered: boolean }>(
    `select b.done, k.status is not null as answered from bulk_batches b
     join idempotency_keys k on (k.merchant_id, k.mode, k.key) = (b.merchant_id, b.mode, b.key) where b.key = $1`,
    [key],
  )
  return row ?? { done: 0, answered: false }
}

for (const [crashPoint, done] of [
  ['bulk.stored', 0],
  ['bulk.chunk-committed:2', 400],
  ['bulk.chunk-committed:5', ITEMS],
] as const)
  test(`C21: a bulk call cut by kill -9 at ${crashPoint} goes on within fifteen seconds, each item once`, async () => {
    const victim = installation.start({ role: 'web', crashPoint })
    assert.ok(await victim.ready)
    const lost = send(crashPoint).catch(() => null)
    assert.equal((await victim.ended).signal, 'SIGKILL')
    const diedAt = performance.now()
    assert.equal(await lost, null)
    assert.deepEqual(await progress(crashPoint), { done, answered: false })
    const web = await installation.startReady({ role: 'web' })
    const early = await send(crashPoint)
    if (early.status !== 200) assert.deepEqual([early.status, early.body.code], [409, 'conflict'])
    await eventually('somebody goes on with it', async () => {
      const now = await progress(crashPoint)
      return done === ITEMS ? now.answered : now.done > done
    })
    const tookMs = performance.now() - diedAt
    assert.ok(tookMs < RESUMES_WITHIN_MS, `it went on after ${Math.round(tookMs)} ms`)
    await eventually('it is finished', async () => (await progress(crashPoint)).answered)
    const { status, replayed, body } = await send(crashPoint)
    assert.deepEqual([status, replayed, body.total, body.accepted], [200, true, ITEMS, ITEMS])
    assert.equal(new Set(body.results.map(({ id }: any) => id)).size, ITEMS)
    const [spent] = await installation.sql<{ spent: number }>(
      `select sum(t.amount)::int as spent from transfers t join payouts p on p.id = t.subject
       join bulk_batches b on b.id = p.batch_id where b.key = $1 and t.kind = 'payout_reserve'`,
      [crashPoint],
    )
    assert.equal(spent?.spent, ITEMS * COST)
    await web.kill()
  })

test('C21: after that every invariant holds', async () => {
  const verified = await installation.command(['verify'])
  assert.equal(verified.code, 0, JSON.stringify(verified.json))
})
