import type { Running } from './processes.ts'
import { restart, type World, withLiveRail } from './world.ts'

/** The program to run: the shipped one, or the same with a live rail. */
export type Program = 'shipped' | 'with live rail'

const services = new WeakMap<World, { program: Program; running: Running }>()

/** The service that recovered from the last kill; a new one is started when none runs or another program is needed. */
export async function serving(world: World, program: Program): Promise<Running> {
  const now = services.get(world)
  if (now?.program === program) return now.running
  await stopServing(world)
  world.installation.disarm()
  const running = await restart(world, program === 'shipped' ? {} : withLiveRail(world))
  services.set(world, { program, running })
  return running
}

/** The same service, which will die at this point. */
export async function victim(world: World, program: Program, crashPoint: string): Promise<Running> {
  const running = await serving(world, program)
  world.installation.arm(crashPoint)
  services.delete(world)
  return running
}

/** For cases in which no service may run. */
export async function stopServing(world: World): Promise<void> {
  await services.get(world)?.running.kill()
  services.delete(world)
}
