import { askHost, DATABASE } from './cluster.ts'
import type { Host } from './hosts.ts'

/** When one of the hosts had become the primary, and when a write there had reached its standby; in ms of this process. */
export type Taking = { host: Host; promotedAt: number; writesAt: number }

const LOOK_MS = 20
const WRITE_MS = 20_000

/** Waits until one of these hosts takes writes. Throws when none does in time. */
export async function untilOneTakesWrites(hosts: readonly Host[], withinMs: number): Promise<Taking> {
  const giveUpAt = performance.now() + withinMs
  let found = false
  const watch = async (host: Host): Promise<Taking> => {
    while (!found && performance.now() < giveUpAt) {
      const [answer] = await askHost(host, 'select pg_is_in_recovery() as standby').catch(() => [])
      if (answer?.standby === false) {
        const promotedAt = performance.now()
        const wrote = await write(host, giveUpAt)
        if (wrote) return { host, promotedAt, writesAt: performance.now() }
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    throw new Error(`${host.place.name} takes no writes`)
  }
  try {
    return await Promise.any(hosts.map(watch))
  } catch {
    throw new Error(`no host takes writes after ${Math.round(withinMs / 1000)} s`)
  } finally {
    found = true
  }
}

/** Whether a row was committed, which its synchronous standby has then. */
const write = (host: Host, giveUpAt: number): Promise<boolean> =>
  askHost(host, 'insert into public.drill_writes default values', {
    database: DATABASE,
    ms: Math.max(1, Math.min(WRITE_MS, giveUpAt - performance.now())),
  }).then(
    () => true,
    () => false,
  )

/** Makes the table in which it is tried. */
export const prepareWrites = (primary: Host) =>
  askHost(primary, 'create table public.drill_writes (at timestamptz not null default clock_timestamp())', {
    database: DATABASE,
    ms: WRITE_MS,
  })
