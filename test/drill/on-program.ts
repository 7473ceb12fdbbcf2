import { runProgram } from '../helpers/service/command-line.ts'
import { NO_LIMITS } from '../helpers/service/no-limits.ts'

/** What a drill has found: figures, and what was wrong. */
export type DrillReport = { figures: Record<string, string | number>; wrong: string[] }

export const MASTER_KEY = Buffer.alloc(32, 3).toString('base64')

/** What a service of a drill is started with, besides its database. */
export const drillEnvironment = () => ({
  ...NO_LIMITS,
  ...{ PATH: process.env.PATH ?? '', SANDBOX_OUTCOME_SECONDS: '0', LOG_LEVEL: 'warn' },
})

/** Runs a command of the program that must work, and returns its JSON. */
export async function commandOn(settings: Record<string, string>, ...args: string[]): Promise<any> {
  const ran = await runProgram([...args, '--json'], settings)
  if (ran.code !== 0) throw new Error(`gateway ${args.join(' ')}: ${ran.code} ${ran.stderr}${ran.stdout}`)
  return JSON.parse(ran.stdout)
}
