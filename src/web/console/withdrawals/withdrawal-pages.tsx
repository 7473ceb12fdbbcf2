import { getMerchantOfTag } from '../../../merchants/account/set-merchant.ts'
import { listWaitingWithdrawals, type WaitingWithdrawal } from '../../../payments/withdrawals/waiting.ts'
import { decideWithdrawal, type WithdrawalDecision } from '../../../payments/withdrawals/withdraw.ts'
import { notFound } from '../../../platform/refusal.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { Empty, Money, OutsideText, Status, Time } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { WITHDRAWALS } from '../texts/withdrawals.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'

const { withdrawals: words, columns, verified, unverified } = WITHDRAWALS
const WITHDRAWALS_PATH = '/withdrawals'

const APPROVE_WITHDRAWAL_FORM: FormSpec = {
  path: `${WITHDRAWALS_PATH}/:id/approve`,
  action: 'withdrawal.decide',
  fields: [],
  submit: words.approve,
  once: true,
}
const REJECT_WITHDRAWAL_FORM: FormSpec = {
  path: `${WITHDRAWALS_PATH}/:id/reject`,
  action: 'withdrawal.decide',
  fields: [{ name: 'note', label: words.note, maxLength: 500 }],
  submit: words.reject,
  once: true,
  danger: true,
}

const buildWithdrawalColumns = (
  visit: ConsoleVisit,
  state: FormState | null,
): readonly ListColumn<WaitingWithdrawal>[] => [
  { title: columns.id, cell: ({ key }) => key },
  {
    title: columns.business,
    cell: ({ publicId, name }) => (
      <a href={visit.to(`/merchants/${publicId}`)}>
        <OutsideText text={name} />
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
          <FormBox of={APPROVE_WITHDRAWAL_FORM} visit={visit} state={ownState} params={{ id }} compact />
          <details open={ownState?.path === REJECT_WITHDRAWAL_FORM.path}>
            <summary>{words.reject}</summary>
            <FormBox of={REJECT_WITHDRAWAL_FORM} visit={visit} state={ownState} params={{ id }} />
          </details>
        </>
      )
    },
  },
]

/** Shows the withdrawals that wait for a decision. */
async function showWithdrawals(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const { rows, newer, older } = await listWaitingWithdrawals(gateway, caller, {
    ...{ after: query.after ?? null, before: query.before ?? null },
  })
  return pageReply(
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
          columns={buildWithdrawalColumns(visit, state)}
          href={({ key }) => visit.to(`/payments/${key}`)}
        />
      )}
      <Pager cursors={{ newer, older }} query={query} here={visit.to(WITHDRAWALS_PATH)} oldestFirst />
    </>,
    { status: state?.status ?? 200 },
  )
}

const decisionForm = (spec: FormSpec, decision: WithdrawalDecision, doneText: string): ConsoleRoute =>
  form(spec, {
    async submit(visit, { note }: FormValues) {
      const { gateway, caller, params } = visit
      const id = params.id ?? ''
      const tag = parseTag('pout_', id)
      if (tag === null) throw notFound('withdrawal')
      const { app, merchant } = await getMerchantOfTag(gateway, { tag, noun: 'withdrawal' })
      const input = { merchantId: merchant.id, id, decision, note: note ?? null }
      await decideWithdrawal(app, caller, input)
      return redirectDone(visit.to(WITHDRAWALS_PATH), doneText)
    },
    showRefused: showWithdrawals,
  })

export const CONSOLE_WITHDRAWAL_ROUTES: readonly ConsoleRoute[] = [
  page(WITHDRAWALS_PATH, (visit) => showWithdrawals(visit)),
  decisionForm(APPROVE_WITHDRAWAL_FORM, 'approved', words.approved),
  decisionForm(REJECT_WITHDRAWAL_FORM, 'rejected', words.rejected),
]
