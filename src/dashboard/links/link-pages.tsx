import { readListWindow } from '../../http/lists.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Copy, Empty, Facts, Money, RawJson, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, cursorsOf, Filters, Pager, pageQuery, Table } from '../../pages/table.tsx'
import { getLink, listLinks } from '../../payment-links/find-links.ts'
import { type LinkWithCharges, linkUrl, presentLink } from '../../payment-links/payment-link.ts'
import { LINKS } from '../texts/links.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, create, facts } = LINKS

export const NEW_LINK: FormSpec = {
  path: '/links/new',
  action: 'link.create',
  fields: [
    { name: 'amount', label: create.amount, kind: 'amount', hint: create.amountHint, refused: /amount/ },
    {
      name: 'description',
      label: create.description,
      kind: 'lines',
      rows: 2,
      most: 1000,
      hint: create.descriptionHint,
      optional: true,
    },
    { name: 'reference', label: create.reference, hint: create.referenceHint, optional: true },
    {
      name: 'success_url',
      label: create.success,
      kind: 'url',
      most: 2000,
      hint: create.successHint,
      optional: true,
    },
    { name: 'cancel_url', label: create.cancel, kind: 'url', most: 2000, optional: true },
    { name: 'many', label: create.many, kind: 'check' },
  ],
  submit: create.submit,
  once: true,
}

const switching = (to: 'on' | 'off'): FormSpec => ({
  path: `/links/:id/${to}`,
  action: 'link.switch',
  fields: [],
  submit: to === 'off' ? LINKS.switchOff : LINKS.switchOn,
  ...(to === 'off' ? { danger: true as const } : {}),
})
export const SWITCH_OFF = switching('off')
export const SWITCH_ON = switching('on')

const columnsFor = (baseUrl: string): readonly Column<LinkWithCharges>[] => [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.status, cell: (link) => <Status word={presentLink(link, baseUrl).status} /> },
  { title: columns.description, cell: ({ description }) => <Said text={description} /> },
  { title: columns.reference, cell: ({ reference }) => <Said text={reference} /> },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The payment links of the mode, and the form that makes one. */
export async function showLinks(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, caller, query } = visit
  const page = await listLinks(app, caller, {
    ...readListWindow(pageQuery(query)),
    endingBefore: query.before ?? null,
    reference: query.reference ?? null,
  })
  const here = visit.to('/links')
  return shownPage(
    LINKS.title,
    <>
      <h1>{LINKS.title}</h1>
      <Filters filters={[{ name: 'reference', label: LINKS.reference }]} query={query} action={here} />
      {page.data.length === 0 ? (
        <Empty title={query.reference === undefined ? LINKS.empty.title : LINKS.empty.filtered}>
          {query.reference === undefined && <p>{LINKS.empty.says}</p>}
        </Empty>
      ) : (
        <Table
          caption={LINKS.title}
          rows={page.data}
          columns={columnsFor(app.baseUrl)}
          href={({ id }) => visit.to(`/links/${id}`)}
        />
      )}
      <Pager cursors={cursorsOf(page)} query={query} here={here} />
      <Section title={create.title} id="new">
        <FormBox of={NEW_LINK} visit={visit} state={state} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

/** One link: its address, its QR code, what it asks for, and its charge. */
export async function showLink(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, caller, params } = visit
  const link = await getLink(app, caller, params.id ?? '')
  const view = presentLink(link, app.baseUrl)
  const url = linkUrl(link, app.baseUrl)
  const charge = link.paid ?? link.attempt
  return shownPage(
    link.id,
    <>
      <div class="top">
        <h1>
          <Money amount={link.amount} />
        </h1>
        <Status word={view.status} />
      </div>
      <div class="split">
        <Section title={LINKS.about}>
          <Facts
            facts={[
              [facts.amount, <Money amount={link.amount} />],
              [facts.uses, link.allowMultipleUses ? facts.many : facts.once],
              [facts.description, <Said text={link.description} />],
              [facts.reference, <Said text={link.reference} />],
              link.successUrl !== null && [facts.success, <Said text={link.successUrl} />],
              link.cancelUrl !== null && [facts.cancel, <Said text={link.cancelUrl} />],
              charge !== null && [facts.charge, <a href={visit.to(`/charges/${charge.id}`)}>{charge.id}</a>],
              [facts.created, <Time at={link.createdAt} />],
            ]}
          />
          <SwitchBox visit={visit} link={link} state={state} />
        </Section>
        <Section title={LINKS.address}>
          <Copy label={LINKS.addressLabel} text={url} />
          <p>
            <a href={url} target="_blank" rel="noreferrer">
              {LINKS.open}
            </a>
          </p>
          <img class="qr" src={`/pay/${link.id}/qr.svg`} alt={LINKS.qrAlt} width="220" height="220" />
          <p>
            <a href={`/pay/${link.id}/qr.png`} download={`${link.id}.png`}>
              {LINKS.save}
            </a>
          </p>
        </Section>
      </div>
      <RawJson value={view} />
    </>,
    { status: state?.status ?? 200 },
  )
}

function SwitchBox({
  visit,
  link,
  state,
}: {
  visit: DashboardVisit
  link: LinkWithCharges
  state: FormState | null
}) {
  const params = { id: link.id }
  return link.switchedOffAt === null ? (
    <FormBox of={SWITCH_OFF} visit={visit} state={state} params={params}>
      <p class="hint">{LINKS.offSays}</p>
    </FormBox>
  ) : (
    <FormBox of={SWITCH_ON} visit={visit} state={state} params={params} />
  )
}
