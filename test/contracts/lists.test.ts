import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../fakes/receiver.ts'
import { made, opened, prepare } from '../helpers/opened.ts'
import { type Client, startService } from '../helpers/test-service.ts'
import { assertRefused, badRequest, invalid } from './refused.ts'
import { stillClock } from './still-clock.ts'

const LISTS = ['/v1/charges', '/v1/settlements', '/v1/webhooks'] as const
const ROWS = 45
let api: Client
const receiver = opened(() => startReceiver())
const service = opened(() =>
  startService({ clock: stillClock(), env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }),
)
const merchant = made(() => service.merchant())
prepare(async () => {
  await service.set(merchant, { webhookUrl: receiver.url })
  api = service.client(merchant.keys.test)
  await pay(ROWS)
})

/** So many paid charges, all of one moment; each with its settlement and its event. */
async function pay(count: number, client: Client = api): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) assert.equal((await client.charge()).status, 201)
  service.pass(2000)
  while ((await service.run('follow-charges')) > 0);
}

const cursorFault = badRequest('invalid starting_after cursor')
const idsOf = (body: any): string[] => body.data.map(({ id }: any) => id)

for (const list of LISTS) {
  test(`${list} is walked by sevens while rows come in: each that was there comes once, none twice`, async () => {
    const all = idsOf((await api.get(`${list}?limit=100`)).body)
    assert.ok(all.length >= ROWS)
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { status, body } = await api.get(`${list}?limit=7${cursor}`)
      assert.equal(status, 200)
      seen.push(...idsOf(body))
      assert.equal(body.next_cursor, body.has_more ? body.data.at(-1).id : null)
      if (!body.has_more) break
      assert.equal(body.data.length, 7)
      cursor = `&starting_after=${body.next_cursor}`
      await pay(1)
    }
    assert.equal(new Set(seen).size, seen.length, 'none twice')
    assert.deepEqual(
      seen.filter((id) => all.includes(id)),
      all,
      'each once, in order',
    )
  })

  test(`${list} is newest first and shows 20 unless told otherwise`, async () => {
    const { body } = await api.get(list)
    assert.deepEqual(Object.keys(body), ['object', 'data', 'has_more', 'next_cursor'])
    assert.deepEqual([body.object, body.data.length, body.has_more], ['list', 20, true])
    const order = body.data.map((row: any) => `${row.created_at} ${row.id}`)
    assert.deepEqual(order, [...order].sort().reverse())
    const small = await api.get(`${list}?limit=1`)
    assert.deepEqual(idsOf(small.body), idsOf(body).slice(0, 1))
    assert.ok((await api.get(`${list}?limit=100`)).body.data.length >= ROWS)
  })

  test(`${list} says that it has no more when a page is full to its last row`, async () => {
    const own = service.client((await service.merchant()).keys.test)
    await pay(4, own)
    for (const query of ['limit=4', 'limit=5']) {
      const { body } = await own.get(`${list}?${query}`)
      assert.deepEqual([body.data.length, body.has_more, body.next_cursor], [4, false, null])
    }
    const { body: first } = await own.get(`${list}?limit=2`)
    assert.equal(first.has_more, true)
    const { body: second } = await own.get(`${list}?limit=2&starting_after=${first.next_cursor}`)
    assert.deepEqual([second.data.length, second.has_more, second.next_cursor], [2, false, null])
    const { body: beyond } = await own.get(`${list}?starting_after=${second.data[1].id}`)
    assert.deepEqual(beyond, { object: 'list', data: [], has_more: false, next_cursor: null })
  })

  test(`${list} refuses a limit that is no integer from 1 to 100`, async () => {
    for (const limit of [
      '0',
      '101',
      '-1',
      '1e1',
      '1.5',
      '+5',
      '0x5',
      'ten',
      '10,',
      '９',
      '99999999999999999999',
    ])
      assertRefused(
        await api.get(`${list}?limit=${encodeURIComponent(limit)}`),
        badRequest('limit must be an integer between 1 and 100'),
        { because: limit },
      )
  })

  test(`${list} refuses a cursor that is forged, foreign, of the other mode or of another list`, async () => {
    const other = await service.merchant()
    await pay(1, service.client(other.keys.test))
    const own = (await api.get(`${list}?limit=1`)).body.data[0].id
    const foreign = (await service.client(other.keys.test).get(`${list}?limit=1`)).body.data[0].id
    const elsewhere = (await api.get(`${LISTS.find((one) => one !== list)}?limit=1`)).body.data[0].id
    const forged = [
      own.slice(0, -1),
      `${own}a`,
      own.toUpperCase(),
      flip(own),
      own.replace('_', '%'),
      `${own}' or '1'='1`,
    ]
    for (const cursor of [...forged, foreign, elsewhere, '%', '0', 'null', 'a'.repeat(5000)])
      assertRefused(await api.get(`${list}?starting_after=${encodeURIComponent(cursor)}`), cursorFault, {
        because: cursor,
      })
    assertRefused(await service.client(merchant.keys.live).get(`${list}?starting_after=${own}`), cursorFault)
  })

  test(`${list} refuses a time that is none`, async () => {
    for (const name of ['created_after', 'created_before'])
      for (const time of [
        'yesterday',
        '2026-02-30',
        '2026-13-01',
        '2026-1-1',
        '2026-01-01T24:00:00Z',
        '2026-01-01T10:61:00Z',
        '2026-01-01_10:00:00Z',
        '2026-01-01T10:00:00+25:00',
        '0000-01-01',
        '275760-09-13',
        '+275760-09-13T00:00:00Z',
        '1790000000',
        '20260101',
        "2026-01-01' or '1'='1",
        '２０２６-01-01',
      ])
        assertRefused(
          await api.get(`${list}?${name}=${encodeURIComponent(time)}`),
          badRequest(`${name} must be an ISO 8601 datetime`),
          { because: time },
        )
  })

  test(`${list} refuses a parameter given twice, and one with a control character`, async () => {
    for (const name of ['limit', 'starting_after', 'created_after', 'unknown']) {
      const twice = await api.get(`${list}?${name}=1&${name}=1`)
      assertRefused(twice, invalid(`query parameter ${name} is given twice`))
      const nul = await api.get(`${list}?${name}=a%00b`)
      assertRefused(nul, invalid(`query parameter ${name} contains control characters`))
    }
  })

  test(`${list} reads a query as text, whatever it holds`, async () => {
    for (const query of [
      'limit=%31%30',
      'limit=10&limit[]=5',
      'a=%ff',
      'a=%',
      'a=%ed%a0%80',
      '&&&',
      '=',
      '__proto__=1',
    ])
      assert.equal((await api.get(`${list}?${query}`)).status, 200, query)
  })
}

