import { getMerchant } from '../../../merchants/account/set-merchant.ts'
import { type CheckedName, compareNames } from '../../../merchants/verification/checked-names.ts'
import { readNameChecks } from '../../../merchants/verification/name-check.ts'
import { readVerification } from '../../../merchants/verification/read-application.ts'
import { type ListedTopUp, listAllTopUps } from '../../../payments/top-ups/all-top-ups.ts'
import { listWaitingNumbers, type WaitingNumber } from '../../../payments/withdrawals/waiting.ts'
import { maskPhone } from '../../../platform/text/phone.ts'
import type { Gateway } from '../../../program/app.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { ListColumn } from '../../parts/table.tsx'
import { WITHDRAWALS } from '../texts/withdrawals.ts'
import { HeardNameStatus } from '../verification/application-answers.tsx'
import type { ConsoleVisit } from '../visit.ts'

const { numbers: words, topUps, columns } = WITHDRAWALS
export const NUMBERS_PATH = '/numbers'

export const ASK_NUMBER_NAME_FORM: FormSpec = {
  path: `${NUMBERS_PATH}/:id/ask`,
  action: 'merchant.name-check',
  fields: [],
  submit: words.ask,
  plain: true,
}
export const VERIFY_NUMBER_FORM: FormSpec = {
  path: `${NUMBERS_PATH}/:id/verify`,
  action: 'withdrawal.verify',
  // The number that this person has seen, so that no other number is verified by mistake.
  fields: [{ name: 'phone', label: '', kind: 'hidden' }],
  submit: words.verify,
}

type Row = WaitingNumber & Pick<CheckedName, 'check' | 'differs'>

/** Adds the operator's name check of this number, compared with the name that the business gave for its withdrawals. */
async function addNameCheck(gateway: Gateway, row: WaitingNumber): Promise<Row> {
  const { app, merchant } = await getMerchant(gateway, row.publicId)
  const [checks, { answers }] = await Promise.all([
    readNameChecks(app, merchant.id),
    readVerification(app, merchant.id),
  ])
  const nameCheck = compareNames({ answers, withdrawal: row.phone, checks }).find(({ what }) => what === 'withdrawal')
  return { ...row, check: nameCheck?.check ?? null, differs: nameCheck?.differs ?? false }
}

const buildNumberColumns = (visit: ConsoleVisit, state: FormState | null): readonly ListColumn<Row>[] => [
  column.text(columns.business, ({ name }) => name),
  { title: columns.phone, cell: ({ phone }) => phone },
  column.time(columns.since, ({ at: since }) => since),
  { title: words.heard, cell: ({ check, differs }) => <HeardNameStatus check={check} differs={differs} /> },
  {
    title: words.act,
    cell: ({ publicId: id, phone }) => {
      const ownState = visit.params.id === id ? state : null
      return (
        <>
          <FormBox of={ASK_NUMBER_NAME_FORM} visit={visit} state={ownState} params={{ id }} compact />
          <FormBox of={VERIFY_NUMBER_FORM} visit={visit} state={ownState} params={{ id }} values={{ phone }} compact />
        </>
      )
    },
  },
]

/** Shows the withdrawal numbers that wait for verification. */
export async function showNumbers(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const { rows, newer, older } = await listWaitingNumbers(gateway, caller, {
    ...{ after: query.after ?? null, before: query.before ?? null },
  })
  const checkedRows = await Promise.all(rows.map((row) => addNameCheck(gateway, row)))
  return listPage({
    title: words.title,
    ...{ rows: checkedRows, columns: buildNumberColumns(visit, state) },
    href: ({ publicId }: Row) => visit.to(`/merchants/${publicId}`),
    ...{ here: visit.to(NUMBERS_PATH), query, cursors: { newer, older }, oldestFirst: true, state },
    lead: <p>{words.lead}</p>,
    empty: { title: words.none },
  })
}

const TOP_UP_COLUMNS: readonly ListColumn<ListedTopUp>[] = [
  { title: columns.id, cell: ({ key }) => key },
  column.text(columns.business, ({ name }) => name),
  column.money(columns.amount, ({ amount }) => amount),
  { title: columns.phone, cell: ({ phone }) => maskPhone(phone) },
  column.status(columns.status, ({ status }) => status),
  column.time(columns.since, ({ at: since }) => since),
]

export async function showTopUps(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const { rows, newer, older } = await listAllTopUps(gateway, caller, {
    ...{ after: query.after ?? null, before: query.before ?? null },
  })
  return listPage({
    title: topUps.title,
    ...{ rows, columns: TOP_UP_COLUMNS, href: ({ key }: ListedTopUp) => visit.to(`/payments/${key}`) },
    ...{ here: visit.to('/top-ups'), query, cursors: { newer, older } },
    lead: <p>{topUps.lead}</p>,
    empty: { title: topUps.none },
  })
}
