import assert from 'node:assert/strict'
import test from 'node:test'
import { holdLink, lockLink } from '../../src/payment-links/hold-link.ts'
import { switchLink } from '../../src/payment-links/switch-link.ts'
import { BY_HAND } from '../helpers/actors.ts'
import { newPayer, startLiveService } from '../helpers/live-service.ts'
import { countLockWaits } from '../helpers/lock-waits.ts'
import { made, openedAndVerified } from '../helpers/opened.ts'
import type { Client } from '../helpers/test-service.ts'

const LINKS = '/v1/payment-links'
const service = openedAndVerified(() => startLiveService())
const shop = made(() => service.shop())

/** A link, in test mode unless another client is given. */
async function link(body: object = {}, api: Client = shop.test): Promise<any> {
  const made = await api.post(LINKS, { amount: 5000, ...body })
  assert.equal(made.status, 201, made.text)
  return made.body
}
const read = async (id: string, api: Client = shop.test) => (await api.get(`${LINKS}/${id}`)).body
const told = async (id: string) => {
  const { status, transaction_status, charge_id } = await read(id)
  return [status, transaction_status, charge_id]
}

/** The link is held by this charge as the payment page holds it, or by none. */
async function hold(id: string, chargeId: string | null): Promise<void> {
  await service.app.db.transaction(async (tx) => {
    const [[row]] = await tx.send(lockLink(Number(await merchantOf(id)), id))
    assert.ok(row)
    return { value: null, last: [holdLink({ merchantId: row.merchantId, id, chargeId })] }
  })
}
const merchantOf = async (id: string) =>
  (
    await service.rows<{ merchant_id: string }>('select merchant_id from payment_links where id = $1', [id])
  )[0]?.merchant_id

/** The charge of a customer who pays this link on its page. */
async function attemptOn(id: string, phone = '0700000000'): Promise<string> {
  await submit(id, phone)
  const [charge] = await service.rows<{ id: string }>(
    'select id from charges where payment_link_id = $1 order by created_at desc, id desc limit 1',
    [id],
  )
  assert.ok(charge)
  return charge.id
}
const submit = (id: string, phone: string) =>
  fetch(`${service.url}/pay/${id}/submit`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ channel: 'op1_momo', phone }),
  })
async function outcome(): Promise<void> {
  service.pass(2000)
  await service.run('follow-charges')
}
const refund = async (charge: string) => {
  await shop.test.post('/v1/charges', {
    amount: 100_000,
    channel: 'op1_momo',
    customer: { phone: newPayer() },
  })
  await outcome()
  assert.equal((await shop.test.post(`/v1/charges/${charge}/refund`)).status, 202)
}
const flip = async (id: string, to: 'on' | 'off') => {
  const tag = id.slice(4, 9)
  return switchLink(service.app, BY_HAND, { owner: { id: Number(await merchantOf(id)), tag }, id, to })
}

test('a link is created, read and listed with every field, in the mode of its key', async () => {
  for (const [api, mode] of [
    [shop.test, 'test'],
    [shop.live, 'live'],
  ] as const) {
    const made = await link(
      {
        description: 'Two trays of eggs\n\t30 🥚 each',
        reference: 'order_17',
        success_url: 'https://Shop.example/thanks?order=17&paid=%C3%A9&amp;x=é',
        cancel_url: 'http://shop.example/basket#top',
      },
      api,
    )
    const url = `${service.url}/pay/${made.id}`
    assert.match(made.id, /^lnk_[a-z0-9]{21}$/)
    assert.match(made.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(made, {
      id: made.id,
      url,
      mode,
      amount: 5000,
      currency: 'UGX',
      description: 'Two trays of eggs\n\t30 🥚 each',
      reference: 'order_17',
      success_url: 'https://Shop.example/thanks?order=17&paid=%C3%A9&amp;x=é',
      cancel_url: 'http://shop.example/basket#top',
      allow_multiple_uses: false,
      is_active: true,
      status: 'pending',
      transaction_status: null,
      charge_id: null,
      qr_png_url: `${url}/qr.png`,
      qr_svg_url: `${url}/qr.svg`,
      created_at: made.created_at,
    })
    assert.deepEqual(await read(made.id, api), made)
    assert.deepEqual((await api.get(`${LINKS}?limit=1`)).body.data, [made])
  }
})

test('a link needs an amount alone; what shops send beside it is ignored', async () => {
  const bare = await link({ channel: 'card', customer: 'a person', theme: { dark: true } })
  assert.deepEqual(
    [bare.description, bare.reference, bare.success_url, bare.cancel_url, bare.allow_multiple_uses],
    [null, null, null, null, false],
  )
  const blank = await link({
    description: ' ',
    reference: '',
    success_url: '',
    cancel_url: null,
    currency: '',
  })
  assert.deepEqual(
    { ...blank, id: '', url: '', qr_png_url: '', qr_svg_url: '', created_at: '' },
    {
      ...bare,
      id: '',
      url: '',
      qr_png_url: '',
      qr_svg_url: '',
      created_at: '',
    },
  )
  assert.equal((await link({ amount: 201 })).amount, 201)
  assert.equal((await link({ amount: 1_000_000_000 })).amount, 1_000_000_000)
})

test('a one-shot link goes from pending to authorized to succeeded to refunded', async () => {
  const { id } = await link()
  const charge = await attemptOn(id)
  assert.deepEqual(await told(id), ['authorized', null, null])
  await outcome()
  assert.deepEqual(await told(id), ['succeeded', 'succeeded', charge])
  await refund(charge)
  assert.deepEqual(await told(id), ['refunded', 'refunded', charge])
})

test('a failed attempt shows on a one-shot link until the customer tries again', async () => {
  const { id } = await link()
  await attemptOn(id, '0700000002')
  await outcome()
  assert.deepEqual(await told(id), ['failed', null, null])
  await hold(id, null)
  assert.deepEqual(await told(id), ['pending', null, null])
  const second = await attemptOn(id)
  assert.deepEqual(await told(id), ['authorized', null, null])
  await outcome()
  assert.deepEqual(await told(id), ['succeeded', 'succeeded', second])
})

test('an attempt that was taken back, because the operator could not be reached, has never been', async () => {
  const { id } = await link({}, shop.live)
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'refuse to serve' }, phone)
  assert.equal((await submit(id, phone)).status, 502)
  const [row] = await service.rows('select charge_id from payment_links where id = $1', [id])
  assert.notEqual(row?.charge_id, null, 'its row still names what was taken back')
  const { status, charge_id } = await read(id, shop.live)
  assert.deepEqual([status, charge_id], ['pending', null])
})

