import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { LINES_A_HUNDRED, writeBusyMonth } from '../../bench/statement-history.ts'
import { eventually } from '../helpers/live-service.ts'
import { readPdf, textOf } from '../helpers/pdf-text.ts'
import { type Payer, payer } from '../helpers/schedules.ts'
import { assertAddsUp, boundsOf, monthNow } from '../helpers/statements.ts'
import { startService, type TestService } from '../helpers/test-service.ts'

const ITEMS = 40_000
const LINES = (ITEMS / 100) * LINES_A_HUNDRED
let service: TestService
let own: Payer
let month: string
before(async () => {
  service = await startService()
  own = await payer(service)
  month = monthNow(service, -1)
  const db = new pg.Client({ connectionString: service.database.url, options: '-c search_path=cell_0' })
  await db.connect()
  await writeBusyMonth(db, {
    merchant: { id: own.merchantId, tag: own.tag, publicId: '', token: '' },
    ...boundsOf(month),
    items: ITEMS,
  })
  await db.end()
})
after(() => service.close())

/** Begins to read and stops there, until told to go on. */
async function begin(suffix = ''): Promise<IncomingMessage> {
  const asked = get(`${service.url}/v1/statements/${month}${suffix}`, {
    headers: { authorization: `Bearer ${own.merchant.keys.test}` },
    agent: false,
  })
  // A cut connection is told here as well as where it is read.
  asked.on('error', () => {})
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.pause()
  return response
}
/** The snapshots that are open at this moment. */
const snapshots = () =>
  service.rows<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and application_name = 'gateway' and xact_start is not null`,
  )

test('a long month comes in pieces, each line once, in the order of posting, and adds up', async () => {
  const { body, headers, status } = await own.api.get(`/v1/statements/${month}`)
  assert.deepEqual([status, headers.get('content-length')], [200, null])
  assertAddsUp(body)
  const { totals } = body
  assert.equal(totals.count_in + totals.count_out + totals.count_adjustments, LINES)
  for (const section of ['money_in', 'money_out', 'adjustments']) {
    const lines: any[] = body[section]
    assert.equal(new Set(lines.map(({ id }) => id)).size, lines.length)
    assert.deepEqual(
      lines.map(({ date }) => date),
      lines.map(({ date }) => date).sort(),
    )
  }
})

test('charges that took days to be paid have their lines like all others', async () => {
  const { body: before } = await own.api.get(`/v1/statements/${month}`)
  await service.rows(
    `update charges set created_at = created_at - interval '20 days' where merchant_id = $1 and fee = 300
    and id in (select id from charges where merchant_id = $1 order by id limit 3000)`,
    [own.merchantId],
  )
  const { body } = await own.api.get(`/v1/statements/${month}`)
  assert.deepEqual(body, before)
})

test('the long document has a row for each line', async () => {
  const response = await fetch(`${service.url}/v1/statements/${month}.pdf`, {
    headers: { authorization: `Bearer ${own.merchant.keys.test}` },
  })
  const pages = readPdf(Buffer.from(await response.arrayBuffer()))
  const text = textOf(pages)
  assert.ok(pages.length > 500)
  assert.ok(
    text.includes(`Page ${pages.length.toLocaleString('en-US')} of ${pages.length.toLocaleString('en-US')}`),
  )
  assert.equal(text.match(/ (?:txn|pout)_[a-z0-9]+ /g)?.length, LINES)
})

for (const suffix of ['', '.pdf'])
  test(`a client that hangs up gives its connection back (${suffix || 'JSON'})`, async () => {
    for (let round = 0; round < 3; round += 1) {
      const readers = [await begin(suffix), await begin(suffix)]
      assert.deepEqual(
        readers.map(({ statusCode }) => statusCode),
        [200, 200],
      )
      for (const reader of readers) reader.destroy()
      await eventually('both snapshots have ended', async () => (await snapshots()).length === 0)
    }
    assert.equal((await own.api.get(`/v1/statements/${month}`)).status, 200)
  })

test('more than two long readings at once are asked to come again, and nothing else waits for them', async () => {
  const readers = [await begin(), await begin()]
  const third = await own.api.get(`/v1/statements/${month}`)
  assert.deepEqual([third.status, third.body.code], [503, 'unavailable'])
  assert.ok(third.headers.get('retry-after'))
  assert.equal((await own.api.get('/v1/balance')).status, 200)
  assert.equal((await own.api.charge()).status, 201)
  for (const reader of readers) reader.destroy()
  await eventually('both snapshots have ended', async () => (await snapshots()).length === 0)
})

test('when the database goes away in the middle, nobody takes what came for a whole statement', async () => {
  const reader = await begin()
  const [snapshot] = await snapshots()
  assert.ok(snapshot)
  await service.rows('select pg_terminate_backend($1)', [snapshot.pid])
  let text = ''
  reader.setEncoding('utf8').on('data', (piece) => {
    text += piece
  })
  reader.resume()
  const [error] = await once(reader, 'error')
  assert.equal(error.code, 'ECONNRESET')
  assert.throws(() => JSON.parse(text))
  assert.equal((await own.api.get(`/v1/statements/${month}`)).status, 200)
})
