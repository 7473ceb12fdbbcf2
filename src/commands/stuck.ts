import { findStuck, type Heard, type Stuck } from '../verify/stuck.ts'
import { command } from './command.ts'

const heard = (one: Heard) => ({
  at: one.at.toISOString(),
  operation: one.operation,
  answer: one.answer,
  installation: one.installation,
  http_status: one.httpStatus,
  operator_code: one.operatorCode,
  transport: one.transport,
})

const shown = (one: Stuck, now: Date) => ({
  kind: one.kind,
  id: one.id,
  merchant: one.merchant,
  mode: one.mode,
  amount: one.amount,
  since: one.since.toISOString(),
  why: one.why,
  status: one.status,
  age_seconds: Math.max(0, Math.round((now.getTime() - one.since.getTime()) / 1000)),
  next_check_at: one.nextAt?.toISOString() ?? null,
  rail_reference: one.attempt,
  state: one.attemptState,
  evidence: one.evidence.map(heard),
})

const lineOf = (one: Heard) =>
  `    ${one.at.toISOString()} ${one.operation}: ${[
    one.answer,
    one.httpStatus,
    one.operatorCode,
    one.transport,
  ]
    .filter((part) => part !== null)
    .join(' ')}`

const linesOf = (one: Stuck) => [
  `${one.kind} ${one.id} ${one.mode} of ${one.merchant}${one.amount === null ? '' : `, UGX ${one.amount}`}, since ${one.since.toISOString()}: ${one.why}`,
  ...one.evidence.map(lineOf),
]

const stuck = command({
  usage: 'stuck',
  says: 'money and messages that wait longer than they should, why, and what was heard about them',
  async run({ gateway }) {
    const now = gateway.clock.now()
    const found = await Promise.all(gateway.cells.map((app) => findStuck(app, now)))
    const all = found.flat()
    return {
      json: { stuck: all.map((one) => shown(one, now)) },
      lines: all.length === 0 ? ['nothing is stuck'] : all.flatMap(linesOf),
    }
  },
})

export const stuckCommands = [stuck]
