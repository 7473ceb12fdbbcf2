import { findHead } from '../../ledger/heads.ts'
import { FormBox } from '../../pages/form.tsx'
import { amountOf, type FormSpec, type FormState } from '../../pages/form-spec.ts'
import { Empty, type Fact, Facts, Money, Note, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { onceOf } from '../../pages/route.ts'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import { onceForKey } from '../../payouts/once-for-key.ts'
import { notFound } from '../../platform/refusal.ts'
import { findWithdrawalNumber, listWithdrawals, type Withdrawal } from '../../withdrawals/find-withdrawals.ts'
import { decideWithdrawal, requestWithdrawal } from '../../withdrawals/withdraw.ts'
import { setWithdrawalNumber, type WithdrawalNumber } from '../../withdrawals/withdrawal-number.ts'
import { Phone } from '../payouts/phone.tsx'
import { WALLET } from '../texts/wallet.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { pausedNote, WalletPages } from './wallet-shell.tsx'

const { withdrawals: words } = WALLET
const PATH = '/wallet/withdrawals'

const NUMBER: FormSpec = {
  path: `${PATH}/number`,
  action: 'withdrawal.number',
  fields: [
    { name: 'phone', label: words.number.label, kind: 'phone', hint: words.number.hint, refused: /phone/ },
  ],
  submit: words.number.submit,
}
const REQUEST: FormSpec = {
  path: `${PATH}/request`,
  action: 'withdrawal.request',
  fields: [{ name: 'amount', label: words.request.amount, kind: 'amount', refused: /amount|balance/ }],
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

const COLUMNS: readonly Column<Withdrawal>[] = [
  { title: words.columns.id, cell: ({ id }) => id },
  {
    title: words.columns.amount,
    cell: ({ amount, fee }) => (
      <>
        <Money amount={amount} />
        <div class="hint">{words.columns.withFee(ugx(fee))}</div>
      </>
    ),
    figures: true,
  },
  { title: words.columns.to, cell: ({ phone }) => <Phone phone={phone} /> },
  { title: words.columns.state, cell: ({ state }) => <Status word={state} /> },
  { title: words.columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: words.columns.note, cell: ({ note }) => <Said text={note} /> },
  { title: words.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

async function showWithdrawals(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  return shownPage(
    words.title,
    <>
      <h1>{words.title}</h1>
      <WalletPages visit={visit} at={PATH} />
      <p>{words.lead}</p>
      {visit.mode === 'test' ? <Note>{words.inTest}</Note> : await Live({ visit, state })}
    </>,
    { status: state?.status ?? 200 },
  )
}

async function Live({ visit, state }: { visit: DashboardVisit; state: FormState | null }) {
  const { app, caller } = visit
  const [rows, number, head] = await Promise.all([
    listWithdrawals(app, caller),
    findWithdrawalNumber(app, caller),
    findHead(app, caller),
  ])
  const waiting = rows.filter((row) => row.state === 'requested')
  return (
    <>
      {await pausedNote(visit)}
      <Section title={words.number.title}>
        <OwnNumber number={number} now={app.clock.now()} />
        <div class="actions">
          <details open={number === null || state?.path === NUMBER.path}>
            <summary>{words.number.change}</summary>
            <FormBox of={NUMBER} visit={visit} state={state} values={{ phone: number?.phone ?? '' }} />
          </details>
        </div>
      </Section>
      {number?.verified && (
        <Section title={words.request.title}>
          <FormBox of={REQUEST} visit={visit} state={state}>
            <p class="hint">{words.request.hint(ugx(head.available))}</p>
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
        <Table
          caption={words.title}
          rows={rows}
          columns={COLUMNS}
          href={({ id }) => visit.to(`/payouts/${id}`)}
        />
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
            <Said text={number.phone} />{' '}
            <Status
              word={number.verified ? words.number.verified : words.number.waits}
              tone={number.verified ? 'good' : 'open'}
            />
          </>,
        ],
        waitOf(number, now),
      ]}
    />
  )

/** The time from which money goes to the number, while it is still to come. */
const waitOf = ({ waitsUntil }: WithdrawalNumber, now: Date): Fact | false =>
  waitsUntil !== null && waitsUntil > now && [words.number.from, <Time at={waitsUntil} />]

/** Withdrawals: the number they go to, a new one, those that wait, and the list. */
export const WITHDRAWAL_ROUTES: readonly DashboardRoute[] = [
  page(PATH, (visit) => showWithdrawals(visit), 'payouts.read'),
  form(NUMBER, {
    async submit(visit, { phone = '' }) {
      await setWithdrawalNumber(visit.app, visit.caller, { merchantId: visit.merchant.id, phone })
      return doneTo(visit.to(PATH), words.number.done)
    },
    again: showWithdrawals,
  }),
  form(REQUEST, {
    async submit(visit, values) {
      const { app, caller, merchant } = visit
      const amount = amountOf(values, 'amount')
      const owner = { merchantId: merchant.id, tag: merchant.tag, key: onceOf(visit).key }
      await onceForKey(app, owner, (key) =>
        requestWithdrawal(app, caller, { merchantId: merchant.id, amount, key }),
      )
      return doneTo(visit.to(PATH), words.request.done)
    },
    again: showWithdrawals,
  }),
  form(CANCEL, {
    async submit(visit) {
      if (visit.mode === 'test') throw notFound('withdrawal')
      const withdrawal = { merchantId: visit.merchant.id, id: visit.params.id ?? '', note: null }
      await decideWithdrawal(visit.app, visit.caller, { ...withdrawal, decision: 'cancelled' })
      return doneTo(visit.to(PATH), words.cancelled)
    },
    again: showWithdrawals,
  }),
]
