import { mayDo } from '../../../api/access/allow.ts'
import { type ListPage, parseListWindow } from '../../../api/http/lists/lists.ts'
import type { Charge } from '../../../payments/charges/charge.ts'
import { parseTag } from '../../../platform/text/ids.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { getLink, listLinkPayments } from '../../../selling/payment-links/find-links.ts'
import { type LinkWithCharges, linkUrl, presentLink } from '../../../selling/payment-links/payment-link.ts'
import { MAX_PICTURE_BYTES } from '../../../selling/storefront/picture.ts'
import { findItemOfLink } from '../../../selling/storefront/publish-link.ts'
import { findOrder } from '../../../selling/vending/orders/find-orders.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { CopyBox, Empty, Facts, Money, Note, OutsideText, SameByApi, Section, State, Time } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { formatRequestExample } from '../request-example.ts'
import { MetadataFacts } from '../story/story-parts.tsx'
import { LINKS } from '../texts/links.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts, payments, publish } = LINKS

const switchForm = (to: 'on' | 'off'): FormSpec => ({
  path: `/links/:id/${to}`,
  action: 'link.switch',
  fields: [],
  submit: to === 'off' ? LINKS.switchOff : LINKS.switchOn,
  ...(to === 'off' ? { danger: true as const } : {}),
})
export const SWITCH_LINK_OFF = switchForm('off')
export const SWITCH_LINK_ON = switchForm('on')
export const PUBLISH_LINK: FormSpec = {
  path: '/links/:id/publish',
  action: 'item.add',
  fields: [
    { name: 'name', label: publish.name, maxLength: 200, hint: publish.nameHint },
    {
      ...{ name: 'picture', label: publish.picture, kind: 'file', hint: publish.pictureHint, optional: true },
      ...{ accept: 'image/png,image/jpeg,image/webp' },
    },
  ],
  submit: publish.submit,
  maxFileBytes: MAX_PICTURE_BYTES,
}

const PAYMENT_COLUMNS: readonly ListColumn<Charge>[] = [
  column.person(payments.customer, ({ phone, email }) => ({ phone, name: email })),
  column.amount(payments.amount, ({ amount }) => amount),
  column.state(payments.status, 'charge', (charge) => charge),
  column.when(payments.when, ({ createdAt }) => createdAt),
  column.id(),
]

/** Shows one link: its facts, address, QR code and payments, and the forms that switch and publish it. */
export async function showPaymentLink(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, params } = visit
  const id = params.id ?? ''
  // An order has the id of a link, so a reader who has only the id comes here first.
  const { tag, merchantId, mode } = caller
  const order = parseTag('lnk_', id) === tag ? await findOrder(app, { merchantId, id }) : null
  if (order?.mode === mode) return redirectDone(visit.to(`/orders/${id}`))
  const link = await getLink(app, caller, id)
  const view = presentLink(link, app.baseUrl)
  const window = { ...parseListWindow(buildPageQuery(visit.query)), endingBefore: visit.query.before ?? null }
  const paymentsPage = await listLinkPayments(app, caller, { linkId: link.id, window })
  const item = await findItemOfLink(app, { merchantId: visit.merchant.id, linkId: link.id })
  return pageReply(
    oneLine(link.description ?? `${LINKS.columns.unnamed}, ${formatShillings(link.amount)}`),
    <>
      <div class="top">
        <h1>
          <Money amount={link.amount} />
        </h1>
        <State of="link" state={view.status} />
      </div>
      {state?.path === PUBLISH_LINK.path && !mayBePublished(link, item) && <Note tone="bad">{state.fault}</Note>}
      <div class="split">
        <Section title={LINKS.about}>
          <LinkFacts visit={visit} link={link} />
          <MetadataFacts metadata={link.metadata} />
          <SwitchBox visit={visit} link={link} state={state} />
        </Section>
        <Address
          url={linkUrl(link, app.baseUrl)}
          id={link.id}
          says={LINKS.share.says(
            formatShillings(link.amount),
            oneLine(visit.merchant.name),
            link.description,
            linkUrl(link, app.baseUrl),
          )}
          poster={visit.to(`/links/${link.id}/poster`)}
        />
      </div>
      <Payments visit={visit} link={link} page={paymentsPage} />
      {link.allowMultipleUses && <OnStorefront visit={visit} link={link} item={item} state={state} />}
      <SameByApi title={LINKS.request} label={LINKS.requestLabel} request={formatCurl(visit, link)} value={view} />
    </>,
    { status: state?.status ?? 200, scripts: ['photos.js'] },
  )
}

/** Whether the page has the form that publishes the link. */
const mayBePublished = ({ allowMultipleUses }: LinkWithCharges, item: object | null) =>
  allowMultipleUses && item === null

