import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeUpPayments } from '../../../src/operations/investigation/search/take-up-payments.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../../helpers/payments/following-payouts.ts'
import { richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

const HOUR_MS = 3_600_000
const service = openedAndVerified(() => startPayingService())
const support = () => operatorSignedIn(service, 'support')
const SMALL = { batch: 3, segment: 4 }

/** Live charges of these references, of which each is paid. */
async function paid(shop: Awaited<ReturnType<typeof service.shop>>, references: readonly string[], amount = 7000) {
  const ids: string[] = []
  for (const reference of references) {
    const { body } = await shop.live.charge({ reference, amount, customer: { phone: newPayer() } })
    service.operator.pays(body.id)
    service.pass(1000)
    ids.push(body.id)
  }
  for (const id of ids) await followUntilEnded(service, id)
  return ids
}
/** What the list shows, page after page. */
async function listed(query: Record<string, string>): Promise<{ ids: string[]; pages: number }> {
  const operator = await support()
  let next = `/console/payments?${new URLSearchParams(query)}`
  const ids: string[] = []
  for (let pages = 1; ; pages += 1) {
    const page = await operator.get(next)
    assert.equal(page.status, 200, page.text)
    ids.push(...[...page.text.matchAll(/href="\/console\/payments\/(\w+)"/g)].map(([, id]) => id ?? ''))
    const further = /href="([^"]+)" rel="next"/.exec(page.text)?.[1]
    if (further === undefined) return { ids, pages }
    assert.ok(pages < 50, 'the list comes to its end')
    next = further.replaceAll('&amp;', '&')
  }
}
const takeUp = () => takeUpPayments(service.app, SMALL)
/** Takes up everything that has ended, in segments of four. */
async function takeUpAll() {
  service.pass(2 * HOUR_MS)
  while ((await takeUp()) > 0);
}

test('a payment is found by a part of whatever somebody can name, before it is taken up and after', async () => {
  const shop = await service.shop({ name: 'Owino Spares' })
  const other = await service.shop({ name: 'Kikuubo Traders' })
  const [id = ''] = await paid(shop, ['Ward-Nine-INV-20417'], 12_500)
  await paid(other, ['unlike-1', 'unlike-2', 'unlike-3', 'unlike-4', 'unlike-5'])
  const [row] = await service.rows<{ phone: string; number: string }>(
    'select phone, rail_transaction_id as number from charges where id = $1',
    [id],
  )
  const { phone = '', number = '' } = row ?? {}
  const parts = ['nine-inv', '20417', phone.slice(5), `0${phone.slice(3, 8)} ${phone.slice(8)}`, number.slice(1)]
  for (const when of ['lately ended', 'taken up']) {
    for (const q of parts) assert.deepEqual((await listed({ q })).ids.includes(id), true, `${q}, ${when}`)
    assert.deepEqual((await listed({ q: 'nine-inv' })).ids, [id], when)
    assert.deepEqual((await listed({ q: 'nine-inx' })).ids, [], when)
    assert.deepEqual((await listed({ amount: '12,500' })).ids, [id], when)
    assert.deepEqual((await listed({ amount: '12000-13000' })).ids, [id], when)
    assert.deepEqual((await listed({ merchant: shop.merchant.id })).ids, [id], when)
    assert.deepEqual((await listed({ merchant: other.merchant.handle, q: 'nine-inv' })).ids, [], when)
    assert.equal((await listed({ q: 'unlike-' })).ids.length, 5, when)
    await takeUpAll()
  }
  assert.equal((await (await support()).get(`/console/search?q=nine-inv`)).location, '/console/payments?q=nine-inv')
})

