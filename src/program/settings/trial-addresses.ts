import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'

/** The private addresses that a service for trials allows. */
type TrialAddresses = Pick<Config, 'webhookAllowPrivate' | 'supplierAllowPrivate'>
type TrialFile = TrialAddresses & { pid: number }

const trialFilePath = (dataDir: string) => join(dataDir, 'trial-places.json')

/**
 * Writes the allowed private addresses to a file for the commands on the same data folder: a command has settings of its own, and would
 * refuse an address that the service allows. Only with such addresses and on the embedded server. Returns the function that removes the
 * file.
 */
export function shareTrialAddresses(config: Config): () => void {
  const { databaseUrl, dataDir, webhookAllowPrivate, supplierAllowPrivate } = config
  if (databaseUrl !== null || webhookAllowPrivate.length + supplierAllowPrivate.length === 0) return () => {}
  const file: TrialFile = { pid: process.pid, webhookAllowPrivate, supplierAllowPrivate }
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(trialFilePath(dataDir), JSON.stringify(file), { mode: 0o600 })
  return () => rmSync(trialFilePath(dataDir), { force: true })
}

/** The settings of a command, with the private addresses of the service that runs on its data folder. */
export function withTrialAddresses(config: Config): Config {
  if (config.databaseUrl !== null || config.production) return config
  const file = readTrialFile(config.dataDir)
  if (file === null || !isAlive(file.pid)) return config
  return {
    ...config,
    webhookAllowPrivate: [...config.webhookAllowPrivate, ...file.webhookAllowPrivate],
    supplierAllowPrivate: [...config.supplierAllowPrivate, ...file.supplierAllowPrivate],
  }
}

function readTrialFile(dataDir: string): TrialFile | null {
  try {
    return JSON.parse(readFileSync(trialFilePath(dataDir), 'utf8')) as TrialFile // A file of ours in a folder of ours.
  } catch {
    return null
  }
}

/** Whether the process still runs: a service that was killed leaves its file behind. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
