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

const shown = (stuck: Stuck, now: Date) => ({
  kind: stuck.kind,
  id: stuck.id,
  merchant: stuck.merchant,
  mode: stuck.mode,
  amount: stuck.amount,
  since: stuck.since.toISOString(),
  why: stuck.why,
  status: stuck.status,
  age_seconds: Math.max(0, Math.round((now.getTime() - stuck.since.getTime()) / 1000)),
  next_check_at: stuck.nextAt?.toISOString() ?? null,
  rail_reference: stuck.attempt,
  state: stuck.attemptState,
  evidence: stuck.evidence.map(heard),
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

const linesOf = (stuck: Stuck) => [
  `${stuck.kind} ${stuck.id} ${stuck.mode} of ${stuck.merchant}${stuck.amount === null ? '' : `, UGX ${stuck.amount}`}, since ${stuck.since.toISOString()}: ${stuck.why}`,
  ...stuck.evidence.map(lineOf),
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