test('a reusable link is active and names the newest payment that ever succeeded', async () => {
  const { id } = await link({ allow_multiple_uses: true })
  assert.deepEqual(await told(id), ['active', null, null])
  const first = await attemptOn(id)
  assert.deepEqual(await told(id), ['active', null, null])
  await outcome()
  assert.deepEqual(await told(id), ['active', 'succeeded', first])
  const second = await attemptOn(id)
  await outcome()
  await attemptOn(id, '0700000001')
  await outcome()
  assert.deepEqual(await told(id), ['active', 'succeeded', second], 'one that failed later is none')
  await refund(first)
  assert.deepEqual(await told(id), ['active', 'succeeded', second])
  await refund(second)
  assert.deepEqual(await told(id), ['active', 'refunded', second])
})

test('by id and in both lists a link says the same, whatever has become of it', async () => {
  const api = shop.test
  const ids = [await link({ reference: 'all' }), await link({ reference: 'all' })].map(({ id }) => id)
  ids.push((await link({ reference: 'all', allow_multiple_uses: true })).id)
  await attemptOn(ids[1] as string)
  await attemptOn(ids[2] as string)
  await outcome()
  await attemptOn(ids[0] as string)
  await flip(ids[2] as string, 'off')
  const single = new Map(await Promise.all(ids.map(async (id) => [id, await read(id)] as const)))
  assert.deepEqual(
    ids.map((id) => single.get(id).status),
    ['authorized', 'succeeded', 'inactive'],
  )
  for (const query of ['reference=all', 'limit=3']) {
    const { data } = (await api.get(`${LINKS}?${query}`)).body
    assert.equal(data.length, 3)
    for (const row of data) assert.deepEqual(row, single.get(row.id), query)
  }
})

test('a link that is switched off is inactive until it is switched on again; the first time is kept', async () => {
  const { id } = await link()
  for (const to of ['off', 'off'] as const) {
    assert.notEqual((await flip(id, to)).switchedOffAt, null)
    assert.deepEqual([(await read(id)).status, (await read(id)).is_active], ['inactive', false])
    service.pass(1000)
  }
  const [first] = await service.rows<{ at: Date }>(
    'select switched_off_at as at from payment_links where id = $1',
    [id],
  )
  assert.ok(first)
  assert.ok(service.clock.nowMs() - first.at.getTime() >= 2000)
  await flip(id, 'on')
  assert.deepEqual([(await read(id)).status, (await read(id)).is_active], ['pending', true])
})

test('a paid one-shot link says so when it is switched off, and switching it on does not make it unpaid', async () => {
  const { id } = await link()
  const charge = await attemptOn(id)
  await flip(id, 'off')
  assert.deepEqual(await told(id), ['inactive', null, null], 'a payment is under way')
  await outcome()
  assert.deepEqual(await told(id), ['succeeded', 'succeeded', charge])
  await flip(id, 'on')
  assert.deepEqual(await told(id), ['succeeded', 'succeeded', charge])
})

test('switching off waits for a payment that is just being started, and does not undo it', async () => {
  const { id } = await link()
  const merchantId = Number(await merchantOf(id))
  const charge = (await shop.test.charge({ customer: { phone: '0700000000' } })).body.id
  let switching = Promise.resolve<unknown>(null)
  await service.app.db.transaction(async (tx) => {
    const [[row]] = await tx.send(lockLink(merchantId, id))
    assert.equal(row?.switchedOffAt, null)
    switching = flip(id, 'off')
    while ((await waiting()) === 0) await service.rows('select 1')
    return { value: null, last: [holdLink({ merchantId, id, chargeId: charge })] }
  })
  await switching
  const [row] = await service.rows('select charge_id, switched_off_at from payment_links where id = $1', [id])
  assert.equal(row?.charge_id, charge)
  assert.notEqual(row?.switched_off_at, null)
  await hold(id, null)
})
const waiting = () => countLockWaits(service)

test('reading links writes nothing, and neither GET nor POST minds the headers of the other', async () => {
  const { id } = await link()
  const before = await service.digest()
  const headers = { 'x-timestamp': '1', 'idempotency-key': 'k', 'content-type': 'application/json' }
  assert.equal((await shop.test.get(`${LINKS}/${id}`, headers)).status, 200)
  assert.equal((await shop.test.get(LINKS, headers)).status, 200)
  assert.equal(await service.digest(), before)
  const ms = { 'x-timestamp': String(service.clock.nowMs()), 'idempotency-key': undefined }
  assert.equal((await shop.test.post(`/${LINKS}`, { amount: 5000 }, ms)).status, 201)
})

test('a collections-only key creates, reads and lists links', async () => {
  const api = service.client(shop.merchant.keys.test_collections)
  const made = await link({}, api)
  assert.deepEqual(await read(made.id, api), made)
  assert.deepEqual((await api.get(`${LINKS}?limit=1`)).body.data, [made])
})
