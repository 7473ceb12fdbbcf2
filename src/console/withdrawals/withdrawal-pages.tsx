import { findMerchantOfTag } from '../../merchants/set-merchant.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState, Values } from '../../pages/form-spec.ts'
import { Empty, Money, Said, Status, Time } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Pager, Table } from '../../pages/table.tsx'
import { tagOf } from '../../platform/ids.ts'
import { notFound } from '../../platform/refusal.ts'
import { type WaitingWithdrawal, waitingWithdrawals } from '../../withdrawals/waiting.ts'
import { type Decision, decideWithdrawal } from '../../withdrawals/withdraw.ts'
import { WITHDRAWALS } from '../texts/withdrawals.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'

const { withdrawals: words, columns, verified, unverified } = WITHDRAWALS
const PATH = '/withdrawals'

const APPROVE: FormSpec = {
  path: `${PATH}/:id/approve`,
  action: 'withdrawal.decide',
  fields: [],
  submit: words.approve,
  once: true,
}
const REJECT: FormSpec = {
  path: `${PATH}/:id/reject`,
  action: 'withdrawal.decide',
  fields: [{ name: 'note', label: words.note, most: 500 }],
  submit: words.reject,
  once: true,
  danger: true,
}

const columnsAt = (visit: ConsoleVisit, state: FormState | null): readonly Column<WaitingWithdrawal>[] => [
  { title: columns.id, cell: ({ key }) => key },
  {
    title: columns.business,
    cell: ({ publicId, name }) => (
      <a href={visit.to(`/merchants/${publicId}`)}>
        <Said text={name} />
      </a>
    ),
  },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.fee, cell: ({ fee }) => <Money amount={fee} />, figures: true },
  {
    title: columns.phone,
    cell: ({ phone, verified: isVerified }) => (
      <>
        {phone} <Status word={isVerified ? verified : unverified} tone={isVerified ? 'good' : 'warn'} />
      </>
    ),
  },
  { title: columns.since, cell: ({ at }) => <Time at={at} /> },
  {
    title: words.act,
    cell: ({ key: id }) => {
      // Only the row whose form was sent shows its fault.
      const ownState = visit.params.id === id ? state : null
      return (
        <>
          <FormBox of={APPROVE} visit={visit} state={ownState} params={{ id }} compact />
          <details open={ownState?.path === REJECT.path}>
            <summary>{words.reject}</summary>
            <FormBox of={REJECT} visit={visit} state={ownState} params={{ id }} />
          </details>
        </>
      )
    },
  },
]

/** Shows the withdrawals that wait for a decision. */
async function showWithdrawals(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway, caller, query } = visit
  const { rows, newer, older } = await waitingWithdrawals(gateway, caller, {
    ...{ after: query.after ?? null, before: query.before ?? null },
  })
  return shownPage(
    words.title,
    <>
      <h1>{words.title}</h1>
      <p>{words.lead}</p>
      {rows.length === 0 ? (
        <Empty title={words.none} />
      ) : (
        <Table
          caption={words.title}
          rows={rows}
          columns={columnsAt(visit, state)}
          href={({ key }) => visit.to(`/payments/${key}`)}
        />
      )}
      <Pager cursors={{ newer, older }} query={query} here={visit.to(PATH)} oldestFirst />
    </>,
    { status: state?.status ?? 200 },
  )
}

const deciding = (spec: FormSpec, decision: Decision, doneText: string): ConsoleRoute =>
  form(spec, {
    async submit(visit, { note }: Values) {
      const { gateway, caller, params } = visit
      const id = params.id ?? ''
      const tag = tagOf('pout_', id)
      if (tag === null) throw notFound('withdrawal')
      const { app, merchant } = await findMerchantOfTag(gateway, { tag, noun: 'withdrawal' })
      const input = { merchantId: merchant.id, id, decision, note: note ?? null }
      await decideWithdrawal(app, caller, input)
      return doneTo(visit.to(PATH), doneText)
    },
    again: showWithdrawals,
  })

export const WITHDRAWAL_ROUTES: readonly ConsoleRoute[] = [
  page(PATH, (visit) => showWithdrawals(visit)),
  deciding(APPROVE, 'approved', words.approved),
  deciding(REJECT, 'rejected', words.rejected),
]
