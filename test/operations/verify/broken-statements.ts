import { CARDS } from './broken/cards.ts'
import { CREDITING } from './broken/crediting.ts'
import { PAYING_MANY } from './broken/many.ts'
import { MEMORY } from './broken/memory.ts'
import { PAYING } from './broken/paying.ts'
import { POSTING } from './broken/posting.ts'
import { REFUNDING } from './broken/refunding.ts'
import { SETTLING } from './broken/settling.ts'
import { SHARING } from './broken/sharing.ts'
import { STATES } from './broken/states.ts'
import type { BrokenStatement } from './broken/success.ts'

/** The broken statements about money in, then those about money that is shared, refunded and paid out. */
export const BROKEN_STATEMENTS: readonly BrokenStatement[] = [
  ...CREDITING,
  ...POSTING,
  ...SETTLING,
  ...STATES,
  ...MEMORY,
  ...SHARING,
  ...CARDS,
  ...PAYING,
  ...REFUNDING,
  ...PAYING_MANY,
]

type Refusal = { statement: string; role?: string; message: RegExp }

/** Every way to change an append-only table (L7), tried by the owner of the tables and by the role of the service. */
export const REFUSALS_OF_RECORD: readonly Refusal[] = [
  ['transfers', 'amount = amount + 1'],
  ['settlements', 'amount = amount + 1'],
  ['events', `body = ''`],
  ['event_seals', 'sequence = sequence + 1'],
  ['ledger_checkpoints', `balances = '{}'`],
  ['rail_evidence', `answer = ''`],
].flatMap(([table, change]) =>
  [`update ${table} set ${change}`, `delete from ${table}`, `truncate ${table}`].flatMap((statement) => [
    { statement, message: new RegExp(`${table} is append-only`) },
    { statement, role: 'gateway_app', message: new RegExp(`permission denied for table ${table}`) },
  ]),
)
