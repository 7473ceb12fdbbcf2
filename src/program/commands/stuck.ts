import { findStuck, type StuckAnswer, type StuckItem } from '../../operations/verify/stuck.ts'
import { command } from './frame/command.ts'

const presentAnswer = (answer: StuckAnswer) => ({
  at: answer.at.toISOString(),
  operation: answer.operation,
  answer: answer.answer,
  installation: answer.installation,
  http_status: answer.httpStatus,
  operator_code: answer.operatorCode,
  transport: answer.transport,
})

const presentStuck = (stuck: StuckItem, now: Date) => ({
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
  evidence: stuck.evidence.map(presentAnswer),
})

const formatRailAnswer = (answer: StuckAnswer) =>
  `    ${answer.at.toISOString()} ${answer.operation}: ${[
    answer.answer,
    answer.httpStatus,
    answer.operatorCode,
    answer.transport,
  ]
    .filter((part) => part !== null)
    .join(' ')}`

const formatStuck = (stuck: StuckItem) => [
  `${stuck.kind} ${stuck.id} ${stuck.mode} of ${stuck.merchant}${stuck.amount === null ? '' : `, UGX ${stuck.amount}`}, since ${stuck.since.toISOString()}: ${stuck.why}`,
  ...stuck.evidence.map(formatRailAnswer),
]

const stuck = command({
  usage: 'stuck',
  says: 'money and messages that wait longer than they should, why, and what was heard about them',
  async run({ gateway }) {
    const now = gateway.clock.now()
    const items = (await Promise.all(gateway.cells.map((app) => findStuck(app, now)))).flat()
    return {
      json: { stuck: items.map((item) => presentStuck(item, now)) },
      lines: items.length === 0 ? ['nothing is stuck'] : items.flatMap(formatStuck),
    }
  },
})

export const stuckCommands = [stuck]
