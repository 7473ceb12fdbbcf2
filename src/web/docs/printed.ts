import pg from 'pg'
import { ACTIONS, type ActionRule, EVERY_ROLE } from '../../api/access/actions.ts'
import type { Endpoint } from '../../api/http/endpoint.ts'
import { ACCOUNT_MOVES } from '../../merchants/account/account-state.ts'
import { APPLICATION_MOVES } from '../../merchants/verification/application.ts'
import { DELIVERY_MOVES } from '../../merchants/webhooks/delivery.ts'
import { APPROVAL_MOVES } from '../../operations/approvals/approval.ts'
import { CASE_MOVES } from '../../operations/cases/support-case.ts'
import { CHARGE_MOVES } from '../../payments/charges/charge.ts'
import { PAYOUT_MOVES } from '../../payments/payouts/payout.ts'
import { PREPARED_MOVES } from '../../payments/payouts/prepared/prepared-payout.ts'
import { SCHEDULE_MOVES } from '../../payments/scheduled-payouts/schedule.ts'
import { TOP_UP_MOVES } from '../../payments/top-ups/top-up.ts'
import { STANDING_ORDER_MOVES } from '../../payments/withdrawals/standing-orders/standing-order.ts'
import { printSchema } from '../../platform/db/print-schema.ts'
import { formatMetricTable } from '../../platform/log/metric-table.ts'
import { formatMoves } from '../../platform/moves.ts'
import { CLAIM_MOVES } from '../../selling/vending/dispensing/claim.ts'
import { VENDING_MOVES } from '../../selling/vending/orders/order.ts'
import { describeProduct } from './describe-product.ts'

// The printed document belongs to no one deployment, so it has the address on which a first start listens.
const PRINTED_URL = 'http://127.0.0.1:8080'
const SCHEMA_DESCRIPTIONS = {
  directory: 'what is found without knowing the merchant',
  cell_0: 'a cell: merchants and their money',
}

/** Makes the text of docs/openapi.json. */
export const openapiText = (endpoints: readonly Endpoint<never>[]): string =>
  `${JSON.stringify(describeProduct(endpoints, PRINTED_URL), null, 2)}\n`

/** Makes the text of docs/schema.md from a migrated database. */
export async function schemaText(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const parts = [
      '# Schema\n\nPrinted by `npm run docs` from a migrated database, to be read; `migrations/` is what is applied.\n',
    ]
    for (const [schema, description] of Object.entries(SCHEMA_DESCRIPTIONS)) {
      parts.push(`## Schema ${schema}: ${description}\n`)
      for (const { title, sql } of await printSchema(client, schema))
        parts.push(`### ${title}\n\n\`\`\`sql\n${sql}\`\`\`\n`)
    }
    return parts.join('\n')
  } finally {
    await client.end()
  }
}

const MOVES_BY_TITLE = {
  'A charge': CHARGE_MOVES,
  'A payout': PAYOUT_MOVES,
  'A prepared payout': PREPARED_MOVES,
  'An approval': APPROVAL_MOVES,
  'A top-up': TOP_UP_MOVES,
  'An account': ACCOUNT_MOVES,
  'A verification application': APPLICATION_MOVES,
  'A schedule': SCHEDULE_MOVES,
  'A standing order': STANDING_ORDER_MOVES,
  'A case of a merchant': CASE_MOVES,
  'The dispense of a vending order': VENDING_MOVES,
  'A dispense claim': CLAIM_MOVES,
  'A delivery of a webhook': DELIVERY_MOVES,
}
const PRINTED_MOVES = /<!-- printed: moves -->[\s\S]*<!-- end -->/

const PRINTED_ACTIONS = /<!-- printed: actions -->[\s\S]*?<!-- end -->/
const PRINTED_METRICS = /<!-- printed: metrics -->[\s\S]*?<!-- end -->/

/** Puts the tables of actions and of metrics, as they are in code, into the text of docs/operating.md. */
export const operatingText = (written: string): string =>
  written
    .replace(PRINTED_ACTIONS, ['<!-- printed: actions -->', formatActionTable(), '<!-- end -->'].join('\n\n'))
    .replace(PRINTED_METRICS, ['<!-- printed: metrics -->', formatMetricTable(), '<!-- end -->'].join('\n\n'))

/** Puts the tables of moves, as they are in code, into the text of docs/states.md. */
export function statesText(written: string): string {
  const tables = Object.entries(MOVES_BY_TITLE).map(([title, moves]) => formatMoves(title, moves))
  return written.replace(PRINTED_MOVES, ['<!-- printed: moves -->', ...tables, '<!-- end -->'].join('\n\n'))
}

/** The table of who may do what, as Markdown. */
function formatActionTable(): string {
  const rows = Object.entries<ActionRule>(ACTIONS).map(([action, rule]) => {
    const who = [
      ...(rule.key === undefined ? [] : [rule.key === 'full' ? 'full key' : 'key']),
      ...(rule.persons === EVERY_ROLE ? ['any person'] : (rule.persons ?? [])),
      ...(rule.tills ? ['till'] : []),
      ...(rule.operators ?? []).map((role) => `operator: ${role}`),
      ...(rule.others ?? []),
    ]
    return `| \`${action}\` | ${who.join(', ')} | ${rule.fresh ? 'fresh' : ''} | ${rule.audited ? 'yes' : ''} |`
  })
  return ['| Action | Who may | Second factor | Audited |', '|---|---|---|---|', ...rows].join('\n')
}
