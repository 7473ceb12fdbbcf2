import type { Charge } from '../../../payments/charges/charge.ts'
import { computeNet } from '../../../payments/charges/charge.ts'
import { formatPhone } from '../../../platform/text/phone.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { MAX_NAME_CHARACTERS, MAX_NOTE_CHARACTERS } from '../../../selling/customers/change-customer.ts'
import { type Customer, getCustomer, readCardsOf } from '../../../selling/customers/find-customers.ts'
import { readLinkNames } from '../../../selling/storefront/name-links.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Money, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { mayAsk } from '../ask/ask-form.tsx'
import { INVOICE_COLUMNS } from '../invoices/invoice-list.tsx'
import { NEW_INVOICE } from '../invoices/new-invoice.tsx'
import { NewButton } from '../lists/create-page.tsx'
import { CHARGES } from '../texts/charges.ts'
import { CUSTOMERS } from '../texts/customers.ts'
import type { DashboardVisit } from '../visit.ts'

const { totals: totalTexts, note, data } = CUSTOMERS
const NUMBER_FORMAT = new Intl.NumberFormat('en-US')

export const SET_CUSTOMER: FormSpec = {
  path: '/customers/:id/note',
  action: 'customer.set',
  fields: [
    { name: 'name', label: note.name, maxLength: MAX_NAME_CHARACTERS, optional: true },
    { name: 'note', label: note.note, kind: 'lines', maxLength: MAX_NOTE_CHARACTERS, hint: note.hint, optional: true },
  ],
  submit: note.submit,
}
export const EXPORT_CUSTOMER: FormSpec = {
  path: '/customers/:id/export',
  action: 'export',
  fields: [],
  submit: data.download,
  plain: true,
}
export const FORGET_CUSTOMER: FormSpec = {
  path: '/customers/:id/forget',
  action: 'customer.forget',
  fields: [],
  submit: data.forget,
  danger: true,
}

const columnsWith = (names: ReadonlyMap<string, string>): readonly ListColumn<Charge>[] => [
  {
    ...column.text(
      CHARGES.columns.what,
      ({ reference, paymentLinkId }: Charge) => names.get(paymentLinkId ?? '') ?? reference,
    ),
    at: 'who',
  },
  column.amount(CHARGES.columns.amount, ({ amount }) => amount),
  column.money(CHARGES.columns.net, computeNet),
  column.state(CHARGES.columns.status, 'charge', (charge) => charge),
  column.when(CHARGES.columns.created, ({ createdAt }) => createdAt),
  column.id(),
]

/** Shows one customer: how to reach the person, what was paid, and what the shop has written down. */
export async function showCustomer(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller } = visit
  const customer = await getCustomer(app, caller, visit.params.id ?? '')
  const [names, cards] = await Promise.all([
    readLinkNames(
      app,
      caller.merchantId,
      customer.charges.map(({ paymentLinkId }) => paymentLinkId),
    ),
    readCardsOf(app, caller.merchantId, customer.charges),
  ])
  const params = { id: customer.phone }
  const shown = customer.name === null ? formatPhone(customer.phone) : oneLine(customer.name)
  return pageReply(
    shown,
    <>
      <Head visit={visit} customer={customer} shown={shown} />
      <Section title={totalTexts.title}>
        <Totals visit={visit} customer={customer} names={names} cards={cards} />
      </Section>
      <Section
        title={CUSTOMERS.payments}
        aside={<a href={addressWith(visit.to('/charges'), { phone: customer.phone })}>{CUSTOMERS.all}</a>}
      >
        <Table
          caption={CUSTOMERS.payments}
          rows={customer.charges}
          columns={columnsWith(names)}
          href={({ id }) => visit.to(`/charges/${id}`)}
        />
      </Section>
      <Invoices visit={visit} customer={customer} />
      <Section title={note.title} id="note">
        <FormBox
          of={SET_CUSTOMER}
          visit={visit}
          state={state}
          params={params}
          values={{ name: customer.name ?? '', note: customer.note ?? '' }}
        />
      </Section>
      <Section title={data.title}>
        <p class="hint">
          {data.says} {data.forgetSays}
        </p>
        <FormBox of={EXPORT_CUSTOMER} visit={visit} state={state} params={params} compact />
        <FormBox of={FORGET_CUSTOMER} visit={visit} state={state} params={params} compact />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

function Invoices({ visit, customer: { invoices } }: { visit: DashboardVisit; customer: Customer }) {
  if (invoices.length === 0) return null
  return (
    <Section title={CUSTOMERS.invoices}>
      <Table
        caption={CUSTOMERS.invoices}
        rows={invoices}
        columns={INVOICE_COLUMNS}
        href={({ id }) => visit.to(`/invoices/${id}`)}
      />
    </Section>
  )
}

const Head = ({ visit, customer, shown }: { visit: DashboardVisit; customer: Customer; shown: string }) => (
  <>
    <div class="top">
      <div>
        <h1>
          <bdi>{shown}</bdi>
        </h1>
        {customer.name !== null && <p class="about">{formatPhone(customer.phone)}</p>}
      </div>
    </div>
    <p class="ways">
      {mayAsk(visit) && (
        <a class="button" href={addressWith(visit.to('/ask'), { phone: formatPhone(customer.phone) })}>
          {CUSTOMERS.ask}
        </a>
      )}
      <NewButton
        visit={visit}
        of={NEW_INVOICE}
        query={addressWith('', { phone: customer.phone, name: customer.name ?? undefined })}
      >
        {CUSTOMERS.invoice}
      </NewButton>
      <a class="button plain" href={`tel:+${customer.phone}`}>
        {CUSTOMERS.call}
      </a>
      <a class="button plain" href={`https://wa.me/${customer.phone}`} target="_blank" rel="noreferrer">
        {CUSTOMERS.whatsApp}
      </a>
    </p>
  </>
)

type TotalsProps = {
  visit: DashboardVisit
  customer: Customer
  names: ReadonlyMap<string, string>
  cards: readonly { id: string; last4: string }[]
}

function Totals({ visit, customer: { totals, charges }, names, cards }: TotalsProps) {
  const { count, more, paid, amount, attempted } = totals
  if (more) return <p>{totalTexts.tooMany(NUMBER_FORMAT.format(count))}</p>
  const links = [...new Set(charges.flatMap(({ paymentLinkId }) => paymentLinkId ?? []))]
  return (
    <Facts
      facts={[
        [totalTexts.paid, totalTexts.paidOf(amount, paid)],
        count > paid && [totalTexts.open, <Money amount={attempted - amount} />],
        links.length > 0 && [
          totalTexts.links,
          links.map((id) => (
            <div>
              <a href={visit.to(`/links/${id}`)}>{oneLine(names.get(id) ?? id)}</a>
            </div>
          )),
        ],
        cards.length > 0 && [
          totalTexts.cards,
          cards.map(({ id, last4 }) => (
            <div>
              <a href={visit.to(`/gift-cards/${id}`)}>{totalTexts.card(last4)}</a>
            </div>
          )),
        ],
      ]}
    />
  )
}
