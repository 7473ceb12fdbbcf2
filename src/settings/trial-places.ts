import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'

/** The private places that a service for trials lets its addresses be. */
type TrialPlaces = Pick<Config, 'webhookAllowPrivate' | 'supplierAllowPrivate'>
type Told = TrialPlaces & { pid: number }

const fileIn = (dataDir: string) => join(dataDir, 'trial-places.json')

/**
 * Leaves a word for the commands on the same data folder: without it a command, which has settings of its own, would refuse an address
 * that the service allows. Only where there is something to say, and on the embedded server. Answers what takes it back.
 */
export function tellTrialPlaces(config: Config): () => void {
  const { databaseUrl, dataDir, webhookAllowPrivate, supplierAllowPrivate } = config
  if (databaseUrl !== null || webhookAllowPrivate.length + supplierAllowPrivate.length === 0) return () => {}
  const told: Told = { pid: process.pid, webhookAllowPrivate, supplierAllowPrivate }
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(fileIn(dataDir), JSON.stringify(told), { mode: 0o600 })
  return () => rmSync(fileIn(dataDir), { force: true })
}

/** The settings of a command, with the places of the service that runs on its data folder. */
export function withTrialPlaces(config: Config): Config {
  if (config.databaseUrl !== null || config.production) return config
  const told = readTold(config.dataDir)
  if (told === null || !isAlive(told.pid)) return config
  return {
    ...config,
    webhookAllowPrivate: [...config.webhookAllowPrivate, ...told.webhookAllowPrivate],
    supplierAllowPrivate: [...config.supplierAllowPrivate, ...told.supplierAllowPrivate],
  }
}

function readTold(dataDir: string): Told | null {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Told // A file of ours in a folder of ours.
  } catch {
    return null
  }
}

/** A service that was killed has left its word behind. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
