import { dayBounds, kampalaDay, kampalaMonth, monthBounds } from '../../../platform/time/kampala.ts'
import { exportLedger, LEDGER_FILE_TYPES } from '../../../reports/ledger/export-ledger.ts'
import type { LedgerAccounts } from '../../../reports/ledger/ledger-rows.ts'
import { CHANNEL_NAMES } from '../../../reports/words/channels.ts'
import { LEDGER_WORDS } from '../../../reports/words/ledger.ts'
import { parseDays } from '../../parts/days.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { FieldFault, type FormSpec, type FormState, type FormValues } from '../../parts/forms/form-spec.ts'
import { Section } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'

const { file: words } = WALLET
const DAY_MS = 86_400_000
// Three years and a day of each leap year.
const MAX_DAYS = 1100

const ACCOUNTS: Readonly<Record<string, LedgerAccounts>> = {
  all: ['available', 'pending'],
  available: ['available'],
  pending: ['pending'],
  in_flight: ['in_flight'],
}
const choicesOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

/** Downloads days of the ledger as a list. */
export const EXPORT_LEDGER: FormSpec = {
  path: '/wallet/export',
  action: 'export',
  fields: [
    { name: 'from', label: words.from, kind: 'date' },
    { name: 'until', label: words.until, kind: 'date' },
    { name: 'balance', label: words.balance, kind: 'select', choices: choicesOf(words.balances) },
    { name: 'as', label: words.kind, kind: 'select', choices: choicesOf(words.kinds) },
  ],
  submit: words.submit,
}

type LedgerFileProps = { visit: DashboardVisit; state: FormState | null; balance?: string }

/** The form for a list of any days. */
export function LedgerFileBox({ visit, state, balance = 'all' }: LedgerFileProps) {
  const values = { ...chooseDays(visit), balance, as: 'xlsx' }
  return (
    <Section title={words.title}>
      <p class="hint">{words.hint}</p>
      <FormBox of={EXPORT_LEDGER} visit={visit} state={state} values={values} />
    </Section>
  )
}

/** The month that a link names, else this one so far. */
function chooseDays({ query, now }: DashboardVisit): { from: string; until: string } {
  const asked = monthBounds(query.month ?? '')
  if (asked === null) return { from: `${kampalaMonth(now)}-01`, until: kampalaDay(now) }
  return { from: kampalaDay(asked.start), until: kampalaDay(new Date(asked.end.getTime() - 1)) }
}

/** Sends the list that the form asks for. */
export async function downloadLedger(visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> {
  const { from = '', until = '', balance = '' } = values
  const kind = values.as === 'csv' ? 'csv' : 'xlsx'
  const stream = await exportLedger(visit.app, visit.caller, {
    period: parsePeriod(from, until),
    accounts: ACCOUNTS[balance] ?? ['available', 'pending'],
    kind,
    words: { ...LEDGER_WORDS, channels: CHANNEL_NAMES },
  })
  const name = `ledger-${visit.merchant.handle}-${visit.mode}-${from}-${until}.${kind}`
  return { kind: 'stream', name, type: LEDGER_FILE_TYPES[kind], stream }
}

function parsePeriod(from: string, until: string) {
  parseDays({ from, until })
  const { start } = dayBounds(from)
  const { end } = dayBounds(until)
  if (end <= start) throw new FieldFault('until', words.order)
  if (end.getTime() - start.getTime() > MAX_DAYS * DAY_MS) throw new FieldFault('until', words.tooLong(MAX_DAYS))
  const name = `${from} to ${until}`
  return { name, label: name, start, end }
}
