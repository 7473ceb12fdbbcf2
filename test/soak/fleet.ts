import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Installation } from '../crash/installation.ts'
import type { Running } from '../crash/processes.ts'

export type Role = 'web' | 'worker'
/** The two processes of a soak, and the installation that they belong to. */
export type Fleet = Record<Role, Running>

export const portOf = ({ port }: Installation, role: Role) => port + (role === 'worker' ? 1 : 0)

export const startFleet = async (installation: Installation): Promise<Fleet> => ({
  web: await startRole(installation, 'web'),
  worker: await startRole(installation, 'worker'),
})

const startRole = (installation: Installation, role: Role) =>
  installation.startReady({
    role,
    port: portOf(installation, role),
    crashPoint: `@${pointFile(installation, role)}`,
  })

const pointFile = ({ dataDir }: Installation, role: Role) => join(dataDir, '..', `point-of-${role}`)

/** From now on this process stops at that point, or at none. */
export function stopAt(installation: Installation, role: Role, point: string | null): void {
  const file = pointFile(installation, role)
  writeFileSync(`${file}.new`, point === null ? 'none' : `${point}:1:sleep`)
  renameSync(`${file}.new`, file)
}

/** Kills a process and starts it again. */
export async function restart(installation: Installation, fleet: Fleet, role: Role): Promise<void> {
  await fleet[role].kill()
  fleet[role] = await startRole(installation, role)
}

/** Another worker, which does the work of the one that sleeps. */
export const startSecondWorker = (installation: Installation): Promise<Running> =>
  installation.startReady({ role: 'worker', port: installation.port + 2 })