test('an unknown status is refused in the words of each list', async () => {
  for (const status of ['paid', 'SUCCEEDED', "'", 'succeeded,failed'])
    assertRefused(
      await api.get(`/v1/charges?status=${encodeURIComponent(status)}`),
      badRequest(`invalid status: ${status}`),
    )
  for (const status of ['succeeded', 'SENT', 'queued'])
    assertRefused(
      await api.get(`/v1/webhooks?status=${status}`),
      badRequest('status must be pending, sent or failed'),
    )
})

test('what is repeated in a refusal is cut to 40 characters', async () => {
  assertRefused(
    await api.get(`/v1/charges?status=${'x'.repeat(100)}`),
    badRequest(`invalid status: ${'x'.repeat(40)}`),
  )
})

test('of several faults in a query the first in the order of the spec is reported', async () => {
  const faults: [string, string][] = [
    ['status=x', 'invalid status: x'],
    ['created_after=x', 'created_after must be an ISO 8601 datetime'],
    ['created_before=x', 'created_before must be an ISO 8601 datetime'],
    ['limit=x', 'limit must be an integer between 1 and 100'],
    ['starting_after=x', 'invalid starting_after cursor'],
  ]
  for (const [at, [first, error]] of faults.entries())
    for (const [second] of faults.slice(at + 1))
      assertRefused(await api.get(`/v1/charges?${second}&${first}`), badRequest(error), {
        because: `${first} and ${second}`,
      })
})

test('deliveries are found by status and event, alone and together, and settlements by time', async () => {
  while ((await service.run('send-deliveries')) > 0);
  await pay(1)
  const idsWith = async (query: string) => idsOf((await api.get(`/v1/webhooks?limit=100&${query}`)).body)
  const pending = await idsWith('status=pending')
  const sent = await idsWith('status=sent')
  assert.equal(pending.length, 1)
  assert.ok(sent.length >= ROWS)
  assert.deepEqual(await idsWith('status=failed'), [])
  assert.deepEqual(await idsWith('event=charge.succeeded&status=sent'), sent)
  for (const event of ['charge.failed', 'charge.%', 'CHARGE.SUCCEEDED', 'none'])
    assert.deepEqual(await idsWith(`event=${encodeURIComponent(event)}`), [], event)
  const [newest] = (await api.get('/v1/settlements?limit=1')).body.data
  const bounds = `created_after=${newest.created_at}&created_before=${newest.created_at}`
  assert.deepEqual(idsOf((await api.get(`/v1/settlements?${bounds}`)).body), [newest.id])
  assert.deepEqual(await idsWith(bounds), pending)
})

test('rows of lists have exactly the fields of the contract', async () => {
  const settlement = (await api.get('/v1/settlements?limit=1')).body.data[0]
  const { id, created_at, ...rest } = settlement
  assert.match(id, /^setl_[a-z0-9]{21,}$/)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, {
    mode: 'test',
    amount: 4800,
    currency: 'UGX',
    charge_count: 1,
    transactions: 1,
    kind: 'instant',
    subaccount: null,
  })
  const delivery = (await api.get('/v1/webhooks?limit=1&status=sent')).body.data[0]
  assert.deepEqual(
    {
      ...delivery,
      id: null,
      event_id: delivery.id === delivery.event_id,
      delivered_at: null,
      created_at: null,
    },
    {
      id: null,
      event_id: true,
      event: 'charge.succeeded',
      mode: 'test',
      url: receiver.url,
      status: 'sent',
      attempts: 1,
      last_response_code: 200,
      last_error: null,
      next_attempt_at: null,
      delivered_at: null,
      created_at: null,
    },
  )
  const listed = (await api.get('/v1/charges?limit=1')).body.data[0]
  assert.deepEqual(listed, (await api.get(`/v1/charges/${listed.id}`)).body)
})

const flip = (id: string) => id.slice(0, -1) + (id.endsWith('a') ? 'b' : 'a')
