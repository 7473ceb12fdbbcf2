import type pg from 'pg'
import type { ServerPlace } from './server-address.ts'
import { newServerClient } from './server-client.ts'

// Each node of Citus counts in a range of its own: its number times 2^48. Rows are read in the order of their numbers, and a schema that
// moves to a node with a smaller number would count on below what it has. So the node to which it moves counts on above.
const LAST = `select sequencename as name, greatest(coalesce(last_value, min_value), min_value)::text as last, max_value::text as max
  from pg_catalog.pg_sequences where schemaname = $1 and data_type = 'bigint'::regtype`
// More rows than are added while a schema moves; even so a hundred thousand moves fit.
const GAP = 1_000_000_000n
// Numbers are read as numbers of JavaScript, which are exact up to here.
const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER)
/** From this number of a node on, what it counts would be too large. */
export const MAX_GROUP = 31

type Sequence = { name: string; last: string; max: string }

/** Lets every sequence of a schema on the node `to` go on above those of `from`, before the schema moves there. */
export async function carrySequences(
  url: string,
  schema: string,
  { from, to }: { from: ServerPlace; to: ServerPlace },
): Promise<void> {
  const counted = await atNode(url, from, (client) => readSequences(client, schema))
  await atNode(url, to, async (client) => {
    // The sequence of this node alone is meant, and no other one is told.
    await client.query('set citus.enable_ddl_propagation = off')
    const own = new Map((await readSequences(client, schema)).map((sequence) => [sequence.name, sequence]))
    for (const { name, last } of counted) {
      const there = own.get(name)
      if (there !== undefined)
        await raise(client, `${schema}.${client.escapeIdentifier(name)}`, { there, above: BigInt(last) })
    }
  })
}

async function raise(
  client: pg.Client,
  sequence: string,
  { there, above }: { there: Sequence; above: bigint },
): Promise<void> {
  if (BigInt(there.last) > above) return
  const next = above + GAP
  if (next > MAX_NUMBER) throw new Error(`the sequence ${sequence} has no numbers left`)
  if (BigInt(there.max) < MAX_NUMBER) await client.query(`alter sequence ${sequence} maxvalue ${MAX_NUMBER}`)
  await client.query('select setval($1::regclass, $2)', [sequence, next.toString()])
}

const readSequences = async (client: pg.Client, schema: string): Promise<Sequence[]> =>
  (await client.query<Sequence>(LAST, [schema])).rows

async function atNode<T>(url: string, place: ServerPlace, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = newServerClient(url, { place })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
