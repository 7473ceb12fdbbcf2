import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { notFound } from '../../../platform/refusal.ts'
import { findItem, listOwnItemPage } from '../../../selling/storefront/find-items.ts'
import { picturePath, type ShopItem, storefrontPath } from '../../../selling/storefront/item.ts'
import { MAX_PICTURE_BYTES } from '../../../selling/storefront/picture.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormField, FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { CopyBox, Empty, Facts, Money, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { createPage, NewButton } from '../lists/create-page.tsx'
import { STOREFRONT } from '../texts/storefront.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, item: words, facts } = STOREFRONT

const ITEM_FIELDS: readonly FormField[] = [
  { name: 'name', label: words.name, maxLength: 200 },
  { name: 'amount', label: words.amount, kind: 'amount' },
  { name: 'description', label: words.description, kind: 'lines', maxLength: 1000, rows: 3, optional: true },
  {
    name: 'picture',
    label: words.picture,
    kind: 'file',
    hint: words.pictureHint,
    accept: 'image/png,image/jpeg,image/webp',
    optional: true,
  },
]
export const ADD_ITEM: FormSpec = {
  path: '/storefront/add',
  action: 'item.add',
  fields: ITEM_FIELDS,
  submit: STOREFRONT.add.submit,
  once: true,
  maxFileBytes: MAX_PICTURE_BYTES,
}
export const EDIT_ITEM: FormSpec = {
  path: '/storefront/:id/edit',
  action: 'item.edit',
  fields: [...ITEM_FIELDS, { name: 'drop', label: words.drop, kind: 'check' }],
  submit: STOREFRONT.edit.submit,
  maxFileBytes: MAX_PICTURE_BYTES,
}
export const REMOVE_ITEM: FormSpec = {
  path: '/storefront/:id/remove',
  action: 'item.remove',
  fields: [],
  submit: STOREFRONT.remove.submit,
  danger: true,
}

const switchForm = (to: 'hide' | 'show'): FormSpec => ({
  path: `/storefront/:id/${to}`,
  action: 'link.switch',
  fields: [],
  submit: STOREFRONT[to],
  plain: true,
})
export const HIDE_ITEM = switchForm('hide')
export const SHOW_ITEM = switchForm('show')

const ItemBadge = ({ item }: { item: ShopItem }) => {
  const word = item.removed ? STOREFRONT.removed : item.hidden ? STOREFRONT.hidden : STOREFRONT.shown
  return <Status word={word} tone={word === STOREFRONT.shown ? 'good' : 'quiet'} />
}

const columnsFor = ({ merchant }: DashboardVisit): readonly ListColumn<ShopItem>[] => [
  { title: columns.name, cell: (item) => <ItemName item={item} shop={merchant} />, at: 'who' },
  column.what(columns.description, ({ description }) => description),
  column.amount(columns.amount, ({ amount }) => amount),
  { title: columns.state, cell: (item) => <ItemBadge item={item} />, at: 'state' },
  column.when(columns.created, ({ createdAt }) => createdAt),
]

/** The name of an item with a small picture, for lists. */
function ItemName({ item, shop }: { item: ShopItem; shop: DashboardVisit['merchant'] }) {
  const picture = picturePath(item, shop)
  // A hidden item is on no public page, and neither is its picture.
  return (
    <span class="named">
      {picture !== null && !item.hidden && <img src={picture} alt="" width="40" height="40" loading="lazy" />}
      <OutsideText text={item.name} />
    </span>
  )
}

/** Shows the form that adds an item. */
export const showAddItem = createPage(ADD_ITEM, () => ({ title: STOREFRONT.add.title, scripts: ['photos.js'] }))

