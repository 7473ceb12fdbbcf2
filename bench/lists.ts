import '../src/payments/charges/find-charges.ts'
import { isOpenStatus } from '../src/payments/charges/charge-indexes.ts'
import { listStatements } from '../src/platform/db/statement.ts'
import { type Compared, compare } from './reads.ts'
import type { BenchMerchant, Stage } from './stage.ts'

/** One question to GET /v1/charges: its query, the product's statement behind it and that statement's filter values. */
type Question = {
  query: Record<string, string>
  statement: string
  filters?: { status?: string; reference?: string; phone9?: string; email?: string }
}

const PLAN_LINES = 6
// After five runs PostgreSQL decides whether to keep one plan for all values, so this is the plan that the service gets
// where it does not ask for one plan for all values itself.
const RUNS_BEFORE_PLAN = 6
const STATUSES = ['pending', 'authorized', 'succeeded', 'failed', 'refunded']

function questions(): Record<string, Question> {
  const day = (fromNow: number) =>
    new Date(performance.timeOrigin + performance.now() + fromNow * 86_400_000).toISOString()
  const dates = { created_after: day(-200), created_before: day(-150) }
  const statuses = STATUSES.map((status) => [
    `status ${status}`,
    {
      query: { status },
      statement: `list charges by ${isOpenStatus(status) ? 'open ' : ''}status`,
      filters: { status },
    },
  ])
  return {
    'no filter': { query: {}, statement: 'list charges' },
    ...Object.fromEntries(statuses),
    reference: {
      query: { reference: 'INV-7777' },
      statement: 'list charges by reference',
      filters: { reference: 'INV-7777' },
    },
    phone: {
      query: { phone: '0700000111' },
      statement: 'list charges by phone',
      filters: { phone9: '700000111' },
    },
    email: {
      query: { email: 'Customer111@example.com' },
      statement: 'list charges by email',
      filters: { email: 'customer111@example.com' },
    },
    dates: { query: dates, statement: 'list charges' },
    'status and dates': {
      query: { ...dates, status: 'failed' },
      statement: 'list charges by status',
      filters: { status: 'failed' },
    },
  }
}

/** Every way to list charges, with a long history and with a short one, and the plan of the long one. */
export async function measureLists(stage: Stage, merchants: { large: BenchMerchant; small: BenchMerchant }) {
  const measured: Record<string, Compared & { plan: string[] }> = {}
  for (const [name, question] of Object.entries(questions())) {
    const path = `/v1/charges?${new URLSearchParams(question.query)}`
    const compared = await compare(stage, path, merchants)
    measured[name] = { ...compared, plan: await planOf(stage, merchants.large, question) }
    stage.say(`list by ${name}: ${compared.large_p50_ms} ms and ${compared.small_p50_ms} ms`)
  }
  return measured
}

async function planOf({ db }: Stage, { id }: BenchMerchant, question: Question): Promise<string[]> {
  const { query, filters = {} } = question
  const statement = listStatements().find(({ name }) => name === question.statement)
  if (statement === undefined) return [`there is no statement ${question.statement}`]
  const bounds = [query.created_after ?? '-infinity', query.created_before ?? 'infinity', '', 21]
  const { status = null, reference = null, phone9 = null, email = null } = filters
  const values = [id, 'test', ...bounds, status, reference, phone9, email]
  const literals = values.map((value) => (value === null ? 'null' : `'${value}'`)).join(', ')
  await db.query(`set plan_cache_mode = ${statement.plannedOnce ? 'force_generic_plan' : 'auto'}`)
  await db.query(`prepare looked_at as ${statement.text}`)
  for (let run = 1; run <= RUNS_BEFORE_PLAN; run += 1) await db.query(`execute looked_at (${literals})`)
  const { rows } = await db.query(`explain (analyze, buffers off) execute looked_at (${literals})`)
  await db.query('deallocate looked_at; reset plan_cache_mode')
  const lines = rows.map((row) => row['QUERY PLAN'] as string)
  return [...lines.slice(0, PLAN_LINES), ...lines.slice(-1)]
}
