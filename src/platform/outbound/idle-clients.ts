/** Clients that wait for the next request to their origin. */
type IdleClients<Client> = {
  /** Takes the newest client to this origin: its connection is the least likely to be closed by the receiver at this moment. */
  take(origin: string): Client | undefined
  /** Adds a client. When there would be more than `most`, removes the oldest of all and returns it. */
  add(client: Client): Client | undefined
  delete(client: Client): void
  /** Takes all clients out. */
  takeAll(): Client[]
}

/** Each operation takes the same time however many clients wait, but grows with those to the same origin. */
export function newIdleClients<Client extends { origin: string }>(most: number): IdleClients<Client> {
  // Both have the oldest client first.
  const all = new Set<Client>()
  const byOrigin = new Map<string, Client[]>()

  function forget(client: Client): void {
    if (!all.delete(client)) return
    const rest = byOrigin.get(client.origin)?.filter((kept) => kept !== client) ?? []
    if (rest.length === 0) byOrigin.delete(client.origin)
    else byOrigin.set(client.origin, rest)
  }

  return {
    take(origin) {
      const client = byOrigin.get(origin)?.at(-1)
      if (client !== undefined) forget(client)
      return client
    },
    add(client) {
      all.add(client)
      byOrigin.set(client.origin, [...(byOrigin.get(client.origin) ?? []), client])
      const [oldest] = all
      if (all.size <= most || oldest === undefined) return undefined
      forget(oldest)
      return oldest
    },
    delete: forget,
    takeAll() {
      const clients = [...all]
      all.clear()
      byOrigin.clear()
      return clients
    },
  }
}
