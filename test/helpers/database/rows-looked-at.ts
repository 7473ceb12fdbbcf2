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
    const { rows } = await client.query(`explain analyze execute looked (${literals})`)
    return lookedAt(rows.map((row) => row['QUERY PLAN']))
  } finally {
    client.release(true)
  }
}

/** Of the lines of a plan: a cluster writes the part of a node only as text. */
function lookedAt(lines: readonly string[]): number {
  const seen = [0]
  for (const line of lines) {
    const [, returned] = /\(actual .*rows=([\d.]+) loops/.exec(line) ?? []
    const [, removed] = /Rows Removed by Filter: ([\d.]+)/.exec(line) ?? []
    if (returned !== undefined) seen.push(Number(returned))
    if (removed !== undefined) seen.push((seen.pop() ?? 0) + Number(removed))
  }
  return Math.max(...seen)
}
