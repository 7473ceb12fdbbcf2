import type { RailSide } from '../../../rails/rail.ts'

/** A difference between a statement and our books. */
export type StatementDifference = {
  kind: 'rail_only' | 'ours_only' | 'mismatch' | 'doubled_by_rail' | 'other_number'
  /** Null where it belongs to no merchant. */
  merchantId: number | null
  subject: string
  details: Record<string, unknown>
}
export const DIFFERENCE_KINDS = [
  'rail_only',
  'ours_only',
  'mismatch',
  'doubled_by_rail',
  'other_number',
] as const satisfies readonly StatementDifference['kind'][]

/** The period of a statement. */
export type StatementSpan = { from: Date; to: Date }
const MARGIN_MS = 2 * 3_600_000
export const judgedSpan = ({ from, to }: StatementSpan): StatementSpan => ({
  from: new Date(from.getTime() + MARGIN_MS),
  to: new Date(to.getTime() - MARGIN_MS),
})

/** A line of a statement that moved money, with our movement that it is about. Whole UGX. */
export type MovedLine = {
  line: number
  type: RailSide
  amount: number
  at: Date
  /** The time as the database writes it in JSON, for comparison with earlier reports. */
  atText: string
  number: string | null
  externalId: string | null
  movement: string | null
  merchantId: number | null
  ours: { side: RailSide; amount: number; status: string; isVoid: boolean; number: string | null } | null
  /** The operator's numbers of this movement in all its statements. */
  numbers: readonly string[]
}
type LineJudgement = { agrees: boolean; differences: StatementDifference[] }

/** Compares a line with our books (rails.md 5.2). `inside`: the period in which a line that we lack counts. */
export function judgeLine(line: MovedLine, inside: StatementSpan): LineJudgement {
  const { ours, movement, merchantId } = line
  if (ours === null || movement === null) {
    const isJudged = line.at >= inside.from && line.at <= inside.to
    return { agrees: false, differences: isJudged ? [railOnly(line)] : [] }
  }
  const about = { merchantId, subject: movement }
  const differences: StatementDifference[] = []
  const says = ours.isVoid ? 'void' : ours.status
  if (says === 'void' || says === 'failed')
    differences.push({ kind: 'rail_only', ...about, details: operatorDetails(line, says) })
  if (line.amount !== ours.amount || line.type !== ours.side)
    differences.push({ kind: 'mismatch', ...about, details: sideDetails(line, ours) })
  if (line.numbers.length > 1)
    differences.push({ kind: 'doubled_by_rail', ...about, details: { numbers: line.numbers } })
  if (isOtherNumber(line, ours.number))
    differences.push({ kind: 'other_number', ...about, details: numberDetails(line, ours) })
  const moved = says === 'succeeded' || says === 'refunded'
  return { agrees: moved && differences.length === 0, differences }
}

/** A line that we lack: critical for the merchant whose id it carries (rails.md 5.2), otherwise of no merchant. */
const railOnly = (line: MovedLine): StatementDifference => ({
  kind: 'rail_only',
  merchantId: line.movement === null ? null : line.merchantId,
  subject: line.movement ?? line.externalId ?? `number ${line.number}`,
  details: operatorDetails(line, 'nothing'),
})

const operatorDetails = ({ amount, atText, number }: MovedLine, says: string) => ({
  ...{ amount, at: atText, number, we_say: says },
})
const sideDetails = ({ amount, type }: MovedLine, ours: { amount: number }) => ({
  ...{ we_say: ours.amount, rail_said: amount, side: type },
})
const numberDetails = ({ number }: MovedLine, ours: { number: string | null }) => ({
  ...{ we_say: ours.number, rail_said: number },
})

/** The number without leading zeros, which mean nothing. */
export const normalizeNumber = (number: string): string => number.replace(/^0+(?=[0-9])/, '')

/** Whether the operator gave us one number and lists this movement only under another. */
function isOtherNumber({ number, numbers }: MovedLine, ourNumber: string | null): boolean {
  if (number === null || ourNumber === null) return false
  const value = normalizeNumber(ourNumber)
  return normalizeNumber(number) !== value && !numbers.includes(value)
}
