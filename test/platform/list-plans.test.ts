import assert from 'node:assert/strict'
import test from 'node:test'
import { noFilters } from '../../src/api/http/lists/list-filters.ts'
import { CHARGE_FILTERS } from '../../src/payments/charges/charge-filters.ts'
import { PAYOUT_FILTERS } from '../../src/payments/payouts/payout-filters.ts'
import { listStatements, statement } from '../../src/platform/db/statement.ts'
import { writeAgain } from '../helpers/database/rows-again.ts'
import { rowsLookedAt } from '../helpers/database/rows-looked-at.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { payer } from '../helpers/payments/schedules.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { made, opened, prepare } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'

const MANY = 3000
const PAGE = 21
const TABLES = ['charges', 'payouts'] as const
const ANY_PAYOUT = noFilters(PAYOUT_FILTERS)
const ANY = noFilters(CHARGE_FILTERS)
const OWN = { phone: '700000123', reference: 'INV-7', email: 'own@example.com' }
type List = {
  table: (typeof TABLES)[number]
  name: string
  /** Which of the rows it finds. */
  of: 'open' | 'ended' | 'live and open'
  filters: Record<string, string | null>
}
const LISTS: List[] = [
  { table: 'charges', name: 'list charges', of: 'open', filters: ANY },
  {
    table: 'charges',
    name: 'list charges by open status',
    of: 'open',
    filters: { ...ANY, status: 'authorized' },
  },
  { table: 'charges', name: 'list charges by status', of: 'ended', filters: { ...ANY, status: 'failed' } },
  {
    table: 'charges',
    name: 'list charges by several statuses',
    of: 'ended',
    filters: { ...ANY, status: 'succeeded,failed' },
  },
  {
    table: 'charges',
    name: 'list charges by several statuses',
    of: 'open',
    filters: { ...ANY, status: 'authorized,pending' },
  },
  {
    table: 'charges',
    name: 'list charges by reference',
    of: 'ended',
    filters: { ...ANY, reference: OWN.reference },
  },
  { table: 'charges', name: 'list charges by phone', of: 'ended', filters: { ...ANY, phone: OWN.phone } },
  { table: 'charges', name: 'list charges by email', of: 'ended', filters: { ...ANY, email: OWN.email } },
  { table: 'payouts', name: 'list payouts', of: 'open', filters: ANY_PAYOUT },
  {
    table: 'payouts',
    name: 'list payouts by status',
    of: 'open',
    filters: { ...ANY_PAYOUT, status: 'authorized' },
  },
  {
    table: 'payouts',
    name: 'list payouts by several statuses',
    of: 'open',
    filters: { ...ANY_PAYOUT, status: 'failed,authorized' },
  },
]
const ENDED_TOO: List = { table: 'charges', name: 'list charges', of: 'ended', filters: ANY }
// Live ones may be open for days.
const OPEN_TOO: List[] = LISTS.filter(({ of, filters }) => of === 'ended' && filters.status === null).map((list) => ({
  ...list,
  of: 'live and open',
}))

const service = opened(() => startService())
const large = made(() => payer(service, 1_000_000))
const past = made(() => payer(service, 1_000_000))
const small = made(() => payer(service, 1_000_000))
const firstAt = () => new Date(service.clock.nowMs() + 1000).toISOString()
const middle = () => new Date(service.clock.nowMs() + (MANY / 2) * 1000).toISOString()

// One row a second from now on.
prepare(async () => {
  for (const { api } of [large, past, small]) {
    await api.charge({ reference: OWN.reference, customer: { phone: `0${OWN.phone}`, email: OWN.email } })
    await pay(api)
  }
  for (const table of TABLES) await writeMany(table, large.merchantId)
  await writeMany('charges', past.merchantId, { id: `t.id || 'l' || n`, mode: `'live'` })
  await writeMany('charges', past.merchantId, {
    status: `'failed'`,
    failure_reason: `'timeout'`,
    follow_at: 'null',
    completed_at: `$2::timestamptz + n * interval '1 second'`,
  })
  for (const table of TABLES) await service.rows(`analyze ${table}`)
})

const writeMany = (table: string, merchantId: number, own: Record<string, string> = {}) =>
  writeAgain(service, table, {
    own: {
      id: `t.id || lpad(n::text, 6, '0')`,
      rail_reference: 'gen_random_uuid()::text',
      created_at: `$2::timestamptz + n * interval '1 second'`,
      ...own,
    },
    from: `${table} t, generate_series(1, ${MANY}) n where t.merchant_id = $1 and t.mode = 'test'`,
    values: [merchantId, service.clock.now().toISOString()],
  })

const PLANNED = statement<{ generic: number; custom: number }>(
  'test: how often lists were planned',
  'select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where name = $1',
)
const MODE = statement<{ plan_cache_mode: string }>(
  'test: plan cache mode',
  "select current_setting('plan_cache_mode') as plan_cache_mode",
)

for (const { table, name, filters } of LISTS)
  test(`${name}: it is planned once, for merchants of every size and for every page`, async () => {
    const always = Object.entries(filters).flatMap(([filter, value]) =>
      value === null ? [] : `&${filter}=${filter === 'phone' ? `0${value}` : value}`,
    )
    for (const query of ['limit=20', 'limit=1', 'limit=100', `created_before=${middle()}`, 'limit=2', 'limit=3'])
      for (const { api } of [large, small])
        assert.equal((await api.get(`/v1/${table}?${query}${always.join('')}`)).status, 200)
    // Each connection has plans of its own, and a background task may have had the one that is asked now.
    let planned: { generic: number; custom: number } | undefined
    await eventually('a connection that has listed is asked', async () => {
      await large.api.get(`/v1/${table}?limit=20${always.join('')}`)
      ;[planned] = await service.app.db.query(PLANNED, [name])
      return planned !== undefined && planned.generic + planned.custom > 0
    })
    assert.equal(planned?.custom, 0)
    assert.deepEqual(await service.app.db.query(MODE), [{ plan_cache_mode: 'auto' }])
  })

test('a list that fails leaves its connection as it was', async () => {
  await assert.rejects(service.app.db.query(find('list charges'), []), /bind message/)
  assert.deepEqual(await service.app.db.query(MODE), [{ plan_cache_mode: 'auto' }])
  assert.equal((await small.api.get('/v1/charges')).body.data.length, 1)
})

for (const list of [...LISTS, ENDED_TOO, ...OPEN_TOO])
  test(`${list.name}: its plan reads the rows of the page and no others, between all bounds (${list.of} ones)`, async () => {
    for (const [from, until] of [
      ['-infinity', 'infinity'],
      ['-infinity', middle()],
      [middle(), 'infinity'],
      [firstAt(), middle()],
    ] as const) {
      const older = await looked(list, '', [from, until, 'zzzz'])
      const newer = await looked(list, ', newer', [until, from, ''])
      for (const rows of [older, newer]) assert.equal(rows, PAGE, `from ${from} to ${until}`)
    }
  })

const find = (name: string) => listStatements().find((statement) => statement.name === name) ?? assert.fail(name)

const looked = ({ name, of, filters }: List, way: string, bounds: string[]): Promise<number> =>
  rowsLookedAt(service, {
    text: find(`${name}${way}`).text,
    values: [
      (of === 'open' ? large : past).merchantId,
      of === 'live and open' ? 'live' : 'test',
      ...bounds,
      PAGE,
      ...Object.values(filters),
    ],
  })
