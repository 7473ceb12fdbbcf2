import { setTimeout as sleep } from 'node:timers/promises'
import { serving, stopServing } from '../serving.ts'
import { notKilled, PASSED_WITHIN_MS } from '../victims.ts'
import type { World } from '../world.ts'

const LEAVER = `select m.closed_at is not null as closed,
    (select count(*)::int from directory.api_keys k where k.merchant_id = m.id and k.revoked_at is null) as keys
  from cell_0.merchants m where m.handle = $1`

/** An account closes, and the task dies between the end of its keys and the close: the next run closes it, with no key left. */
export async function whileClosing(world: World, crashPoint: string): Promise<string[]> {
  const { installation } = world
  const run = async (...words: string[]) => {
    const done = await installation.command(words)
    if (done.code !== 0) throw new Error(`${words.join(' ')}: ${done.stderr}`)
    return done
  }
  // A running service would close the account before the victim can.
  await stopServing(world)
  await run('merchants', 'create', '--name', 'Leaver', '--email', 'leaver@shops.invalid', '--handle', 'leaver')
  await run('merchants', 'close', 'leaver')
  installation.advance(120_000)
  const died = await installation.command(['sweep', 'close-accounts'], { CRASH_POINT: crashPoint })
  const wrong = notKilled(died, crashPoint)
  const look = async () => (await installation.sql<{ closed: boolean; keys: number }>(LEAVER, ['leaver']))[0]
  const between = await look()
  if (between?.closed !== false || between.keys !== 0) wrong.push(`between the two commits: ${JSON.stringify(between)}`)
  await serving(world, 'shipped')
  const giveUpAt = performance.now() + PASSED_WITHIN_MS
  while ((await look())?.closed !== true) {
    if (performance.now() > giveUpAt) return [...wrong, 'the account was never closed']
    installation.advance(5000)
    await sleep(50)
  }
  return wrong
}
