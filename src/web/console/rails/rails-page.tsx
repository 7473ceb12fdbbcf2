import {
  type BudgetState,
  checkRails,
  type InstallationState,
  type RailCheck,
  readRails,
} from '../../../operations/investigation/rail-checks.ts'
import {
  FLOAT_KINDS,
  type FloatReading,
  recordFloat,
  type StoredFloatRecord,
} from '../../../operations/reconciliation/float-records.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { TokenState } from '../../../rails/configured-rail.ts'
import type { StandingTrouble } from '../../../rails/rail-troubles.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { type FormSpec, type FormState, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { Empty, Money, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { RAILS } from '../texts/rails.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'

const { contracts, troubles, checks, floats, tokens, budgets } = RAILS
const RAILS_PATH = '/rails'
// The page waits this long for the checks of the rails; slower checks go on without it.
const CHECK_WAIT_MS = 4000
const SIDES = ['collect', 'disburse'] as const

const CHECK_FORM: FormSpec = {
  path: '/rails/check',
  action: 'rails.check',
  fields: [],
  submit: checks.submit,
}
const RECORD_FLOAT_FORM: FormSpec = {
  path: '/rails/float',
  action: 'float.record',
  fields: [
    { name: 'installation', label: floats.installation, maxLength: 100 },
    {
      name: 'side',
      label: floats.side,
      kind: 'select',
      choices: SIDES.map((value) => ({ value, label: floats.sides[value] })),
    },
    {
      name: 'kind',
      label: floats.kind,
      kind: 'select',
      choices: FLOAT_KINDS.map((value) => ({ value, label: floats.kinds[value] })),
    },
    { name: 'amount', label: floats.amount, kind: 'amount' },
    { name: 'note', label: floats.note, maxLength: 255 },
  ],
  submit: floats.submit,
  once: true,
}

const INSTALLATION_COLUMNS: readonly ListColumn<InstallationState>[] = [
  { title: contracts.columns.id, cell: ({ id }) => id },
  {
    title: contracts.columns.state,
    cell: ({ active }) => (
      <Status word={active ? contracts.active : contracts.passive} tone={active ? 'good' : 'quiet'} />
    ),
  },
]
const TROUBLE_COLUMNS: readonly ListColumn<StandingTrouble>[] = [
  { title: troubles.columns.where, cell: ({ installation, side }) => `${installation}, ${side}` },
  { title: troubles.columns.kind, cell: ({ kind }) => kind.replaceAll('-', ' ') },
  { title: troubles.columns.says, cell: ({ says }) => <OutsideText text={says} /> },
  { title: troubles.columns.count, cell: ({ count }) => count, figures: true },
  { title: troubles.columns.since, cell: ({ since }) => <Time at={since} /> },
]
const CHECK_COLUMNS: readonly ListColumn<RailCheck>[] = [
  { title: checks.columns.where, cell: ({ installation, product }) => `${installation}, ${product}` },
  { title: checks.columns.check, cell: ({ check }) => check },
  {
    title: checks.columns.found,
    cell: ({ ok }) => <Status word={ok ? checks.good : checks.bad} tone={ok ? 'good' : 'bad'} />,
  },
  { title: checks.columns.says, cell: ({ says }) => <OutsideText text={says} /> },
  { title: checks.columns.at, cell: ({ checkedAt }) => <Time at={checkedAt} /> },
  { title: checks.columns.by, cell: ({ checkedBy }) => <bdi>{oneLine(checkedBy)}</bdi> },
]
const FLOAT_COLUMNS: readonly ListColumn<FloatReading>[] = [
  { title: floats.columns.where, cell: ({ installation, side }) => `${installation}, ${side}` },
  {
    title: floats.columns.balance,
    cell: ({ operator, currency }) => `${currency} ${operator.toLocaleString('en-UG')}`,
    figures: true,
  },
  {
    title: floats.columns.state,
    cell: ({ low }) => <Status word={low ? floats.low : floats.enough} tone={low ? 'warn' : 'good'} />,
  },
  { title: floats.columns.at, cell: ({ readAt }) => <Time at={readAt} /> },
]

const TOKEN_COLUMNS: readonly ListColumn<TokenState>[] = [
  { title: tokens.columns.where, cell: ({ installation, product }) => `${installation}, ${product}` },
  {
    title: tokens.columns.until,
    cell: ({ endsAt }) => (endsAt === null ? tokens.none : <Time at={endsAt} />),
  },
]
const BUDGET_COLUMNS: readonly ListColumn<BudgetState>[] = [
  { title: budgets.columns.id, cell: ({ installation }) => installation },
  { title: budgets.columns.left, cell: ({ left }) => left.toFixed(1), figures: true },
  { title: budgets.columns.rate, cell: ({ perSecond }) => perSecond ?? budgets.free, figures: true },
]
const RECORD_COLUMNS: readonly ListColumn<StoredFloatRecord>[] = [
  { title: floats.recordColumns.where, cell: ({ installation, side }) => `${installation}, ${side}` },
  { title: floats.recordColumns.kind, cell: ({ kind }) => floats.kinds[kind] },
  { title: floats.recordColumns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: floats.recordColumns.note, cell: ({ note }) => <OutsideText text={note} /> },
  { title: floats.recordColumns.by, cell: ({ recordedBy }) => <bdi>{oneLine(recordedBy)}</bdi> },
  { title: floats.recordColumns.at, cell: ({ recordedAt }) => <Time at={recordedAt} /> },
]

