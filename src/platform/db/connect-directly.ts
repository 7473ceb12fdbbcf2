import pg from 'pg'
import { CannotStart } from '../processes/cannot-start.ts'

const SCHEMA = 'directory'
const REFUSED_BY_POOLER = /unsupported startup parameter/

/**
 * Connects to the server itself, working in the directory. A pooler in between (PgBouncer and its kind) either refuses the settings that a
 * connection asks for at its start, or drops them silently: then no statement would find its tables. Throws CannotStart.
 */
export async function connectDirectly(connectionString: string, role: string | null): Promise<pg.Client> {
  const settings = [`search_path=${SCHEMA}`, ...(role === null ? [] : [`role=${role}`])]
  const options = settings.map((setting) => `-c ${setting}`).join(' ')
  const client = new pg.Client({ connectionString, options })
  client.on('error', () => {})
  await client.connect().catch((error) => {
    throw error instanceof Error && REFUSED_BY_POOLER.test(error.message) ? poolerFault() : error
  })
  const { rows } = await client.query<{ schema: string }>(`select current_setting('search_path') as schema`)
  if (rows[0]?.schema === SCHEMA) return client
  await client.end()
  throw poolerFault()
}

const poolerFault = () =>
  new CannotStart(
    'DATABASE_URL leads to a connection pooler (PgBouncer or its kind), which does not pass on what a connection asks for at its start: give it the address of PostgreSQL itself (docs/operating.md, "Production")',
  )
