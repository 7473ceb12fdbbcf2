import { readBalance } from '../../../ledger/balances.ts'
import { findPayoutPause } from '../../../payments/payouts/find-payout-pause.ts'
import { getPrepared } from '../../../payments/payouts/prepared/find-prepared.ts'
import { type LineHolder, lookUpPreparedHolders } from '../../../payments/payouts/prepared/look-up-prepared-holders.ts'
import { parsePreparedSchedule, parsePreparedSubaccount } from '../../../payments/payouts/prepared/prepared-lines.ts'
import type { StoredPrepared } from '../../../payments/payouts/prepared/prepared-payout.ts'
import { getSubaccount, readBalances } from '../../../payments/subaccounts/find-subaccounts.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { type Fact, Facts, Money, Note, OutsideText, Section, State, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { getObjectPath } from '../object-link.tsx'
import { PREPARED } from '../texts/payouts.ts'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'
import { Recipients } from './prepared-recipients.tsx'

const { facts } = PREPARED

export const APPROVE_PREPARED: FormSpec = {
  path: '/payouts/prepared/:id/approve',
  action: 'payout.approve',
  fields: [],
  submit: PREPARED.approve.submit,
  once: true,
}
export const REJECT_PREPARED: FormSpec = {
  path: '/payouts/prepared/:id/reject',
  action: 'payout.reject',
  fields: [{ name: 'reason', label: PREPARED.reject.reason, optional: true, maxLength: 500 }],
  submit: PREPARED.reject.submit,
  danger: true,
}
export const WITHDRAW_PREPARED: FormSpec = {
  path: '/payouts/prepared/:id/withdraw',
  action: 'payout.withdraw',
  fields: [],
  submit: PREPARED.withdraw.submit,
  danger: true,
}

/** Shows one prepared payout: what it would do, who prepared it, and the forms that decide about it. */
export async function showPrepared(
  visit: DashboardVisit,
  state: FormState | null = null,
  knownHolders: readonly LineHolder[] | null = null,
): Promise<SurfaceReply> {
  const row = await getPrepared(visit.app, visit.caller, visit.params.id ?? '')
  const source = await readMoneySource(visit, row)
  const waits = row.status === 'prepared' || (row.status === 'approved' && row.takenBack)
  if (visit.part === 'names') {
    const holders = await lookUpPreparedHolders(visit.app, visit.caller, row.id)
    return { kind: 'part', body: <Recipients {...{ visit, row, holders, waits }} />, final: true }
  }
  const pause = waits ? await findPayoutPause(visit.app, visit.caller) : null
  const missing = row.amount + row.fees - source.available
  return pageReply(
    `${PREPARED.kinds[row.kind]}, ${formatShillings(row.amount)}`,
    <>
      <div class="top">
        <h1>
          <Money amount={row.amount} />
        </h1>
        <State of="prepared" state={row.status} />
        <code>{row.id}</code>
      </div>
      {row.takenBack && <Note tone="warn">{PREPARED.takenBack}</Note>}
      {pause !== null && (
        <Note tone="warn">
          {WALLET.paused[pause.by]}. {PREPARED.stopped}
        </Note>
      )}
      {waits && missing > 0 && <Note tone="warn">{PREPARED.short(formatShillings(missing))}</Note>}
      <Section title={PREPARED.kinds[row.kind]}>
        <Facts
          facts={[
            ...buildPreparedFacts(visit, row),
            source.fact,
            waits && [facts.available, <Money amount={source.available} />],
          ]}
        />
      </Section>
      <Section title={PREPARED.recipients}>
        <Recipients {...{ visit, row, holders: knownHolders, waits }} />
      </Section>
      {waits && <DecisionForms visit={visit} row={row} state={state} />}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Reads whose money it sends, the merchant's own or that of one subaccount, and how much of it is available now. */
async function readMoneySource(
  visit: DashboardVisit,
  row: StoredPrepared,
): Promise<{ available: number; fact: Fact | false }> {
  const { app, caller, merchant, mode } = visit
  const id = parsePreparedSubaccount(row)
  if (id === null) {
    const { available } = await readBalance(app.db, merchant.id, mode)
    return { available: Number(available), fact: false }
  }
  const { name } = await getSubaccount(app, caller, id)
  const { available } = await readBalances(app, caller, id)
  const link = (
    <a href={visit.to(`/subaccounts/${id}`)}>
      <OutsideText text={name} />
    </a>
  )
  return { available, fact: [facts.subaccount, link] }
}

function buildPreparedFacts(visit: DashboardVisit, row: StoredPrepared): (Fact | false)[] {
  const { objectId, decidedAt, decidedName, status } = row
  return [
    [facts.amount, <Money amount={row.amount} />],
    [facts.fees, <Money amount={row.fees} />],
    [facts.total, <Money amount={row.amount + row.fees} />],
    [facts.recipients, row.recipients],
    ...scheduleFacts(row),
    [facts.note, <OutsideText text={row.note} />],
    [facts.by, <OutsideText text={row.madeName} />],
    [facts.created, <Time at={row.createdAt} />],
    [facts.expires, <Time at={row.expiresAt} />],
    decidedName !== null && [facts.decided[status] ?? '', <OutsideText text={decidedName} />],
    decidedAt !== null && [facts.when, <Time at={decidedAt} />],
    row.reason !== null && [facts.reason, <OutsideText text={row.reason} />],
    objectId !== null && !row.takenBack && [facts.made, <a href={visit.to(getObjectPath(objectId))}>{objectId}</a>],
  ]
}

/** Builds the facts of when a prepared schedule pays: its approver decides about every cycle to come. */
function scheduleFacts(row: StoredPrepared): (Fact | false)[] {
  const schedule = parsePreparedSchedule(row)
  if (schedule === null) return []
  const { interval, name, startAt, maxPerRecipient } = schedule
  return [
    name !== null && [facts.name, <OutsideText text={name} />],
    [facts.interval, PREPARED.intervals[interval] ?? interval],
    [facts.start, startAt === null ? PREPARED.atOnce : <Time at={startAt} />],
    maxPerRecipient !== null && [facts.most, <Money amount={maxPerRecipient} />],
  ]
}

type DecisionProps = { visit: DashboardVisit; row: StoredPrepared; state: FormState | null }

function DecisionForms({ visit, row, state }: DecisionProps) {
  const params = { id: row.id }
  if (row.madeBy === visit.caller.personId)
    return (
      <>
        <Note>{PREPARED.own}</Note>
        {row.status === 'prepared' && <FormBox of={WITHDRAW_PREPARED} visit={visit} state={state} params={params} />}
      </>
    )
  return (
    <>
      <FormBox of={APPROVE_PREPARED} visit={visit} state={state} params={params}>
        <p class="hint">{PREPARED.approve.says}</p>
      </FormBox>
      {row.status === 'prepared' && (
        <div class="actions">
          <details open={state?.path === REJECT_PREPARED.path}>
            <summary>{PREPARED.reject.title}</summary>
            <FormBox of={REJECT_PREPARED} visit={visit} state={state} params={params} />
          </details>
        </div>
      )}
    </>
  )
}
