import assert from 'node:assert/strict'
import test from 'node:test'
import { LINKS, openPaidLinks } from '../../helpers/web/paid-links.ts'

const { service, shop, link, read } = openPaidLinks()

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
      metadata: {},
    })
    assert.deepEqual(await read(made.id, api), made)
    assert.deepEqual((await api.get(`${LINKS}?limit=1`)).body.data, [made])
  }
})

test('a link needs only an amount; unknown fields are ignored', async () => {
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