test('payouts are found by parts of the name of who is paid, and by why they failed', async () => {
  const shop = await richShop(service)
  const { body } = await shop.live.post('/v1/payouts', {
    ...{ amount: 31_000, reference: 'wage-of-may', recipient: { phone: newPayer(), name: 'Nakato Sarah' } },
  })
  assert.deepEqual((await listed({ q: 'kato sar' })).ids, [body.id], 'under way')
  assert.deepEqual((await listed({ state: 'open' })).ids, [body.id])
  service.operator.refuses(body.id)
  await sendUntilEnded(service, body.id)
  const reason = (await shop.live.get(`/v1/payouts/${body.id}`)).body.failure_reason
  for (const when of ['lately ended', 'taken up']) {
    const queries: Record<string, string>[] = [{ q: 'KATO  SAR' }, { q: 'e-of-m' }, { amount: '31000' }, { reason }]
    for (const query of queries)
      assert.deepEqual((await listed(query)).ids, [body.id], `${Object.keys(query)}, ${when}`)
    assert.deepEqual((await listed({ q: 'kato sar', state: 'succeeded' })).ids, [], when)
    await takeUpAll()
  }
})

test('the list goes page by page through everything once, newest first, and an hour of it can be cut out', async () => {
  await service.rows('delete from search_postings; delete from search_segments; delete from search_payments')
  await service.rows(`update search_mark set ended_at = '-infinity', id = ''`)
  const shop = await service.shop({ name: 'Many' })
  service.pass(HOUR_MS)
  const from = service.clock.now()
  const ids = await paid(
    shop,
    Array.from({ length: 26 }, (_, nth) => `batch-x-${nth}`),
  )
  const open = await shop.live.charge({ reference: 'batch-x-open', customer: { phone: newPayer() } })
  const newest = [open.body.id, ...ids.toReversed()]
  const kampala = (at: Date) => new Date(at.getTime() + 3 * HOUR_MS).toISOString().slice(0, 16)
  const minute = { from: kampala(from) }
  assert.deepEqual((await listed(minute)).ids, newest)
  assert.deepEqual((await listed({ ...minute, state: 'succeeded' })).ids, ids.toReversed())
  assert.deepEqual((await listed({ ...minute, state: 'open' })).ids, [open.body.id])
  assert.deepEqual((await listed({ q: 'batch-x' })).ids, newest, 'what is not taken up')
  // A part of them is taken up: some are found here, some there, each once.
  service.pass(2 * HOUR_MS)
  for (let times = 0; times < 9; times += 1) await takeUp()
  assert.deepEqual((await listed({ q: 'batch-x' })).ids.sort(), newest.toSorted())
  await takeUpAll()
  const found = await listed({ q: 'batch-x' })
  assert.deepEqual(found.ids, newest)
  assert.equal(found.pages, 2)
  assert.deepEqual((await listed({ q: 'batch-x', until: kampala(new Date(from.getTime() - 60_000)) })).ids, [])
})

test('payments are taken up once, by whoever comes first, after their commits and in large parts', async () => {
  const count = async () => (await service.rows('select 1 from search_payments')).length
  const few = () => takeUpPayments(service.app, { batch: 10, segment: 10_000 })
  const shop = await service.shop({ name: 'Late' })
  await paid(shop, ['late-1', 'late-2'])
  const before = await count()
  assert.equal(await few(), 0, 'what ended just now may have a neighbour that is not committed yet')
  service.pass(5 * 60_000)
  assert.equal(await few(), 0, 'two are no large part')
  service.pass(HOUR_MS)
  await Promise.all([few(), few(), few()])
  assert.equal(await count(), before + 2)
  assert.equal(await service.run('take-up-payments'), 0)
})

test('what cannot be looked for is said, and what fits nothing costs a bounded look', async () => {
  const operator = await support()
  assert.match(mainOf(await operator.get('/console/payments?q=ab')), /at least three characters/)
  assert.match(mainOf(await operator.get('/console/payments?q=zzzqqq')), /No live payment fits/)
  for (const wrong of [
    'amount=many',
    'state=lost',
    'reason=none',
    'channel=x',
    'from=noon',
    'after=x',
    'q=batch&after=x',
  ])
    assert.equal((await operator.get(`/console/payments?${wrong}`)).status, 400, wrong)
  assert.equal((await operator.get('/console/payments?merchant=nobody')).status, 400)
})