type LinkProps = { visit: DashboardVisit; link: LinkWithCharges }

const LinkFacts = ({ visit, link }: LinkProps) => (
  <Facts
    facts={[
      [facts.amount, <Money amount={link.amount} />],
      [facts.uses, link.allowMultipleUses ? facts.many : facts.once],
      [facts.description, <OutsideText text={link.description} />],
      [facts.reference, <OutsideText text={link.reference} />],
      link.successUrl !== null && [facts.success, <OutsideText text={link.successUrl} />],
      link.cancelUrl !== null && [facts.cancel, <OutsideText text={link.cancelUrl} />],
      link.attempt !== null &&
        link.attempt.id !== link.paid?.id && [
          facts.attempt,
          <>
            <a href={visit.to(`/charges/${link.attempt.id}`)}>{link.attempt.id}</a>{' '}
            <State of="charge" state={link.attempt.status} />
          </>,
        ],
      [facts.created, <Time at={link.createdAt} />],
    ]}
  />
)

type AddressProps = {
  url: string
  id: string
  /** The text that is shared with the address. */
  says: string
  /** The address of the page to print. */
  poster: string
}

const Address = ({ url, id, says, poster }: AddressProps) => (
  <Section title={LINKS.address}>
    <CopyBox label={LINKS.addressLabel} text={url} />
    <p>
      <a href={url} target="_blank" rel="noreferrer">
        {LINKS.open}
      </a>
    </p>
    <img class="qr" src={`/pay/${id}/qr.svg`} alt={LINKS.qrAlt} width="220" height="220" />
    <p class="ways">
      <a class="button plain" href={`https://wa.me/?text=${encodeURIComponent(says)}`} target="_blank" rel="noreferrer">
        {LINKS.share.whatsApp}
      </a>
      <a class="button plain" href={`sms:?body=${encodeURIComponent(says)}`}>
        {LINKS.share.sms}
      </a>
    </p>
    <p class="ways">
      <a href={poster}>{LINKS.share.poster}</a>
      <a href={`${poster}?size=a6`}>{LINKS.share.sticker}</a>
      <a href={`/pay/${id}/qr.png`} download={`${id}.png`}>
        {LINKS.save}
      </a>
    </p>
  </Section>
)

function SwitchBox({ visit, link, state }: LinkProps & { state: FormState | null }) {
  const params = { id: link.id }
  return link.switchedOffAt === null ? (
    <FormBox of={SWITCH_LINK_OFF} visit={visit} state={state} params={params}>
      <p class="hint">{LINKS.offSays}</p>
    </FormBox>
  ) : (
    <FormBox of={SWITCH_LINK_ON} visit={visit} state={state} params={params} />
  )
}

const Payments = ({ visit, link, page }: LinkProps & { page: ListPage<Charge> }) => (
  <Section title={payments.title} id="payments">
    {page.data.length === 0 ? (
      <Empty title={payments.none} />
    ) : (
      <Table
        caption={payments.title}
        rows={page.data}
        columns={PAYMENT_COLUMNS}
        href={({ id }) => visit.to(`/charges/${id}`)}
      />
    )}
    <Pager cursors={cursorsOf(page)} query={visit.query} here={visit.to(`/links/${link.id}`)} />
  </Section>
)

type OnStorefrontProps = LinkProps & {
  item: { id: string; removed: boolean } | null
  state: FormState | null
}

/** Says whether the link is on the public page; if it never was, shows the form that puts it there. */
function OnStorefront({ visit, link, item, state }: OnStorefrontProps) {
  if (item === null && !mayDo(visit.caller, 'item.add')) return null
  return (
    <Section title={publish.title} id="publish">
      {item === null ? (
        <FormBox of={PUBLISH_LINK} visit={visit} state={state} params={{ id: link.id }}>
          <p class="hint">{publish.says}</p>
        </FormBox>
      ) : (
        <p>
          {item.removed ? publish.removed : publish.shown}{' '}
          {mayDo(visit.caller, 'shop.read') && <a href={visit.to(`/storefront/${item.id}`)}>{publish.open}</a>}
        </p>
      )}
    </Section>
  )
}

/** Formats the command that makes a link like this one. */
function formatCurl(visit: DashboardVisit, link: LinkWithCharges): string {
  const { amount, description, reference } = link
  const body = {
    amount,
    ...(description === null ? {} : { description }),
    ...(reference === null ? {} : { reference }),
    ...(link.allowMultipleUses ? { allow_multiple_uses: true } : {}),
  }
  return formatRequestExample(visit, { path: '/v1/payment-links', body, withKey: false })
}
