import type { TestService } from '../service/test-service.ts'

type Asked = { text: string; types?: string; values: readonly unknown[] }

/**
 * How many rows a statement reads in its largest scan, with a plan that does not know its values, as the connections of the service
 * use it.
 */
export async function rowsLookedAt(service: TestService, { text, types, values }: Asked): Promise<number> {
  const literals = values.map((value) => (value === null ? 'null' : `'${value}'`)).join(', ')
  const client = await service.app.db.pool.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare looked${types === undefined ? '' : ` (${types})`} as ${text}`)
    const { rows } = await client.query(`explain (analyze, format json) execute looked (${literals})`)
    return lookedAt(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    client.release(true)
  }
}

function lookedAt(plan: any): number {
  // Numbers as the service reads them: "1.00" stays as it was written, and would be joined with the next one as text.
  const own = Number(plan['Actual Rows'] ?? 0) + Number(plan['Rows Removed by Filter'] ?? 0)
  return Math.max(own, ...(plan.Plans ?? []).map(lookedAt))
}
