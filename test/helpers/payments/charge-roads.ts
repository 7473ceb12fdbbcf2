import type { CuttingProxy } from '../../fakes/cutting-proxy.ts'

/** Whether the terms of merchants were read, and whether those in memory were compared with the rows. */
type RoadsTaken = { read: boolean; compared: boolean }

/** Watches on the wire which road the charges of a service take: decided by memory or on rows that are read. */
export function listRoads(proxy: CuttingProxy) {
  const read = proxy.counting(/merchant terms to remember/)
  const compared = proxy.counting(/merchant terms are as known/)
  return {
    async during<T>(work: () => Promise<T>): Promise<{ result: T; taken: RoadsTaken }> {
      const before = { read: read.count, compared: compared.count }
      const result = await work()
      return { result, taken: { read: read.count > before.read, compared: compared.count > before.compared } }
    },
  }
}
