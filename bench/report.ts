import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runningCommit } from '../src/program/front.ts'
import type { Stage } from './stage.ts'

/** A figure the product is meant to reach. Printed, never an exit code. */
export type Bar = { name: string; bar: string; measured: number | null; ok: boolean | null }

export const REPORTS = fileURLToPath(new URL('../../reports', import.meta.url))

export const atMost = (name: string, bar: number, measured: number | null): Bar => ({
  name,
  bar: `<= ${bar}`,
  measured,
  ok: measured === null ? null : measured <= bar,
})

export const atLeast = (name: string, bar: number, measured: number | null): Bar => ({
  name,
  bar: `>= ${bar}`,
  measured,
  ok: measured === null ? null : measured >= bar,
})

/** What it was measured on. */
export async function describeMachine({ db }: Stage) {
  const { rows } = await db.query(
    `select name, setting from pg_settings where name in
     ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size')`,
  )
  const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  const all = cpus()
  return {
    machine: {
      cpus: all.length,
      model: all[0]?.model ?? 'unknown',
      memory: `${Math.round(totalmem() / 1024 ** 3)} GB`,
      node: process.version,
      postgres: settings.server_version,
      postgres_settings: settings,
    },
    commit: runningCommit(),
  }
}

/** Writes reports/<name>.json and answers its text. */
export function writeReport(name: string, report: unknown): string {
  const text = `${JSON.stringify(report, null, 2)}\n`
  mkdirSync(REPORTS, { recursive: true })
  writeFileSync(join(REPORTS, `${name}.json`), text)
  return text
}
