import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { runningCommit } from '../../src/program/front.ts'
import type { Findings, Judgement } from './judge/judge.ts'
import type { Kill } from './random-kills.ts'
import type { Tally } from './sending.ts'

/** What a run collects as it goes. */
export type CrashRecord = {
  seed: number
  pointsHit: Set<string>
  pointsKnown: number
  pointKills: number
  kills: Kill[]
  findings: Findings
  /** Faults beside the books: points that were not reached, keys that still open, processes that did not come back. */
  wrong: string[]
  duplicateSends: number
  mostMovementsOfOneReference: number
  verify: { seconds: number[]; breaches: string[] }
  tally: Tally
}

const PATH = join(import.meta.dirname, '..', '..', '..', 'reports', 'crash-test.json')
const FIRST = 10

export function newRecord(seed: number, tally: Tally, pointsKnown: number): CrashRecord {
  return {
    seed,
    tally,
    pointsKnown,
    pointsHit: new Set(),
    pointKills: 0,
    kills: [],
    findings: { lost: [], doubled: [], falselyFailed: [], wrongEnd: [], eventsLost: [], wrongDeliveries: [] },
    wrong: [],
    duplicateSends: 0,
    mostMovementsOfOneReference: 0,
    verify: { seconds: [], breaches: [] },
  }
}

/** Findings cover all rows, so the same one is found again after each later kill: it counts once. */
export function addJudgement(record: CrashRecord, judgement: Judgement): void {
  for (const [name, list] of Object.entries(judgement.findings)) {
    const known = record.findings[name as keyof Findings]
    for (const entry of list) if (!known.includes(entry)) known.push(entry)
  }
  record.duplicateSends = judgement.duplicateSends
  record.mostMovementsOfOneReference = judgement.mostMovementsOfOneReference
}

export const isCleanRecord = (record: CrashRecord) =>
  Object.values(record.findings).every((list) => list.length === 0) &&
  record.wrong.length === 0 &&
  record.verify.breaches.length === 0 &&
  record.tally.unexpected.length === 0

/** Writes one JSON object to reports/crash-test.json and returns one readable line. */
export function writeReport(record: CrashRecord, seconds: number): string {
  const { findings, tally } = record
  const counted = Object.fromEntries(
    Object.entries(findings).map(([name, list]) => [name, { count: list.length, first: list.slice(0, FIRST) }]),
  )
  const report = {
    clean: isCleanRecord(record),
    seed: record.seed,
    commit: runningCommit(),
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    seconds: Math.round(seconds),
    kills: killsByKind(record),
    points: { hit: record.pointsHit.size, known: record.pointsKnown },
    requests: {
      sent: tally.sent,
      sent_of_each: tally.sentOf,
      acknowledged: tally.acknowledged,
      refused: tally.refused,
      unanswered_then_resolved: tally.unansweredThenResolved,
    },
    ...counted,
    unexpected_answers: { count: tally.unexpected.length, first: tally.unexpected.slice(0, FIRST) },
    wrong: record.wrong,
    duplicate_sends: record.duplicateSends,
    most_movements_of_one_reference: record.mostMovementsOfOneReference,
    recovery_ms: recoveryByKind(record.kills),
    verify: {
      runs: record.verify.seconds.length,
      worst_seconds: Math.max(0, ...record.verify.seconds),
      breaches: record.verify.breaches,
    },
  }
  mkdirSync(join(PATH, '..'), { recursive: true })
  writeFileSync(PATH, `${JSON.stringify(report, null, 2)}\n`)
  return lineOf(report, record)
}

function lineOf(report: { seconds: number; clean: boolean }, { findings, tally, ...record }: CrashRecord): string {
  const recovery = Object.entries(recoveryByKind(record.kills))
    .map(([kind, { median, worst }]) => `${kind} ${median}/${worst} ms`)
    .join(', ')
  return [
    report.clean ? 'CLEAN' : 'NOT CLEAN',
    `${record.pointKills + record.kills.length} kills`,
    `points ${record.pointsHit.size}/${record.pointsKnown}`,
    `${tally.sent} sent, ${tally.acknowledged} acknowledged, ${tally.refused} refused, ${tally.unansweredThenResolved} unanswered then resolved`,
    `lost ${findings.lost.length}, doubled ${findings.doubled.length}, falsely failed ${findings.falselyFailed.length}, events lost ${findings.eventsLost.length}`,
    `duplicate sends ${record.duplicateSends}`,
    `recovery median/worst: ${recovery || 'not measured'}`,
    `verify ${record.verify.breaches.length === 0 ? 'holds' : 'IS BROKEN'} (worst ${Math.max(0, ...record.verify.seconds)} s)`,
    `seed ${record.seed}, ${report.seconds} s`,
  ].join('; ')
}

function killsByKind(record: CrashRecord): Record<string, number> {
  const counts: Record<string, number> = { point: record.pointKills }
  for (const { kind } of record.kills) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function recoveryByKind(kills: readonly Kill[]) {
  const kinds = [...new Set(kills.map(({ kind }) => kind))].sort()
  return Object.fromEntries(
    kinds.map((kind) => {
      const own = kills.filter((kill) => kill.kind === kind)
      return [
        kind,
        {
          ...spread(own.map(({ recoveredMs }) => recoveredMs)),
          work_flowing: spread(own.map(({ flowingMs }) => flowingMs)),
        },
      ]
    }),
  )
}

function spread(values: readonly number[]): { median: number; worst: number } {
  const sorted = values.map(Math.round).sort((a, b) => a - b)
  return { median: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0, worst: sorted.at(-1) ?? 0 }
}