/** Lists the items of the public page of this mode. */
export async function showItemList(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const window = { ...parseListWindow(buildPageQuery(query)), endingBefore: query.before ?? null }
  const page = await listOwnItemPage(app, caller, window)
  const items = page.data
  return pageReply(
    STOREFRONT.title,
    <>
      <div class="top">
        <h1>{STOREFRONT.title}</h1>
        <NewButton visit={visit} of={ADD_ITEM}>
          {STOREFRONT.add.title}
        </NewButton>
      </div>
      <p>{STOREFRONT.lead}</p>
      <PublicAddress visit={visit} />
      {items.length === 0 ? (
        <Empty title={STOREFRONT.empty.title}>
          <p>{STOREFRONT.empty.says}</p>
        </Empty>
      ) : (
        <Table
          caption={STOREFRONT.title}
          rows={items}
          columns={columnsFor(visit)}
          href={({ id }) => visit.to(`/storefront/${id}`)}
        />
      )}
      <Pager cursors={cursorsOf(page)} query={query} here={visit.to('/storefront')} />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** The address of the public page with its QR code; in test mode that of its twin, which is for trying and not for printing. */
function PublicAddress({ visit }: { visit: DashboardVisit }) {
  const { app, merchant, mode } = visit
  const path = storefrontPath({ ...merchant, mode })
  const address = `${app.baseUrl}${path}`
  return (
    <Section title={STOREFRONT.addressOf[mode]}>
      {mode === 'test' && <Note>{STOREFRONT.testSays}</Note>}
      {mode === 'live' && merchant.kycStatus !== 'verified' && <Note tone="warn">{STOREFRONT.notYet}</Note>}
      <CopyBox label={STOREFRONT.addressOf[mode]} text={address} />
      <p>
        <a href={address} target="_blank" rel="noreferrer">
          {STOREFRONT.open}
        </a>
      </p>
      <img class="qr" src={`${path}/qr.svg`} alt={STOREFRONT.qrAlt} width="160" height="160" />
      {mode === 'live' && (
        <p>
          <a href={visit.to('/storefront/poster')}>{STOREFRONT.poster}</a>{' '}
          <a href={`${visit.to('/storefront/poster')}?size=a6`}>{STOREFRONT.sticker}</a>{' '}
          <a href={`${path}/qr.png`} download={`${merchant.handle}.png`}>
            {STOREFRONT.saveQr}
          </a>
        </p>
      )}
    </Section>
  )
}

/** Gets the item that the address names, in the mode of the page. Throws 404. */
export async function getVisitedItem({ app, merchant, mode, params }: DashboardVisit): Promise<ShopItem> {
  const item = await findItem(app, { merchantId: merchant.id, id: params.id ?? '' })
  if (item?.mode !== mode) throw notFound('item')
  return item
}

/** Shows one item with its picture, and the forms that change, hide and remove it. */
export async function showItem(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const item = await getVisitedItem(visit)
  const picture = picturePath(item, visit.merchant)
  const values = { name: item.name, amount: String(item.amount), description: item.description ?? '' }
  return pageReply(
    item.name,
    <>
      <div class="top">
        <h1>
          <OutsideText text={item.name} />
        </h1>
        <ItemBadge item={item} />
      </div>
      <div class="split">
        <Section title={STOREFRONT.edit.title}>
          {item.removed ? null : (
            <FormBox of={EDIT_ITEM} visit={visit} state={state} params={{ id: item.id }} values={values}>
              <p class="hint">{STOREFRONT.editSays}</p>
              {picture !== null && <p class="hint">{words.keep}</p>}
            </FormBox>
          )}
        </Section>
        <Section title={STOREFRONT.about}>
          {picture !== null && !item.hidden && !item.removed && (
            <img src={picture} alt={words.pictureAlt} width="160" height="160" />
          )}
          <Facts
            facts={[
              [facts.amount, <Money amount={item.amount} />],
              [facts.link, <a href={visit.to(`/links/${item.linkId}`)}>{item.linkId}</a>],
              [facts.created, <Time at={item.createdAt} />],
            ]}
          />
          {!item.removed && (
            <FormBox of={item.hidden ? SHOW_ITEM : HIDE_ITEM} visit={visit} state={state} params={{ id: item.id }}>
              <p class="hint">{item.hidden ? STOREFRONT.showSays : STOREFRONT.hideSays}</p>
            </FormBox>
          )}
          {!item.removed && (
            <FormBox of={REMOVE_ITEM} visit={visit} state={state} params={{ id: item.id }}>
              <p class="hint">{STOREFRONT.remove.says}</p>
            </FormBox>
          )}
        </Section>
      </div>
    </>,
    { status: state?.status ?? 200, scripts: ['photos.js'] },
  )
}
