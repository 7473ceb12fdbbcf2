import { largestPayout, payoutFee } from '../../../ledger/fees.ts'
import { getLedgerHead } from '../../../ledger/get-ledger-head.ts'
import {
  findWithdrawalNumber,
  listWithdrawals,
  type Withdrawal,
} from '../../../payments/withdrawals/find-withdrawals.ts'
import type { WithdrawalNumber } from '../../../payments/withdrawals/withdrawal-number.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import { type FormSpec, type FormState, makeFormId } from '../../parts/forms/form-spec.ts'
import {
  Empty,
  type Fact,
  Facts,
  Money,
  Note,
  OutsideText,
  PhoneNumber,
  Section,
  State,
  Status,
  Time,
} from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { STANDING_ORDER } from '../texts/standing-order.ts'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'
import { StandingOrderCard } from './standing-order.tsx'
import { renderPausedNote, WalletTabs } from './wallet-tabs.tsx'

const { withdrawals: words } = WALLET
export const WITHDRAWALS_PATH = '/wallet/withdrawals'

export const SET_WITHDRAWAL_NUMBER: FormSpec = {
  path: `${WITHDRAWALS_PATH}/number`,
  action: 'withdrawal.number',
  fields: [{ name: 'phone', label: words.number.label, kind: 'wallet', hint: words.number.hint }],
  submit: words.number.submit,
}
export const REQUEST_WITHDRAWAL: FormSpec = {
  path: `${WITHDRAWALS_PATH}/request`,
  action: 'withdrawal.request',
  fields: [{ name: 'amount', label: words.request.amount, kind: 'amount', codes: ['insufficient_balance'] }],
  submit: words.request.submit,
  once: true,
}
export const CANCEL_WITHDRAWAL: FormSpec = {
  path: `${WITHDRAWALS_PATH}/:id/cancel`,
  action: 'withdrawal.cancel',
  fields: [],
  submit: words.cancel,
  danger: true,
}

const COLUMNS: readonly ListColumn<Withdrawal>[] = [
  {
    title: words.columns.to,
    cell: ({ phone, standing }) => (
      <>
        <PhoneNumber phone={phone} /> {standing && <span class="quiet">{STANDING_ORDER.mark}</span>}
      </>
    ),
    at: 'who',
  },
  column.amount(words.columns.amount, ({ amount }) => amount),
  column.money(words.columns.fee, ({ fee }) => fee),
  // Until our staff have decided nothing is sent; after that the payout says more.
  {
    title: words.columns.state,
    cell: ({ state, status }) =>
      state === 'approved' ? <State of="payout" state={status} /> : <State of="withdrawal" state={state} />,
    at: 'state',
  },
  column.what(words.columns.note, ({ note }) => note),
  column.when(words.columns.created, ({ createdAt }) => createdAt),
  column.id(),
]

export async function showWithdrawals(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  return pageReply(
    words.title,
    <>
      <h1>{words.title}</h1>
      <WalletTabs visit={visit} at={WITHDRAWALS_PATH} />
      <p>{words.lead}</p>
      {visit.mode === 'test' ? <Note>{words.inTest}</Note> : await LiveWithdrawals({ visit, state })}
    </>,
    { status: state?.status ?? 200 },
  )
}

async function LiveWithdrawals({ visit, state }: { visit: DashboardVisit; state: FormState | null }) {
  const { app, caller } = visit
  const [rows, number, head] = await Promise.all([
    listWithdrawals(app, caller),
    findWithdrawalNumber(app, caller),
    getLedgerHead(app, caller),
  ])
  const waiting = rows.filter((row) => row.state === 'requested')
  return (
    <>
      {await renderPausedNote(visit)}
      <Section title={words.number.title}>
        <OwnNumber number={number} now={app.clock.now()} />
        <div class="actions">
          <details open={number === null || state?.path === SET_WITHDRAWAL_NUMBER.path}>
            <summary>{words.number.change}</summary>
            <FormBox of={SET_WITHDRAWAL_NUMBER} visit={visit} state={state} values={{ phone: number?.phone ?? '' }} />
          </details>
        </div>
      </Section>
      {number?.verified && (
        <Section title={words.request.title}>
          <RequestBox visit={visit} state={state} available={head.available} />
        </Section>
      )}
      {await StandingOrderCard({ visit, state, hasNumber: number?.verified === true })}
      {waiting.length > 0 && (
        <Section title={words.cancelTitle}>
          {waiting.map(({ id, amount }) => (
            <FormBox of={CANCEL_WITHDRAWAL} visit={visit} state={state} params={{ id }} compact>
              <span>
                <Money amount={amount} /> {id}
              </span>
            </FormBox>
          ))}
        </Section>
      )}
      {rows.length === 0 ? (
        <Empty title={words.empty} />
      ) : (
        <Table caption={words.title} rows={rows} columns={COLUMNS} href={({ id }) => visit.to(`/payouts/${id}`)} />
      )}
    </>
  )
}

type RequestBoxProps = { visit: DashboardVisit; state: FormState | null; available: number }

/** The form with its minimum and its fee before anything is asked, and everything as one tap. */
function RequestBox({ visit, state, available }: RequestBoxProps) {
  const all = largestPayout(available)
  const least = visit.app.config.withdrawalMin
  const everything = addressWith(visit.to(WITHDRAWALS_PATH), { amount: 'all' })
  return (
    <FormBox
      of={REQUEST_WITHDRAWAL}
      visit={visit}
      state={state}
      values={visit.query.amount === 'all' && all > 0 ? { amount: String(all) } : {}}
    >
      <p class="hint">{words.request.hint(formatShillings(available), formatShillings(least))}</p>
      {all >= least && (
        <p>
          <a href={`${everything}#${makeFormId(REQUEST_WITHDRAWAL.path, {})}`}>{words.request.everything}</a>{' '}
          <span class="hint">{words.request.comesTo(formatShillings(all), formatShillings(payoutFee(all)))}</span>
        </p>
      )}
    </FormBox>
  )
}

const OwnNumber = ({ number, now }: { number: WithdrawalNumber | null; now: Date }) =>
  number === null ? (
    <p>{words.number.none}</p>
  ) : (
    <Facts
      facts={[
        [
          words.number.label,
          <>
            <OutsideText text={number.phone} />{' '}
            <Status
              word={number.verified ? words.number.verified : words.number.waits}
              tone={number.verified ? 'good' : 'open'}
            />
          </>,
        ],
        buildWaitFact(number, now),
      ]}
    />
  )

/** The time from which money goes to the number, while it is still to come. */
const buildWaitFact = ({ waitsUntil }: WithdrawalNumber, now: Date): Fact | false =>
  waitsUntil !== null && waitsUntil > now && [words.number.from, <Time at={waitsUntil} />]
