import type { Running } from './processes.ts'
import { restart, type World, withLiveRail } from './world.ts'

/** The program that runs: the one that is shipped, or the same with a live rail. */
export type Program = 'shipped' | 'with live rail'

const services = new WeakMap<World, { program: Program; running: Running }>()

/** The service that recovered from the last kill and waits for the next; started when none runs or another program does. */
export async function serving(world: World, program: Program): Promise<Running> {
  const now = services.get(world)
  if (now?.program === program) return now.running
  await stopServing(world)
  world.installation.disarm()
  const running = await restart(world, program === 'shipped' ? {} : withLiveRail(world))
  services.set(world, { program, running })
  return running
}

/** The same service, which from now on dies at this point. */
export async function victim(world: World, program: Program, crashPoint: string): Promise<Running> {
  const running = await serving(world, program)
  world.installation.arm(crashPoint)
  services.delete(world)
  return running
}

/** For cases that need nothing to run meanwhile. */
export async function stopServing(world: World): Promise<void> {
  await services.get(world)?.running.kill()
  services.delete(world)
}
