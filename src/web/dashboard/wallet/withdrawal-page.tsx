import { getLedgerHead } from '../../../ledger/get-ledger-head.ts'
import { onceForKey } from '../../../payments/payouts/once-for-key.ts'
import {
  findWithdrawalNumber,
  listWithdrawals,
  type Withdrawal,
} from '../../../payments/withdrawals/find-withdrawals.ts'
import { decideWithdrawal, requestWithdrawal } from '../../../payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, type WithdrawalNumber } from '../../../payments/withdrawals/withdrawal-number.ts'
import { notFound } from '../../../platform/refusal.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import { type FormSpec, type FormState, getAmount } from '../../parts/forms/form-spec.ts'
import { Empty, type Fact, Facts, Money, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { getOnce } from '../../parts/routes/route.ts'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { Phone } from '../payouts/phone.tsx'
import { WALLET } from '../texts/wallet.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { renderPausedNote, WalletTabs } from './wallet-tabs.tsx'

const { withdrawals: words } = WALLET
const PATH = '/wallet/withdrawals'

const SET_WITHDRAWAL_NUMBER: FormSpec = {
  path: `${PATH}/number`,
  action: 'withdrawal.number',
  fields: [{ name: 'phone', label: words.number.label, kind: 'phone', hint: words.number.hint }],
  submit: words.number.submit,
}
const REQUEST: FormSpec = {
  path: `${PATH}/request`,
  action: 'withdrawal.request',
  fields: [{ name: 'amount', label: words.request.amount, kind: 'amount', codes: ['insufficient_balance'] }],
  submit: words.request.submit,
  once: true,
}
const CANCEL: FormSpec = {
  path: `${PATH}/:id/cancel`,
  action: 'withdrawal.cancel',
  fields: [],
  submit: words.cancel,
  danger: true,
}

const COLUMNS: readonly ListColumn<Withdrawal>[] = [
  { title: words.columns.id, cell: ({ id }) => id },
  {
    title: words.columns.amount,
    cell: ({ amount, fee }) => (
      <>
        <Money amount={amount} />
        <div class="hint">{words.columns.withFee(formatShillings(fee))}</div>
      </>
    ),
    figures: true,
  },
  { title: words.columns.to, cell: ({ phone }) => <Phone phone={phone} /> },
  { title: words.columns.state, cell: ({ state }) => <Status word={state} /> },
  { title: words.columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: words.columns.note, cell: ({ note }) => <OutsideText text={note} /> },
  { title: words.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

async function showWithdrawals(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  return pageReply(
    words.title,
    <>
      <h1>{words.title}</h1>
      <WalletTabs visit={visit} at={PATH} />
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
          <FormBox of={REQUEST} visit={visit} state={state}>
            <p class="hint">{words.request.hint(formatShillings(head.available))}</p>
          </FormBox>
        </Section>
      )}
      {waiting.length > 0 && (
        <Section title={words.cancelTitle}>
          {waiting.map(({ id, amount }) => (
            <FormBox of={CANCEL} visit={visit} state={state} params={{ id }} compact>
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

/** Withdrawals: the number they go to, a new one, those that wait, and the list. */
export const WITHDRAWAL_ROUTES: readonly DashboardRoute[] = [
  page(PATH, (visit) => showWithdrawals(visit), 'payouts.read'),
  form(SET_WITHDRAWAL_NUMBER, {
    async submit(visit, { phone = '' }) {
      await setWithdrawalNumber(visit.app, visit.caller, { merchantId: visit.merchant.id, phone })
      return redirectDone(visit.to(PATH), words.number.done)
    },
    showRefused: showWithdrawals,
  }),
  form(REQUEST, {
    async submit(visit, values) {
      const { app, caller, merchant } = visit
      const amount = getAmount(values, 'amount')
      const owner = { merchantId: merchant.id, tag: merchant.tag, key: getOnce(visit).key }
      await onceForKey(app, owner, (key) => requestWithdrawal(app, caller, { merchantId: merchant.id, amount, key }))
      return redirectDone(visit.to(PATH), words.request.done)
    },
    showRefused: showWithdrawals,
  }),
  form(CANCEL, {
    async submit(visit) {
      if (visit.mode === 'test') throw notFound('withdrawal')
      const withdrawal = { merchantId: visit.merchant.id, id: visit.params.id ?? '', note: null }
      await decideWithdrawal(visit.app, visit.caller, { ...withdrawal, decision: 'cancelled' })
      return redirectDone(visit.to(PATH), words.cancelled)
    },
    showRefused: showWithdrawals,
  }),
]
