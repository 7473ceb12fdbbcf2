import { listWaitingWithdrawals, type WaitingWithdrawal } from '../../../payments/withdrawals/waiting.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { OutsideText, Status } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { ListColumn } from '../../parts/table.tsx'
import { WITHDRAWALS } from '../texts/withdrawals.ts'
import type { ConsoleVisit } from '../visit.ts'

const { withdrawals: words, columns, verified, unverified } = WITHDRAWALS
export const WITHDRAWALS_PATH = '/withdrawals'

export const APPROVE_WITHDRAWAL_FORM: FormSpec = {
  path: `${WITHDRAWALS_PATH}/:id/approve`,
  action: 'withdrawal.decide',
  fields: [],
  submit: words.approve,
  once: true,
}
export const REJECT_WITHDRAWAL_FORM: FormSpec = {
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
  {
    title: columns.id,
    cell: ({ key, standing }) => (
      <>
        {key} {standing && <span class="hint">{WITHDRAWALS.ofOrder}</span>}
      </>
    ),
  },
  {
    title: columns.business,
    cell: ({ publicId, name }) => (
      <a href={visit.to(`/merchants/${publicId}`)}>
        <OutsideText text={name} />
      </a>
    ),
  },
  column.money(columns.amount, ({ amount }) => amount),
  column.money(columns.fee, ({ fee }) => fee),
  {
    title: columns.phone,
    cell: ({ phone, verified: isVerified }) => (
      <>
        {phone} <Status word={isVerified ? verified : unverified} tone={isVerified ? 'good' : 'warn'} />
      </>
    ),
  },
  column.time(columns.since, ({ at }) => at),
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
export async function showWithdrawals(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const { rows, newer, older } = await listWaitingWithdrawals(gateway, caller, {
    ...{ after: query.after ?? null, before: query.before ?? null },
  })
  return listPage({
    title: words.title,
    ...{ rows, columns: buildWithdrawalColumns(visit, state) },
    href: ({ key }: WaitingWithdrawal) => visit.to(`/payments/${key}`),
    ...{ here: visit.to(WITHDRAWALS_PATH), query, cursors: { newer, older }, oldestFirst: true, state },
    lead: <p>{words.lead}</p>,
    empty: { title: words.none },
  })
}