/** Shows our accounts at operators, their troubles, credentials and wallets. */
async function showRails(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const rails = await readRails(visit.gateway)
  return pageReply(
    RAILS.title,
    <>
      <h1>{RAILS.title}</h1>
      {rails.installations.length === 0 ? (
        <Empty title={RAILS.none.title}>
          <p>{RAILS.none.says}</p>
        </Empty>
      ) : (
        <Section title={contracts.title}>
          <Table caption={contracts.title} rows={rails.installations} columns={INSTALLATION_COLUMNS} />
          <p class="hint">
            {contracts.switch} <a href={visit.to('/installations')}>{contracts.approvals}</a>
          </p>
        </Section>
      )}
      <Section title={troubles.title}>
        {rails.troubles.length === 0 ? (
          <p>{troubles.none}</p>
        ) : (
          <Table caption={troubles.title} rows={rails.troubles} columns={TROUBLE_COLUMNS} />
        )}
      </Section>
      <Section title={checks.title}>
        {rails.checks.length === 0 ? (
          <p>{checks.none}</p>
        ) : (
          <Table caption={checks.title} rows={rails.checks} columns={CHECK_COLUMNS} />
        )}
        {rails.installations.length > 0 && (
          <FormBox of={CHECK_FORM} visit={visit} state={state}>
            <p class="hint">{checks.hint}</p>
          </FormBox>
        )}
      </Section>
      {rails.tokens.length > 0 && (
        <Section title={tokens.title}>
          <Table caption={tokens.title} rows={rails.tokens} columns={TOKEN_COLUMNS} />
        </Section>
      )}
      {rails.budgets.length > 0 && (
        <Section title={budgets.title}>
          <Table caption={budgets.title} rows={rails.budgets} columns={BUDGET_COLUMNS} />
          <p class="hint">{budgets.hint}</p>
        </Section>
      )}
      <Wallets visit={visit} state={state} readings={rails.floats} records={rails.records} />
    </>,
    { status: state?.status ?? 200 },
  )
}

type WalletsProps = {
  visit: ConsoleVisit
  state: FormState | null
  readings: readonly FloatReading[]
  records: readonly StoredFloatRecord[]
}

const Wallets = ({ visit, state, readings, records }: WalletsProps) => (
  <Section title={floats.title}>
    {readings.length === 0 ? (
      <p>{floats.none}</p>
    ) : (
      <Table caption={floats.title} rows={readings} columns={FLOAT_COLUMNS} />
    )}
    {records.length > 0 && (
      <>
        <h3>{floats.records}</h3>
        <Table caption={floats.records} rows={records} columns={RECORD_COLUMNS} />
      </>
    )}
    <details open={state?.path === RECORD_FLOAT_FORM.path}>
      <summary>{floats.record}</summary>
      <FormBox of={RECORD_FLOAT_FORM} visit={visit} state={state}>
        <p class="hint">{floats.hint}</p>
      </FormBox>
    </details>
  </Section>
)

async function submitCheck(visit: ConsoleVisit): Promise<SurfaceReply> {
  const checking = checkRails(visit.gateway, visit.caller)
  const slow = new Promise<'slow'>((resolve) => setTimeout(resolve, CHECK_WAIT_MS, 'slow').unref())
  const outcome = await Promise.race([checking.then(() => 'done' as const), slow])
  if (outcome === 'slow')
    checking.catch((err) => visit.gateway.log.error({ err }, 'a check of the rails did not come to its end'))
  return redirectDone(visit.to(RAILS_PATH), outcome === 'done' ? checks.done : checks.begun)
}

async function submitFloatRecord(visit: ConsoleVisit, values: FormValues): Promise<SurfaceReply> {
  const { installation = '', note = '' } = values
  const side = SIDES.find((choice) => choice === values.side) ?? 'collect'
  const kind = FLOAT_KINDS.find((choice) => choice === values.kind) ?? 'charge'
  const amount = getAmount(values, 'amount')
  await recordFloat(visit.gateway, visit.caller, { installation, side, kind, amount, note })
  return redirectDone(visit.to(RAILS_PATH), floats.done)
}

export const RAILS_ROUTES: readonly ConsoleRoute[] = [
  page(RAILS_PATH, (visit) => showRails(visit)),
  form(CHECK_FORM, { submit: submitCheck, showRefused: showRails }),
  form(RECORD_FLOAT_FORM, { submit: submitFloatRecord, showRefused: showRails }),
]
