import pg from 'pg'

/** Asks a server on a connection of its own: it may have been killed since the last question, and nothing is left open at it. */
export async function askOnce<Row = any>(
  address: string | pg.ClientConfig,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(address)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows as Row[]
  } finally {
    // A server that died meanwhile does not say goodbye.
    await client.end().catch(() => {})
  }
}
