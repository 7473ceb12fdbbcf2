import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { after, before } from 'node:test'
import pg from 'pg'
import { LINES_A_HUNDRED, writeBusyMonth } from '../../../bench/statement-history.ts'
import { holdTable } from '../../helpers/database/cell-server.ts'
import { type Payer, payer } from '../../helpers/payments/schedules.ts'
import { assertAddsUp, boundsOf, monthNow } from '../../helpers/payments/statements.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { longTest, sized, test } from '../../helpers/service/parts.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'
import { readPdf, textOf } from '../../helpers/web/pdf-text.ts'

const ITEMS = sized(2_000, 10_000)
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

/** Sends the request, and reads only when told to. */
function ask(suffix = ''): ClientRequest {
  const asked = get(`${service.url}/v1/statements/${month}${suffix}`, {
    headers: { authorization: `Bearer ${own.merchant.keys.test}` },
    agent: false,
  })
  // A cut connection is reported here as well as where it is read.
  return asked.on('error', () => {})
}
/** Begins to read and stops until told to go on. */
async function begin(suffix = ''): Promise<IncomingMessage> {
  const [response] = (await once(ask(suffix), 'response')) as [IncomingMessage]
  return response.pause()
}
/** The database snapshots that are open at this moment. */
const snapshots = () =>
  service.rows<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and application_name = 'gateway' and xact_start is not null`,
  )

test('a long month comes in pieces, each line once, in the order of posting, and adds up', async () => {
  const { body, headers, status, text } = await own.api.get(`/v1/statements/${month}`)
  assert.deepEqual([status, headers.get('content-length')], [200, String(Buffer.byteLength(text))])
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

longTest('charges that took days to be paid have lines like all others', async () => {
  const { body: before } = await own.api.get(`/v1/statements/${month}`)
  await service.rows(
    `update charges set created_at = (created_at at time zone 'UTC' - interval '20 days') at time zone 'UTC' where merchant_id = $1 and fee = 300
    and id in (select id from charges where merchant_id = $1 order by id limit 3000)`,
    [own.merchantId],
  )
  const { body } = await own.api.get(`/v1/statements/${month}`)
  assert.deepEqual(body, before)
})

longTest('the long document has a row for each line', async () => {
  const response = await fetch(`${service.url}/v1/statements/${month}.pdf`, {
    headers: { authorization: `Bearer ${own.merchant.keys.test}` },
  })
  const pages = readPdf(Buffer.from(await response.arrayBuffer()))
  const text = textOf(pages)
  assert.ok(pages.length > 100)
  assert.ok(text.includes(`Page ${pages.length.toLocaleString('en-US')} of ${pages.length.toLocaleString('en-US')}`))
  assert.equal(text.match(/ (?:txn|pout)_[a-z0-9]+ /g)?.length, LINES)
})

for (const suffix of ['', '.pdf'])
  longTest(`a client that disconnects returns its connection (${suffix || 'JSON'})`, async () => {
    for (let round = 0; round < 3; round += 1) {
      const readers = [ask(suffix), ask(suffix)]
      await eventually('a snapshot is open', async () => (await snapshots()).length > 0)
      for (const reader of readers) reader.destroy()
      await eventually('no snapshot is open', async () => (await snapshots()).length === 0)
    }
    assert.equal((await own.api.get(`/v1/statements/${month}`)).status, 200)
  })

longTest('D3: clients that read slowly hold no snapshot, and only their own merchant waits for them', async () => {
  const other = await payer(service)
  const reader = await begin()
  // Its turn comes when the first has been read.
  const second = ask('.pdf')
  const answered = once(second, 'response') as Promise<[IncomingMessage]>
  let done = false
  answered.then(() => {
    done = true
  })
  assert.equal((await snapshots()).length, 0)
  for (const [api, path] of [
    [own.api, `/v1/statements/${monthNow(service)}`],
    [own.api, `/v1/statements/${monthNow(service)}.pdf`],
    [other.api, `/v1/statements/${month}`],
    [own.api, '/v1/balance'],
  ] as const)
    assert.equal((await api.get(path)).status, 200, path)
  assert.equal((await own.api.charge()).status, 201)
  assert.equal(done, false)
  reader.destroy()
  const [response] = await answered
  assert.equal(response.statusCode, 200)
  response.destroy()
})

longTest('C18: many small reports at once, and three documents, are all made', async () => {
  const other = await payer(service)
  const paths = [
    ...Array.from({ length: 12 }, () => `/v1/statements/${monthNow(service)}`),
    ...Array.from({ length: 3 }, () => `/v1/statements/${monthNow(service)}.pdf`),
    ...Array.from({ length: 4 }, () => '/v1/vending/machines/tallies'),
  ]
  // A crowded machine may tell one to come back: it is made then.
  const made = async (path: string, tries = 10): Promise<number> => {
    const { status } = await other.api.get(path)
    return status === 503 && tries > 1 ? made(path, tries - 1) : status
  }
  const answers = await Promise.all(paths.map((path) => made(path)))
  assert.deepEqual(
    answers,
    paths.map(() => 200),
  )
})

const CUT_WAITING = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

longTest('when the database goes away in the middle, the answer is a 503 and never a part of a statement', async () => {
  for (const suffix of ['', '.pdf']) {
    // Its lines cannot be read to the end before the connection is cut.
    const charges = await holdTable(service, 'charges')
    const asked = ask(suffix)
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>
    await eventually('it stands before its lines', async () => (await service.rows(CUT_WAITING)).length > 0)
    await charges.letGo()
    const [response] = await answered
    assert.equal(response.statusCode, 503)
    response.resume()
  }
  assert.equal((await own.api.get(`/v1/statements/${month}`)).status, 200)
})
