import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { assertRefused, type Ran } from '../../helpers/service/command-line.ts'
import { opened } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { plantOrder } from '../../helpers/vending/planted-order.ts'
import { commandsOn } from './commands-on.ts'

const LINKS = '/v1/payment-links'
const service = opened(() => startService())
const { run, json } = commandsOn(service, {
  first: ['payment-links'],
  more: () => ({ BASE_URL: service.url }),
})

async function shop() {
  const merchant = await service.merchant({ verified: true })
  const { handle } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const [api, live] = [service.client(merchant.keys.test), service.client(merchant.keys.live)]
  const link = async (client: Client, body: object = {}): Promise<any> =>
    (await client.post(LINKS, { amount: 5000, ...body })).body
  const read = async (id: string, client = api) => (await client.get(`${LINKS}/${id}`)).body
  return { handle, api, live, link, read }
}

/** A charge on this link, as its page makes one, that is paid. */
async function payOn(id: string, api: Client): Promise<void> {
  const charge = (await api.charge()).body.id
  await service.rows(
    'with held as (update payment_links set charge_id = $1 where id = $2) update charges set payment_link_id = $2, pays_once = true where id = $1',
    [charge, id],
  )
  service.pass(2000)
  await service.run('follow-charges')
}
const audited = async (to: string, id: string) =>
  (
    await service.rows(
      "select 1 from audit where action = 'link.switch' and after->>'to' = $1 and subject = $2 and merchant_id is not null",
      [to, id],
    )
  ).length

test('a link is switched off and on, in either mode, as the API then shows it', async () => {
  const own = await shop()
  for (const client of [own.api, own.live]) {
    const { id } = await own.link(client)
    const off = await json('off', own.handle, '--link', id)
    assert.deepEqual([off.status, off.is_active], ['inactive', false])
    assert.deepEqual(off, await own.read(id, client))
    assert.deepEqual(await json('off', own.handle, '--link', id), off, 'a repeat changes nothing')
    const on = await json('on', own.handle, '--link', id)
    assert.deepEqual([on.status, on.is_active], ['pending', true])
    assert.deepEqual(on, await own.read(id, client))
    assert.deepEqual([await audited('off', id), await audited('on', id)], [2, 1])
  }
})

test('a paid one-shot link stays paid, switched off and on', async () => {
  const own = await shop()
  const { id } = await own.link(own.api)
  await payOn(id, own.api)
  for (const to of ['off', 'on']) {
    const shown = await json(to, own.handle, '--link', id)
    assert.deepEqual([shown.status, shown.transaction_status, shown.is_active], ['succeeded', 'succeeded', to === 'on'])
  }
})

test('the links of a mode are listed as the API lists them, a hundred at a time', async () => {
  const own = await shop()
  for (let nth = 0; nth < 101; nth += 1) await own.link(own.api, { reference: `${nth}` })
  const { id } = await own.link(own.live, { reference: 'live' })
  const first = await json('list', own.handle)
  assert.deepEqual(first, (await own.api.get(`${LINKS}?limit=100`)).body)
  assert.equal(first.has_more, true)
  const rest = await json('list', own.handle, '--mode', 'test', '--starting-after', first.next_cursor)
  assert.deepEqual(
    rest.data.map(({ reference }: any) => reference),
    ['0'],
  )
  assert.deepEqual((await json('list', own.handle, '--mode', 'live')).data, [await own.read(id, own.live)])
})

test('a person sees an address, where the link stands and what it is for', async () => {
  const own = await shop()
  assert.equal((await run('list', own.handle)).stdout, 'no payment links in test mode\n')
  const { url, id } = await own.link(own.api, { reference: 'order 17' })
  assert.equal((await run('list', own.handle)).stdout, `${url} test pending: 5000 for order 17\n`)
  assert.equal((await run('off', own.handle, '--link', id)).stdout, `${url} test inactive: 5000 for order 17\n`)
})

/** Adds the row of a vending order to this link. */
const vendingOrder = ({ id }: { id: string }) => plantOrder(service, id, { id: `${id.slice(0, -5)}order` })

test('what may not be is refused with exit code 1, and leaves no audit row', async () => {
  const [own, stranger] = [await shop(), await shop()]
  const { id } = await stranger.link(stranger.api)
  const order = await vendingOrder(await own.link(own.api))
  const cases: [string[], RegExp][] = [
    [['off', own.handle, '--link', order], /payment link not found/],
    [['off', own.handle, '--link', id], /payment link not found/],
    [['on', own.handle, '--link', 'lnk_x'], /payment link not found/],
    [['off', 'nobody', '--link', id], /no merchant called/],
    [['list', 'nobody'], /no merchant called/],
    [['list', own.handle, '--starting-after', id], /invalid starting_after cursor/],
  ]
  const ran = await Promise.all(cases.map(([args]) => run(...args)))
  for (const [at, [, says]] of cases.entries()) assertRefused(ran[at] as Ran, { code: 1, says })
  assert.equal((await stranger.read(id)).is_active, true)
  assert.equal(await audited('off', id), 0)
})

test('wrong usage is exit code 2', async () => {
  const { handle } = await shop()
  const wrong = [
    ['off'],
    ['off', handle],
    ['on', handle, '--link', ''],
    ['list'],
    ['list', handle, '--mode', 'gold'],
    ['gone', handle],
  ]
  const ran = await Promise.all(wrong.map((args) => run(...args)))
  for (const one of ran) assertRefused(one, { code: 2, says: /./ })
})
