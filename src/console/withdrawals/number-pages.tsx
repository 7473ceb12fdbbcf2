import { at } from '../../actors/actor.ts'
import type { Gateway } from '../../app.ts'
import { getMerchant } from '../../merchants/set-merchant.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Empty, Money, Said, Status, Time } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Pager, Table } from '../../pages/table.tsx'
import { maskPhone } from '../../platform/phone.ts'
import { askName } from '../../reports/ask-name.ts'
import { allTopUps, type ListedTopUp } from '../../top-ups/all-top-ups.ts'
import { type HeardName, heardNames } from '../../verification/heard-names.ts'
import { nameChecks } from '../../verification/name-check.ts'
import { readVerification } from '../../verification/read-application.ts'
import { type WaitingNumber, waitingNumbers } from '../../withdrawals/waiting.ts'
import { verifyWithdrawalNumber } from '../../withdrawals/withdrawal-number.ts'
import { WITHDRAWALS } from '../texts/withdrawals.ts'
import { Heard } from '../verification/answers.tsx'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'

const { numbers: words, topUps, columns } = WITHDRAWALS
const PATH = '/numbers'

const ASK: FormSpec = {
  path: `${PATH}/:id/ask`,
  action: 'merchant.name-check',
  fields: [],
  submit: words.ask,
  plain: true,
}
const VERIFY: FormSpec = {
  path: `${PATH}/:id/verify`,
  action: 'withdrawal.verify',
  // The number that this person has seen, so that no other number is verified by mistake.
  fields: [{ name: 'phone', label: '', kind: 'hidden' }],
  submit: words.verify,
}

type Row = WaitingNumber & Pick<HeardName, 'check' | 'differs'>

/** Adds the operator's name check of this number, compared with the name that the business gave for its withdrawals. */
async function withCheck(gateway: Gateway, row: WaitingNumber): Promise<Row> {
  const { app, merchant } = await getMerchant(gateway, row.publicId)
  const [checks, { answers }] = await Promise.all([
    nameChecks(app, merchant.id),
    readVerification(app, merchant.id),
  ])
  const nameCheck = heardNames({ answers, withdrawal: row.phone, checks }).find(
    ({ what }) => what === 'withdrawal',
  )
  return { ...row, check: nameCheck?.check ?? null, differs: nameCheck?.differs ?? false }
}

const columnsAt = (visit: ConsoleVisit, state: FormState | null): readonly Column<Row>[] => [
  { title: columns.business, cell: ({ name }) => <Said text={name} /> },
  { title: columns.phone, cell: ({ phone }) => phone },
  { title: columns.since, cell: ({ at: since }) => <Time at={since} /> },
  { title: words.heard, cell: ({ check, differs }) => <Heard check={check} differs={differs} /> },
  {
    title: words.act,
    cell: ({ publicId: id, phone }) => {
      const ownState = visit.params.id === id ? state : null
      return (
        <>
          <FormBox of={ASK} visit={visit} state={ownState} params={{ id }} compact />
          <FormBox of={VERIFY} visit={visit} state={ownState} params={{ id }} values={{ phone }} compact />
        </>
      )
    },
  },
]

/** Shows the withdrawal numbers that wait for verification. */
async function showNumbers(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway, caller, query } = visit
  const { rows, newer, older } = await waitingNumbers(gateway, caller, {
    ...{ after: query.after ?? null, before: query.before ?? null },
  })
  const checkedRows = await Promise.all(rows.map((row) => withCheck(gateway, row)))
  return shownPage(
    words.title,
    <>
      <h1>{words.title}</h1>
      <p>{words.lead}</p>
      {checkedRows.length === 0 ? (
        <Empty title={words.none} />
      ) : (
        <Table
          caption={words.title}
          rows={checkedRows}
          columns={columnsAt(visit, state)}
          href={({ publicId }) => visit.to(`/merchants/${publicId}`)}
        />
      )}
      <Pager cursors={{ newer, older }} query={query} here={visit.to(PATH)} oldestFirst />
    </>,
    { status: state?.status ?? 200 },
  )
}

const TOP_UPS: readonly Column<ListedTopUp>[] = [
  { title: columns.id, cell: ({ key }) => key },
  { title: columns.business, cell: ({ name }) => <Said text={name} /> },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.phone, cell: ({ phone }) => maskPhone(phone) },
  { title: columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: columns.since, cell: ({ at: since }) => <Time at={since} /> },
]

async function showTopUps(visit: ConsoleVisit): Promise<Shown> {
  const { gateway, caller, query } = visit
  const { rows, newer, older } = await allTopUps(gateway, caller, {
    ...{ after: query.after ?? null, before: query.before ?? null },
  })
  return shownPage(
    topUps.title,
    <>
      <h1>{topUps.title}</h1>
      <p>{topUps.lead}</p>
      {rows.length === 0 ? (
        <Empty title={topUps.none} />
      ) : (
        <Table
          caption={topUps.title}
          rows={rows}
          columns={TOP_UPS}
          href={({ key }) => visit.to(`/payments/${key}`)}
        />
      )}
      <Pager cursors={{ newer, older }} query={query} here={visit.to('/top-ups')} />
    </>,
  )
}

export const NUMBER_ROUTES: readonly ConsoleRoute[] = [
  page(PATH, (visit) => showNumbers(visit)),
  page('/top-ups', showTopUps),
  form(ASK, {
    async submit(visit) {
      const { app, merchant } = await getMerchant(visit.gateway, visit.params.id)
      const { id: merchantId, tag } = merchant
      await askName(app, at(visit.caller, { merchantId, tag, cell: app.cell, mode: 'live' }), 'withdrawal')
      return doneTo(visit.to(PATH), words.asked)
    },
    again: showNumbers,
  }),
  form(VERIFY, {
    async submit(visit, { phone = '' }) {
      const { app, merchant } = await getMerchant(visit.gateway, visit.params.id)
      await verifyWithdrawalNumber(app, visit.caller, { merchantId: merchant.id, phone })
      return doneTo(visit.to(PATH), words.verified)
    },
    again: showNumbers,
  }),
]
